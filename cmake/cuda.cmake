# Compiles the kernels of the CUDA back end if there is an nvcc: the objects warpath_kernels, and
# WARPATH_HAS_CUDA, ON or OFF. The host compiler compiles everything else in both cases.

set(WARPATH_CUDA AUTO CACHE STRING "CUDA kernels: AUTO (where nvcc is found), ON or OFF")
set_property(CACHE WARPATH_CUDA PROPERTY STRINGS AUTO ON OFF)
set(WARPATH_HAS_CUDA OFF)

if(WARPATH_CUDA STREQUAL AUTO AND WARPATH_SANITIZE)
  message(STATUS "CUDA kernels: no, sanitizers are for the host")
elseif(WARPATH_CUDA)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(WARPATH_HAS_CUDA ON)
  elseif(NOT WARPATH_CUDA STREQUAL AUTO)
    message(FATAL_ERROR "WARPATH_CUDA=${WARPATH_CUDA}, but no nvcc that works: put it on PATH or "
      "name it in CUDACXX")
  else()
    message(STATUS "CUDA kernels: no, nvcc not found")
  endif()
endif()

if(WARPATH_HAS_CUDA)
  # One architecture is enough for development. scripts/wheel has those of a release.
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90-real CACHE STRING "Architectures of the CUDA kernels" FORCE)
  endif()
  enable_language(CUDA)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 predates nvcc's -std=c++20
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
  endif()
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  set(CMAKE_CUDA_EXTENSIONS OFF)
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)  # so that a machine without CUDA runs the program
  if(CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
  message(STATUS "CUDA kernels: nvcc ${CMAKE_CUDA_COMPILER_VERSION}, ${CMAKE_CUDA_ARCHITECTURES}")

  find_package(CUDAToolkit REQUIRED)  # for host code that calls the runtime

  # The sets of quantities (QuantitySet, RewardSet) that have kernels.
  file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/launch/*.cu)
  write_units(kernel_sources kernels/launch/tiles_SET.cu.in
    goal dtw alignment all_edges all_viewpoints)
  write_units(kernel_sources kernels/launch/walks_SET.cu.in alignment all_edges all_viewpoints)
  write_units(kernel_sources kernels/launch/rewards_SET.cu.in ndtw_gain dtw all ends points)
  write_units(kernel_sources kernels/launch/episodes_SET.cu.in dtw all points)
  add_library(warpath_kernels OBJECT ${kernel_sources})
  target_include_directories(warpath_kernels PRIVATE ${PROJECT_SOURCE_DIR}
    ${PROJECT_SOURCE_DIR}/include)
  # Contraction is off, as on the host, so that the back ends agree to the last bit.
  target_compile_options(warpath_kernels PRIVATE --fmad=false -Xcompiler=-Wall,-Wextra
    -Xptxas=-v $<$<BOOL:${WARPATH_WERROR}>:-Werror=all-warnings>)
  # The report of ptxas on each kernel goes to a file beside the object; see scripts/kernel-table.
  set_target_properties(warpath_kernels PROPERTIES
    RULE_LAUNCH_COMPILE "${PROJECT_SOURCE_DIR}/scripts/keep-ptxas-report <OBJECT>"
    POSITION_INDEPENDENT_CODE ON CUDA_VISIBILITY_PRESET hidden)
endif()
