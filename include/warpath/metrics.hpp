#pragma once

#include <bitset>
#include <optional>
#include <span>
#include <string_view>

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
std::span<const MetricInfo> metric_table();

inline const MetricInfo& info(Metric m) {
  return metric_table()[static_cast<size_t>(m)];
}

/// By name, letter case aside.
std::optional<Metric> find_metric(std::string_view name);

using MetricSet = std::bitset<metric_count>;

}  // namespace warpath
