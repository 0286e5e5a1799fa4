#pragma once

// The kernel headers compile as plain C++ and as device code; these macros are all that differs.
#if defined(__CUDACC__)
#define WARPATH_HD __device__ __forceinline__
#define WARPATH_UNROLL _Pragma("unroll")
#else
#define WARPATH_HD inline __attribute__((always_inline))
#define WARPATH_UNROLL _Pragma("GCC unroll 64")
#endif
