#pragma once

#include <cstdint>
#include <initializer_list>

#include "kernels/finish.hpp"
#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"
#include "warpath/scores.hpp"

// What a convention and a set of metrics mean to the kernels, and what the kernels' flags mean.

namespace warpath::cpu {

/// @param want bits of kernels::Want.
kernels::Rules rules_of(const Convention& convention, bool given_success, unsigned want);

bool any(const MetricSet& metrics, std::initializer_list<Metric> of);

/// The parts of a sweep that the metrics take: bits of kernels::Want.
unsigned want_of(const MetricSet& metrics, bool given_success);

/// The flags that the metrics may raise; kernels that make more raise others too.
std::uint32_t flags_of(const MetricSet& metrics);

Status status_of(std::uint32_t flags);

}  // namespace warpath::cpu
