#pragma once

#include <cstdint>
#include <functional>

namespace warpath::cuda {

/// Called with the number of pairs of a chunk once they lie on the device as the kernels read them:
/// again(n) has the kernels score them n times more, and returns when they have.
using Repeat = std::function<void(std::uint32_t pairs, const std::function<void(int)>& again)>;

}  // namespace warpath::cuda
