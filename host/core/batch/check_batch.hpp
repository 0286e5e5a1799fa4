#pragma once

#include <cstddef>
#include <span>

#include "warpath/paths.hpp"

namespace warpath::batch {

// Checks batches. The checks run on the threads of the calling task arena.

/// Refuses a batch that no back end may read: an empty path, offsets that do not ascend or lie
/// outside of the elements, a scan, reference or query index out of range, or `n_query_raw` or
/// `task_success` whose size is not the number of pairs. Does not check viewpoints.
/// @throws InputError that names the pair or path, the field and the remedy
void check(const PairBatchView& batch);

/// Refuses a viewpoint that its scan does not have. @pre check() has accepted the batch.
/// @throws InputError that names the first such pair, the field and the remedy
void check_viewpoints(const PairBatchView& batch);

/// Refuses a batch of points likewise, and coordinates that are NaN, infinite or beyond 1e12 m.
/// @throws InputError that names the pair or path, the point and the remedy
void check(const PointBatchView& batch);

}  // namespace warpath::batch
