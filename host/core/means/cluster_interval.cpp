#include "host/core/means/cluster_interval.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "host/core/base/progress.hpp"
#include "kernels/philox.hpp"

namespace warpath::means {
namespace {

constexpr double z = 1.96;  // quantile of the 95 % interval

// Generates the random words of one draw.
class Words {
 public:
  explicit Words(std::uint32_t draw) : draw_(draw) {}

  // Returns a uniform number below `bound` (Lemire 2019).
  std::uint32_t below(std::uint32_t bound) {
    for (;;) {
      const std::uint64_t product = std::uint64_t{next()} * bound;
      const auto low = static_cast<std::uint32_t>(product);
      // Rejects the products that would make some numbers more frequent: 2^32 mod bound of them.
      if (low >= bound || low >= -bound % bound) return static_cast<std::uint32_t>(product >> 32);
    }
  }

 private:
  std::uint32_t next() {
    if (word_ % 4 == 0) words_ = kernels::philox({word_ / 4, draw_, 0, 0}, {0, 0});
    return words_[word_++ % 4];
  }

  std::uint32_t draw_, word_ = 0;
  std::array<std::uint32_t, 4> words_{};
};

double percentile(std::span<const double> sorted, double q) {
  const double place = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Metrics with equally many clusters use the same draws, so they are resampled side by side.
void resample(std::span<const ClusterSums> metrics, std::span<const std::size_t> chosen,
              std::vector<std::optional<Bounds>>& bounds) {
  constexpr std::uint32_t draws = bootstrap_draws;
  const std::size_t width = chosen.size();
  const auto clusters = static_cast<std::uint32_t>(metrics[chosen.front()].size());
  std::vector<double> table(2 * width * clusters);  // by cluster: sums, then counts
  for (std::uint32_t g = 0; g < clusters; ++g) {
    for (std::size_t m = 0; m < width; ++m) {
      table[2 * width * g + m] = metrics[chosen[m]].sum[g];
      table[2 * width * g + width + m] = static_cast<double>(metrics[chosen[m]].count[g]);
    }
  }
  std::vector<double> means(width * draws);  // by metric
  base::Progress progress("resampling", draws, "draws");
  tbb::parallel_for(std::uint32_t{0}, draws, [&](std::uint32_t draw) {
    Words words(draw);
    std::vector<double> total(2 * width, 0.0);
    for (std::uint32_t k = 0; k < clusters; ++k) {
      const double* row = table.data() + 2 * width * words.below(clusters);
      for (std::size_t c = 0; c < 2 * width; ++c) total[c] += row[c];
    }
    for (std::size_t m = 0; m < width; ++m) means[m * draws + draw] = total[m] / total[width + m];
    progress.add();
  });
  tbb::parallel_for(std::size_t{0}, width, [&](std::size_t m) {
    const std::span<double> of_metric(means.data() + m * draws, draws);
    std::ranges::sort(of_metric);
    bounds[chosen[m]] = {percentile(of_metric, 0.025), percentile(of_metric, 0.975)};
  });
}

}  // namespace

void ClusterSums::add(std::span<const double> values, std::span<const std::uint32_t> cluster,
                      std::size_t max_clusters) {
  sum.resize(max_clusters, 0.0);
  count.resize(max_clusters, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    sum[cluster[i]] += values[i];
    ++count[cluster[i]];
  }
}

void ClusterSums::drop_empty() {
  std::size_t used = 0;
  for (std::size_t g = 0; g < sum.size(); ++g) {
    if (count[g] == 0) continue;
    sum[used] = sum[g];
    count[used++] = count[g];
  }
  sum.resize(used);
  count.resize(used);
}

std::optional<Bounds> cluster_interval(const ClusterSums& clusters, double mean) {
  const auto size = static_cast<double>(clusters.size());
  if (clusters.size() < 2) return std::nullopt;
  double squares = 0.0, n = 0.0;
  for (std::size_t g = 0; g < clusters.size(); ++g) {
    const auto count = static_cast<double>(clusters.count[g]);
    const double deviation = clusters.sum[g] - count * mean;  // Σ(x_i − mean) over the cluster
    squares += deviation * deviation;
    n += count;
  }
  const double ci95_half_width = z * std::sqrt(size / (size - 1.0) * squares) / n;
  return Bounds{mean - ci95_half_width, mean + ci95_half_width};
}

std::optional<Bounds> wilson_interval(std::uint64_t clusters, bool all) {
  if (clusters < 2) return std::nullopt;
  const double n = static_cast<double>(clusters);
  return all ? Bounds{n / (n + z * z), 1.0} : Bounds{0.0, z * z / (n + z * z)};
}

std::vector<std::optional<Bounds>> bootstrap_intervals(std::span<const ClusterSums> metrics) {
  std::vector<std::optional<Bounds>> bounds(metrics.size());
  std::vector<bool> done(metrics.size(), false);
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    if (done[m] || metrics[m].size() < 2) continue;
    std::vector<std::size_t> alike;
    for (std::size_t k = m; k < metrics.size(); ++k) {
      if (metrics[k].size() != metrics[m].size()) continue;
      done[k] = true;
      alike.push_back(k);
    }
    resample(metrics, alike, bounds);
  }
  return bounds;
}

}  // namespace warpath::means
