# Compiles the sources of a folder in few units, which takes a third of the time: most of a source's
# time goes to the headers of libraries. WARPATH_UNITY=OFF compiles each alone, as an editor's
# language server and clang-tidy want it, and sees a source that lacks an include.
option(WARPATH_UNITY "Compile the sources of a folder together" ON)
set(WARPATH_MAX_SOURCES_OF_UNIT 16 CACHE STRING "Sources in a unit: fewer compile sooner after a change")

# A local name may be that of another source's global.
set(warnings_of_shadows -Wshadow)
if(WARPATH_UNITY)
  set(warnings_of_shadows $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>)
endif()

# Groups the sources of a target by folder. Those with options of their own stay alone. To be called
# in the target's directory, after its sources are known.
function(compile_by_folder target)
  if(NOT WARPATH_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "^${PROJECT_BINARY_DIR}/")
  list(SORT sources)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE folder)
    cmake_path(GET folder PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    list(APPEND unity_sources_of_${folder} ${source})
    list(LENGTH unity_sources_of_${folder} count)
    math(EXPR unit "(${count} - 1) / ${WARPATH_MAX_SOURCES_OF_UNIT}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${unit})
  endforeach()
  # GCC takes the sources of a unit for headers, whose types should not hold nameless ones.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
