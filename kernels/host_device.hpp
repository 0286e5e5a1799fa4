#pragma once

// Macros for code that compiles as plain C++ and as device code: WARPATH_HD begins a function of
// the kernels, WARPATH_CONSTEXPR one that the host calls, too. On the host both are always inlined:
// code of one unit, compiled for its instruction set, must not be linked into another.
#if defined(__CUDACC__)
#define WARPATH_HD __device__ __forceinline__
#define WARPATH_CONSTEXPR __host__ __device__ constexpr
#define WARPATH_UNROLL _Pragma("unroll")
#define WARPATH_ROLLED _Pragma("unroll 1")
#else
#define WARPATH_HD inline __attribute__((always_inline))
#define WARPATH_CONSTEXPR constexpr __attribute__((always_inline))
#define WARPATH_UNROLL _Pragma("GCC unroll 64")
#define WARPATH_ROLLED
#endif
