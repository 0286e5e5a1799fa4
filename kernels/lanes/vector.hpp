#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

// Names the vector registers of the instruction set that a translation unit is compiled for.

namespace warpath::kernels {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif

template <class T, int V>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * V)));
};

}  // namespace warpath::kernels
