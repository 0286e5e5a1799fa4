#pragma once

#include <cstddef>
#include <span>

#include "warpath/paths.hpp"

namespace warpath::scorer {

/// Refuses, with the threads of the calling task arena, a batch that no back end may read: an empty
/// path, offsets that do not rise or lie outside of the elements, a pair whose scan, reference or
/// query is not there, a viewpoint that its scan has not, or `n_query_raw` or `task_success` of
/// another number than the pairs.
/// @throws InputError that names the pair or path, the field and the remedy
void check(const PairBatchView& batch);

/// Refuses points likewise, and coordinates that are NaN, infinite or beyond 1e12 m.
/// @throws InputError that names the pair or path, the point and the remedy
void check(const PointBatchView& batch);

}  // namespace warpath::scorer
