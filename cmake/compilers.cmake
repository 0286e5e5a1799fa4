# Says which compilers build warpath: GCC 12 and Clang 14 or newer; docs/platforms.md has the tests.

set(min_GNU 12)
set(min_Clang 14)
if(NOT DEFINED min_${CMAKE_CXX_COMPILER_ID})
  message(WARNING "warpath is tested with GCC >= ${min_GNU} and Clang >= ${min_Clang}, "
    "not with ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS min_${CMAKE_CXX_COMPILER_ID})
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} is too old: warpath "
    "needs GCC >= ${min_GNU} or Clang >= ${min_Clang}")
endif()

if(WARPATH_FUZZ AND NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  message(FATAL_ERROR "WARPATH_FUZZ needs Clang, not ${CMAKE_CXX_COMPILER_ID}: say "
    "cmake --preset sanitize, which takes clang++")
endif()
