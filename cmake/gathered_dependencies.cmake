# As a toolchain file: dependencies are those that scripts/gather-deps put into the folder deps.
set(CMAKE_PROJECT_TOP_LEVEL_INCLUDES ${CMAKE_CURRENT_LIST_DIR}/../deps/deps.cmake)
