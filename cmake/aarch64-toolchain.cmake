# Cross-compiles for aarch64 on another Debian or Ubuntu machine; docs/platforms.md has the commands.
# WARPATH_AARCH64_ROOT is a folder into which the arm64 packages of the libraries are unpacked.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

set(WARPATH_AARCH64_ROOT "" CACHE PATH "Where the arm64 packages are unpacked")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WARPATH_AARCH64_ROOT)
set(libraries ${WARPATH_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu)

set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${WARPATH_AARCH64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CXX_FLAGS_INIT "-isystem ${WARPATH_AARCH64_ROOT}/usr/include/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}")

# The compiler's own libraries and those of the packages, for programs that the build or a test runs.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu -E
  LD_LIBRARY_PATH=${libraries})
