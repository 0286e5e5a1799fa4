#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"
#include "warpath/scores.hpp"

// Properties of a metric that only the code needs, beside those that users see. `metrics.cpp`
// defines both in one table.

namespace warpath::definitions {

/// Holds a metric's formula: one text for all conventions, or a function of the convention.
class Formula {
 public:
  using Function = std::string (*)(const Convention&);

  constexpr Formula() = default;
  constexpr Formula(const char* text) : text_(text) {}
  constexpr Formula(Function function) : function_(function) {}
  std::string operator()(const Convention& c) const {
    return function_ != nullptr ? function_(c) : std::string(text_);
  }

 private:
  std::string_view text_;
  Function function_ = nullptr;
};

/// Holds bits of kernels::Quantity: the same for all conventions, or a function of the convention
/// and of whether the pairs bring a task success.
class Quantities {
 public:
  using Function = unsigned (*)(const Convention&, bool given_success);

  constexpr Quantities() = default;
  constexpr Quantities(unsigned bits) : bits_(bits) {}
  constexpr Quantities(Function function) : function_(function) {}
  constexpr bool is_empty() const { return bits_ == 0 && function_ == nullptr; }
  unsigned operator()(const Convention& c, bool given_success) const {
    return function_ != nullptr ? function_(c, given_success) : bits_;
  }

 private:
  unsigned bits_ = 0;
  Function function_ = nullptr;
};

/// Says how rounding in single precision affects a metric. The self-test defines the bounds.
enum class Rounding {
  none,             ///< exact: a decision or a count
  fraction,         ///< of a few operations
  length,           ///< relative to its value
  deviation,        ///< relative to its value; on points, one distance besides
  coverage,         ///< of a mean of exponentials of distances
  length_score,     ///< of a coverage's quotient of lengths
  expected_length,  ///< coverage times a length
  warping_cost,     ///< grows with the lengths of both paths
  warping_score,
  progress,  ///< a difference of two distances
};

/// Holds the numbers of viewpoints of a pair's paths; metrics that are counts need nothing else.
struct PathSizes {
  std::size_t reference = 1, query = 1, query_raw = 1;
  std::size_t moves = query - 1;
};

/// Holds what back ends, reports and self-test need to know of a metric.
struct MetricTraits {
  Formula formula{};
  Quantities quantities{};  ///< what a sweep has to measure for it
  std::uint32_t flags = 0;  ///< bits of kernels::Flag that it may raise besides `unreachable`
  Rounding rounding = Rounding::none;
  /// Names the value of a metric that is a count; null for all metrics that kernels compute.
  std::size_t PathSizes::*count = nullptr;
};

/// Returns a metric's traits.
const MetricTraits& traits(Metric metric);

/// Returns the bits of kernels::Quantity that a sweep has to measure for these metrics.
unsigned quantities_of(const MetricSet& metrics, const Convention& convention, bool given_success);

/// Returns the bits of kernels::Flag that these metrics may raise. Kernels that compute more
/// metrics raise others too.
std::uint32_t flags_of(const MetricSet& metrics);

/// Returns the flag by which a kernel reports a status of a pair; 0 for `ok` and for statuses of
/// files.
std::uint32_t flag_of(Status status);

/// Returns the most severe status that these flags report. @pre flags contain only what was asked
/// for
Status status_of(std::uint32_t flags);

}  // namespace warpath::definitions
