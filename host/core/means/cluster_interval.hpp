#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpath::means {

/// Adds the values of one metric up by cluster. Items of one cluster depend on each other, clusters
/// do not.
struct ClusterSums {
  std::vector<double> sum;           ///< of the values, by cluster
  std::vector<std::uint64_t> count;  ///< of the values, by cluster

  ClusterSums() = default;
  /// Adds all values and leaves out clusters without one.
  ClusterSums(std::span<const double> values, std::span<const std::uint32_t> cluster,
              std::size_t max_clusters) {
    add(values, cluster, max_clusters);
    drop_empty();
  }

  /// Adds values to those before. Clusters keep their numbers; some may have no value.
  /// @param values NaN means no value.
  /// @param cluster of each value, below `max_clusters`.
  void add(std::span<const double> values, std::span<const std::uint32_t> cluster,
           std::size_t max_clusters);
  /// Leaves out clusters without a value, as the functions below want it.
  void drop_empty();

  std::size_t size() const { return sum.size(); }
};

using Bounds = std::array<double, 2>;

/// Returns mean ± 1.96·√(G/(G−1)·Σ_g(Σ_{i∈g}(x_i − mean))²)/n over G clusters; nothing if G < 2.
std::optional<Bounds> cluster_interval(const ClusterSums& clusters, double mean);

/// Returns Wilson's bounds for a rate of 0 or 1 in G clusters; nothing if G < 2.
std::optional<Bounds> wilson_interval(std::uint64_t clusters, bool all);

/// Number of bootstrap draws, each of as many clusters as there are.
inline constexpr std::uint32_t bootstrap_draws = 10'000;

/// Returns percentile bootstrap intervals of the means of several metrics. Each of
/// `bootstrap_draws` draws takes as many clusters as there are, with replacement. Bounds are the
/// 2.5th and the 97.5th percentile (interpolated linearly) of the means of the draws; nothing for a
/// metric with fewer than two clusters. Draw b takes its random words from Philox with the counter
/// (word / 4, b, 0, 0) and the key 0, so the bounds are the same on any number of threads.
std::vector<std::optional<Bounds>> bootstrap_intervals(std::span<const ClusterSums> metrics);

}  // namespace warpath::means
