#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>

#include "warpath/export.hpp"

namespace warpath {

/// Every metric, in the order of all reports. Q is the query (the agent's path), R the reference.
enum class Metric {
  PL,
  NE,
  ONE,
  SR,
  OSR,
  AD,
  MD,
  SPL,
  SED,
  PC,
  LS,
  CLS,
  DTW,
  nDTW,
  SDTW,
  GP,
  ED,
  EPL,
  SP,
  PLR,
  steps,
  n_query,
  n_query_raw,
  n_ref
};
inline constexpr int metric_count = static_cast<int>(Metric::n_ref) + 1;

/// Returns the position of a metric in the order above, for plain arrays of metric_count elements.
constexpr int index_of(Metric metric) {
  return static_cast<int>(metric);
}

/// A set of metrics. Iteration follows the order of Metric.
class MetricSet {
 public:
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = Metric;

    constexpr Iterator() = default;
    constexpr explicit Iterator(std::uint32_t left) : left_(left) {}
    constexpr Metric operator*() const { return static_cast<Metric>(std::countr_zero(left_)); }
    constexpr Iterator& operator++() {
      left_ &= left_ - 1;
      return *this;
    }
    constexpr Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint32_t left_ = 0;
  };

  /// Makes an empty set.
  constexpr MetricSet() = default;
  constexpr MetricSet(std::initializer_list<Metric> metrics) {
    for (const Metric m : metrics) insert(m);
  }
  static constexpr MetricSet all() {
    MetricSet set;
    set.bits_ = (1u << metric_count) - 1;
    return set;
  }

  constexpr bool contains(Metric metric) const { return (bits_ >> index_of(metric) & 1u) != 0; }
  constexpr bool operator[](Metric metric) const { return contains(metric); }
  constexpr bool contains_any(MetricSet metrics) const { return (bits_ & metrics.bits_) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr int size() const { return std::popcount(bits_); }
  constexpr MetricSet& insert(Metric metric) {
    bits_ |= 1u << index_of(metric);
    return *this;
  }
  constexpr MetricSet& erase(Metric metric) {
    bits_ &= ~(1u << index_of(metric));
    return *this;
  }
  /// Returns the set as bits: bit index_of(m) stands for metric m.
  constexpr std::uint32_t bits() const { return bits_; }

  constexpr Iterator begin() const { return Iterator(bits_); }
  constexpr Iterator end() const { return Iterator(); }

  constexpr bool operator==(const MetricSet&) const = default;
  friend constexpr MetricSet operator|(MetricSet a, MetricSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  friend constexpr MetricSet operator&(MetricSet a, MetricSet b) {
    a.bits_ &= b.bits_;
    return a;
  }

 private:
  static_assert(metric_count < 32);
  std::uint32_t bits_ = 0;
};

/// One value for every metric, in the order of Metric.
template <class T>
class MetricMap {
 public:
  constexpr T& operator[](Metric metric) { return values_[index_of(metric)]; }
  constexpr const T& operator[](Metric metric) const { return values_[index_of(metric)]; }
  constexpr auto begin() { return values_.begin(); }
  constexpr auto end() { return values_.end(); }
  constexpr auto begin() const { return values_.begin(); }
  constexpr auto end() const { return values_.end(); }

  bool operator==(const MetricMap&) const = default;

 private:
  std::array<T, metric_count> values_;
};

/// A fraction lies in [0, 1]; a length is in metres (in edges where the convention counts hops).
enum class Unit { fraction, length, count };
enum class Better { higher, lower, neither };

struct MetricInfo {
  Metric metric;
  std::string_view name;  ///< as papers spell it
  std::string_view title;
  Unit unit;
  Better better;
  std::string_view formula;
  std::string_view source;  ///< paper and equation, or the evaluator whose number it equals
  bool headline;            ///< shown where nobody names metrics
};

/// The one table of metrics; command line, reports, documentation and tests read it.
WARPATH_EXPORT std::span<const MetricInfo> metric_table();

inline const MetricInfo& info(Metric m) {
  return metric_table()[static_cast<std::size_t>(m)];
}

/// By name, letter case aside.
WARPATH_EXPORT std::optional<Metric> find_metric(std::string_view name);

}  // namespace warpath
