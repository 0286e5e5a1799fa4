#pragma once

#include <string>
#include <vector>

namespace warpath::testing {

/// Returns the PTX of a fat binary, a text for each architecture that it has PTX for.
/// @param wrapper as nvcc passes it to __cudaRegisterFatBinary
/// @throws std::runtime_error if it is no fat binary, or its PTX is compressed
std::vector<std::string> ptx_of(const void* wrapper);

}  // namespace warpath::testing
