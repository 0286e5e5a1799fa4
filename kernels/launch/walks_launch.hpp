#pragma once

#include "kernels/launch/launch.hpp"
#include "kernels/views/walks.hpp"

// Starts the kernels that make random walks. As in launch.hpp, each call returns 0 or a cudaError_t
// and neither allocates nor waits.

namespace warpath::kernels {

/// Makes walks and scores them. @param set one that walk_set returns
/// @param rows of CoarseRows @pre a block may have view.block_bytes and a WalkOrder
[[nodiscard]] int score_walks(const WalkView& view, bool replicated, QuantitySet set, int rows,
                              Stream stream);

/// Makes and scores the walks that score_walks noted once more. @pre |R| <= 20
[[nodiscard]] int repeat_noted_walks(const WalkView& view, QuantitySet set, Stream stream);

}  // namespace warpath::kernels
