#pragma once

#include "host/core/definitions/metric_traits.hpp"
#include "kernels/views/rules.hpp"
#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"
#include "warpath/scores.hpp"

// Translates a request for the kernels. metric_traits.hpp translates their flags back.

namespace warpath::batch {

/// Translates a convention and a set of metrics for the kernels.
/// @param given_success whether the pairs bring the success that SDTW takes
/// @param connected whether each viewpoint can reach every other of its scan. If not, the kernels
/// also measure what shows that a pair is unreachable, so that it has no value whichever metrics
/// are asked for.
kernels::Rules make_rules(const MetricSet& metrics, const Convention& convention,
                          bool given_success, bool connected);

/// Tells whether the kernels, which work in single precision, can score under this convention: a
/// threshold and one of nDTW from 1e-12 to 1e30 (metres or edges), and spl_min_denominator 0 or
/// from 1e-30 to 1e30. A threshold below 3e-39 has no reciprocal in single precision. Lengths below
/// 1e-30 are 0 to the kernels, which makes no difference beside a threshold of at least 1e-12.
bool fits_single_precision(const Convention& convention);
/// Tells the same for continuous paths, whose kernels need a threshold from 1e-6 to 1e15 m (see
/// kernels::min_point_threshold).
bool points_fit_single_precision(const Convention& convention);

/// Says why the reference back end scores where it does not fit.
inline constexpr const char* beyond_single_precision =
    "threshold, ndtw-threshold or spl-min-denominator is beyond single precision";
inline constexpr const char* points_beyond_single_precision =
    "for positions single precision has no cls-length nodes, and takes a threshold from 1e-6 to "
    "1e15 m";

using warpath::definitions::flags_of;
using warpath::definitions::status_of;

}  // namespace warpath::batch
