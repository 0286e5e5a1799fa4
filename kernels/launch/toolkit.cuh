#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/launch/launch.hpp"
#include "kernels/views/packing.hpp"

// Calls of the toolkit. With a null buffer they return the bytes they need and do nothing else.
// Its headers take longest to compile, so one file has all of these calls.

namespace warpath::kernels {

cudaError_t sort(void* memory, std::size_t& bytes, const SortView& v, Stream stream);
cudaError_t encode(void* memory, std::size_t& bytes, const RunsView& v, Stream stream);
cudaError_t sum(void* memory, std::size_t& bytes, const LengthSumView& v, Stream stream);
cudaError_t sum(void* memory, std::size_t& bytes, const TileSumView& v, Stream stream);

}  // namespace warpath::kernels
