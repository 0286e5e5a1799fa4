#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "host/files/json/json_fwd.hpp"
#include "warpath/metrics.hpp"

namespace warpath::formats {

/// Names a metric as RxR's follower files or VELMA's results do.
struct PublishedName {
  std::string_view key;
  Metric metric;
};

inline constexpr std::array<PublishedName, 9> published_names{{{"ne", Metric::NE},
                                                               {"sr", Metric::SR},
                                                               {"spl", Metric::SPL},
                                                               {"dtw", Metric::DTW},
                                                               {"ndtw", Metric::nDTW},
                                                               {"sdtw", Metric::SDTW},
                                                               {"tc", Metric::SR},
                                                               {"spd", Metric::NE},
                                                               {"kpa", Metric::KPA}}};

/// Values of one entry in the order of the names; NaN: not given.
using PublishedMetrics = std::array<double, published_names.size()>;

inline constexpr PublishedMetrics no_published_metrics = [] {
  PublishedMetrics none{};
  for (double& value : none) value = std::numeric_limits<double>::quiet_NaN();
  return none;
}();

/// Returns what an entry has under `metrics`; nothing if it has none of them.
std::optional<PublishedMetrics> published_metrics(json::Value entry);

/// Appends the metrics of `count` more entries to those of `before`. A list is empty where no entry
/// has metrics, and may end before the entries do.
void append_published(std::vector<PublishedMetrics>& published, std::size_t before,
                      const std::vector<PublishedMetrics>& more, std::size_t count);

}  // namespace warpath::formats
