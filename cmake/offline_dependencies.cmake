# scripts/gather-deps copies this file into its folder as deps.cmake. A build of warpath with
#   -DCMAKE_PROJECT_TOP_LEVEL_INCLUDES=FOLDER/deps.cmake
# answers every find_package() of a dependency from that folder and ignores installed packages.
# Libraries are compiled from their sources along with warpath. The lists of files and flags are
# those of their own builds, which newer versions of CMake refuse.

set(warpath_deps ${CMAKE_CURRENT_LIST_DIR})
set(WARPATH_INSTALL OFF CACHE BOOL "" FORCE)  # an installed library would lack its dependencies
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)  # an installed Python package finds the shared ones here
set(XXHASH_INCLUDE_DIR ${warpath_deps}/include CACHE PATH "" FORCE)

function(warpath_headers name)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} SYSTEM INTERFACE ${warpath_deps}/include)
endfunction()

# Finds a library of the distribution by the start of its file's name.
function(warpath_binary name start)
  file(GLOB library ${warpath_deps}/lib/${start}*)
  if(NOT library)
    message(FATAL_ERROR "${warpath_deps}/lib lacks ${start}*: make the folder anew by "
      "scripts/gather-deps")
  endif()
  add_library(${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${library}
    INTERFACE_INCLUDE_DIRECTORIES ${warpath_deps}/include)
endfunction()

# Makes a static library from sources, found as NAME.
function(warpath_sources name)
  string(REPLACE "::" "_" target "deps_${name}")
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${ARGN})
  add_library(${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES CXX_STANDARD 17)
  target_include_directories(${target} SYSTEM PUBLIC ${warpath_deps}/include)
  target_compile_options(${target} PRIVATE -w)
  target_link_libraries(${target} PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

function(warpath_make_deps)
  find_package(Threads REQUIRED)
  set(src ${warpath_deps}/src)
  warpath_headers(Eigen3::Eigen)
  warpath_headers(CLI11::CLI11)
  warpath_headers(fmt::fmt)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
  warpath_binary(ISAL::isal libisal.so)
  warpath_binary(ZLIB::ZLIB libz.a)
  warpath_binary(PNG::PNG libpng16.so)
  warpath_binary(Boost::context libboost_context.a)

  warpath_sources(GTest::gtest ${src}/googletest/src/gtest-all.cc)
  target_include_directories(deps_GTest_gtest PRIVATE ${src}/googletest)
  warpath_sources(GTest::gtest_main ${src}/googletest/src/gtest_main.cc)
  target_link_libraries(deps_GTest_gtest_main PUBLIC deps_GTest_gtest)

  if(NOT EXISTS ${src}/tbb)
    warpath_binary(simdjson::simdjson libsimdjson.so)
    target_compile_definitions(simdjson::simdjson INTERFACE SIMDJSON_THREADS_ENABLED=1)
    warpath_binary(TBB::tbb libtbb.so)
    warpath_binary(benchmark::benchmark libbenchmark.so)
    warpath_binary(benchmark::benchmark_main libbenchmark_main.a)
    target_link_libraries(benchmark::benchmark_main INTERFACE benchmark::benchmark)
    target_link_libraries(benchmark::benchmark INTERFACE Threads::Threads)
    return()
  endif()

  warpath_sources(simdjson::simdjson ${src}/simdjson/simdjson.cpp)
  target_compile_definitions(deps_simdjson_simdjson PUBLIC SIMDJSON_THREADS_ENABLED=1)

  file(GLOB sources ${src}/tbb/*.cpp)
  warpath_sources(TBB::tbb ${sources})
  target_compile_definitions(deps_TBB_tbb PRIVATE __TBB_BUILD __TBB_DYNAMIC_LOAD_ENABLED=0
    __TBB_SOURCE_DIRECTLY_INCLUDED=1)
  target_compile_options(deps_TBB_tbb PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-flifetime-dse=1>
    $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-mrtm;-mwaitpkg>)

  file(GLOB sources ${src}/benchmark/src/*.cc)
  list(REMOVE_ITEM sources ${src}/benchmark/src/benchmark_main.cc)
  warpath_sources(benchmark::benchmark ${sources})
  target_compile_definitions(deps_benchmark_benchmark PUBLIC BENCHMARK_STATIC_DEFINE
    PRIVATE HAVE_STD_REGEX HAVE_STEADY_CLOCK NDEBUG BENCHMARK_VERSION="gathered")
  warpath_sources(benchmark::benchmark_main ${src}/benchmark/src/benchmark_main.cc)
  target_link_libraries(deps_benchmark_benchmark_main PUBLIC deps_benchmark_benchmark)
endfunction()

# This is a macro because find_package() sets variables in the scope of its caller. Other packages
# (Python3, Threads) are found as usual.
macro(warpath_provide method name)
  if("${name}" MATCHES "^(Eigen3|fmt|simdjson|CLI11|ISAL|PNG|ZLIB|TBB|GTest|Boost|benchmark)$")
    if(NOT TARGET Eigen3::Eigen)
      warpath_make_deps()
    endif()
    set(${name}_FOUND TRUE)
  endif()
endmacro()
cmake_language(SET_DEPENDENCY_PROVIDER warpath_provide SUPPORTED_METHODS FIND_PACKAGE)
