#pragma once

#include <cstddef>
#include <span>

#include "warpath/paths.hpp"

namespace warpath::batch {

// The checks run on the threads of the calling task arena.

/// Refuses a batch that no back end may read: an empty path, offsets that do not rise or lie
/// outside of the elements, a pair whose scan, reference or query is not there, or `n_query_raw` or
/// `task_success` of another number than the pairs. Does not look at viewpoints.
/// @throws InputError that names the pair or path, the field and the remedy
void check(const PairBatchView& batch);

/// Refuses a viewpoint that its scan does not have. @pre check() has accepted the batch.
/// @throws InputError that names the first such pair, the field and the remedy
void check_viewpoints(const PairBatchView& batch);

/// Refuses a batch of points likewise, and coordinates that are NaN, infinite or beyond 1e12 m.
/// @throws InputError that names the pair or path, the point and the remedy
void check(const PointBatchView& batch);

}  // namespace warpath::batch
