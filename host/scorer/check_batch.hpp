#pragma once

#include <cstddef>
#include <span>

#include "warpath/paths.hpp"

namespace warpath::scorer {

/// Refuses a batch that no back end may read: an empty path, offsets that do not ascend or lie
/// outside of the elements, a scan, reference, query or viewpoint index out of range, or
/// `n_query_raw` or `task_success` whose size is not the number of pairs.
/// @throws InputError that names the pair or path, the field and the remedy
void check(const PairBatchView& batch);

/// Refuses a batch of points likewise, and coordinates that are NaN, infinite or beyond 1e12 m.
/// @throws InputError that names the pair or path, the point and the remedy
void check(const PointBatchView& batch);

}  // namespace warpath::scorer
