# Installs a build of warpath into a folder of its own and builds and runs the consumer and the
# examples against it:
#   cmake -DBUILD=build -DFOLDER=build/tests/consumer -DCOMPILER=g++ -P tests/consumer/check.cmake

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(projects ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/../../examples)
file(REMOVE_RECURSE ${FOLDER})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${FOLDER}/prefix)
foreach(project ${projects})
  cmake_path(GET project FILENAME name)
  run(${CMAKE_COMMAND} -S ${project} -B ${FOLDER}/${name} -G Ninja -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_PREFIX_PATH=${FOLDER}/prefix)
  run(${CMAKE_COMMAND} --build ${FOLDER}/${name})
endforeach()
run(${FOLDER}/consumer/consumer)
run(${FOLDER}/examples/score_indices)
run(${FOLDER}/prefix/bin/warpath --version)
