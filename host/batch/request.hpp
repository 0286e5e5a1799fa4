#pragma once

#include "kernels/metrics/metric_formulas.hpp"
#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"
#include "warpath/scores.hpp"

// What a request means to the kernels, and what their flags mean to the host.

namespace warpath::batch {

/// The convention as the kernels read it, and the parts of the sweep that the metrics take.
/// @param given_success SDTW takes a success that comes with the pairs.
/// @param connected every viewpoint leads to every other of its scan. Where not, the kernels make
/// whatever tells an unreachable pair, so that one is left out whichever metrics are asked for.
kernels::Rules make_rules(const MetricSet& metrics, const Convention& convention,
                          bool given_success, bool connected);

/// Tells whether the kernels, which work in single precision, can score under this convention: a
/// threshold from 1e-12 to 1e30 (metres or edges), and spl_min_denominator 0 or from 1e-30 to 1e30.
/// A threshold below 3e-39 has no reciprocal in single precision; and lengths below 1e-30, which
/// are 0 to the kernels, stay out of sight beside 1e-12.
bool fits_single_precision(const Convention& convention);

/// The flags that the metrics may raise; kernels that make more raise others too.
std::uint32_t flags_of(const MetricSet& metrics);

/// @pre only flags that were asked for.
Status status_of(std::uint32_t flags);

}  // namespace warpath::batch
