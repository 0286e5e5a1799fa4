#include "host/files/formats/published_metrics.hpp"

#include <cmath>

#include "host/files/formats/json_file.hpp"

namespace warpath::formats {

std::optional<PublishedMetrics> published_metrics(json::Value entry) {
  const auto object = object_in(entry);
  if (!object) return std::nullopt;
  const auto [value, count] = find_key(*object, "metrics");
  const auto metrics = count > 0 ? object_in(value) : std::nullopt;
  if (!metrics) return std::nullopt;
  PublishedMetrics values = no_published_metrics;
  bool has_any = false;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto [number, times] = find_key(*metrics, published_names[k].key);
    double given = 0.0;
    if (times == 0 || !number.get(given) || !std::isfinite(given)) continue;
    values[k] = given;
    has_any = true;
  }
  return has_any ? std::optional(values) : std::nullopt;
}

void append_published(std::vector<PublishedMetrics>& published, std::size_t before,
                      const std::vector<PublishedMetrics>& more, std::size_t count) {
  if (published.empty() && more.empty()) return;
  published.resize(before, no_published_metrics);
  published.insert(published.end(), more.begin(), more.end());
  published.resize(before + count, no_published_metrics);
}

}  // namespace warpath::formats
