#pragma once

// Macros for code that compiles as plain C++ and as device code: WARPATH_HD begins a function of
// the kernels, WARPATH_CONSTEXPR one that the host calls, too. On the host both are always inlined:
// code of one unit, compiled for its instruction set, must not be linked into another. WARPATH_KEEP
// makes nvcc keep a word of 32 bits in a register: it neither narrows it nor computes it anew.
// WARPATH_HD_LONG begins a long function that many kernels have. With NDEBUG it is inlined, too: a
// call would cost short pairs 5 %. Without, it is compiled once in a unit, which takes less time.
#if defined(__CUDACC__)
#define WARPATH_HD __device__ __forceinline__
#define WARPATH_HD_LONG WARPATH_HD
#define WARPATH_CONSTEXPR __host__ __device__ constexpr
#define WARPATH_UNROLL _Pragma("unroll")
#define WARPATH_ROLLED _Pragma("unroll 1")
#define WARPATH_KEEP(word) asm("" : "+r"(word))
#else
#define WARPATH_HD inline __attribute__((always_inline))
#if defined(NDEBUG)
#define WARPATH_HD_LONG WARPATH_HD
#else
#define WARPATH_HD_LONG static __attribute__((noinline))
#endif
#define WARPATH_CONSTEXPR constexpr __attribute__((always_inline))
#define WARPATH_UNROLL _Pragma("GCC unroll 64")
#define WARPATH_ROLLED _Pragma("GCC unroll 1")
#define WARPATH_KEEP(word) static_cast<void>(word)
#endif
