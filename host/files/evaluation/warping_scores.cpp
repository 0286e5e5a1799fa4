#include "host/files/evaluation/warping_scores.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/reference/reference.hpp"
#include "host/files/evaluation/fast_dtw.hpp"
#include "warpath/distances.hpp"

namespace warpath::evaluation {
namespace {

// Upper bound of the distances kept at a time.
constexpr std::size_t max_bytes = std::size_t{256} << 20;

// Writes one row from the paths' sizes, their cost by FastDTW (if the convention asks for it) and
// the distance of query point j from the reference.
template <class Nearest>
void write(const definitions::PathSizes& sizes, double cost, const Nearest& nearest, double success,
           const Convention& convention, Scores& scores, std::size_t row) {
  if (convention.dtw_radius > 0) {
    reference::finish_warping(cost, success, sizes, convention, scores, row);
  }
  if (convention.ndtw == Ndtw::gaussian) {
    const double threshold = definitions::ndtw_threshold(convention);
    double sum = 0.0;
    for (std::size_t j = 0; j < sizes.query; ++j) {
      const double d = nearest(j);
      sum += std::exp(-(d * d) / (2.0 * threshold * threshold));
    }
    scores.at(Metric::nDTW, row) = sum / static_cast<double>(sizes.query);
  }
  scores.at(Metric::SDTW, row) = success * scores.at(Metric::nDTW, row);
}

// Scores pairs of one scan, whose distances have the rows of the references.
class PairWarpings {
 public:
  PairWarpings(const PairBatchView& batch, const Convention& convention, Scores& scores)
      : batch_(batch), convention_(convention), scores_(scores) {}

  void score_scan(std::uint32_t scan, std::span<const std::uint32_t> pairs) const {
    Distances distances(*batch_.scans[scan], convention_.distance);
    const std::size_t row_bytes = batch_.scans[scan]->size() * sizeof(double);
    while (!pairs.empty()) {
      std::vector<Node> targets;
      std::vector<bool> is_target(batch_.scans[scan]->size());
      std::size_t count = 0;
      for (; count < pairs.size() && targets.size() * row_bytes <= max_bytes; ++count) {
        for (const Node node : reference(pairs[count])) {
          if (!is_target[node]) targets.push_back(node);
          is_target[node] = true;
        }
      }
      distances.make_rows_to(targets);
      tbb::parallel_for(std::size_t{0}, count, [&](std::size_t k) { score(pairs[k], distances); });
      distances.clear();
      pairs = pairs.subspan(count);
    }
  }

 private:
  std::span<const Node> reference(std::uint32_t k) const {
    return batch_.references[batch_.pairs[k].reference];
  }

  void score(std::uint32_t k, Distances& distances) const {
    const auto query = batch_.queries[batch_.pairs[k].query];
    std::vector<const double*> rows;
    for (const Node node : reference(k)) rows.push_back(distances.row_to(node).data());
    const unsigned radius = convention_.dtw_radius;
    const double cost =
        radius > 0 ? fast_dtw_cost(query, rows, radius, convention_.dtw_build) : 0.0;
    if (std::isinf(cost)) return leave_out(k);
    const auto nearest = [&](std::size_t j) {
      double least = std::numeric_limits<double>::infinity();
      for (const double* row : rows) least = std::min(least, row[query[j]]);
      return least;
    };
    const double success =
        batch_.task_success.empty() ? scores_.at(Metric::SR, k) : batch_.task_success[k];
    const definitions::PathSizes sizes{.reference = rows.size(), .query = query.size()};
    write(sizes, cost, nearest, success, convention_, scores_, k);
  }

  // Ready distances may leave exact DTW a way that FastDTW's window does not hold.
  void leave_out(std::uint32_t k) const {
    for (auto& column : scores_.column) {
      if (!column.empty()) column[k] = std::numeric_limits<double>::quiet_NaN();
    }
    scores_.status[k] = Status::unreachable;
  }

  const PairBatchView& batch_;
  const Convention& convention_;
  Scores& scores_;
};

}  // namespace

void score_warpings(const PairBatchView& batch, const Convention& convention, Scores& scores) {
  if (!definitions::needs_own_warping(convention)) return;
  std::vector<std::vector<std::uint32_t>> by_scan(batch.scans.size());
  for (std::uint32_t k = 0; k < batch.pairs.size(); ++k) {
    if (scores.status[k] != Status::unreachable) by_scan[batch.pairs[k].scan].push_back(k);
  }
  const PairWarpings warpings(batch, convention, scores);
  for (std::uint32_t scan = 0; scan < by_scan.size(); ++scan) {
    if (!by_scan[scan].empty()) warpings.score_scan(scan, by_scan[scan]);
  }
}

void score_warping(std::span<const std::array<double, 3>> reference,
                   std::span<const std::array<double, 3>> query, double success,
                   const Convention& convention, Scores& scores, std::size_t row) {
  const graph::Euclid euclid(convention.distance);
  const unsigned radius = convention.dtw_radius;
  const double cost =
      radius > 0 ? fast_dtw_cost(query, reference, radius, convention.dtw_build, euclid) : 0.0;
  const auto nearest = [&](std::size_t j) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& point : reference) least = std::min(least, euclid(query[j], point));
    return least;
  };
  const definitions::PathSizes sizes{.reference = reference.size(), .query = query.size()};
  write(sizes, cost, nearest, success, convention, scores, row);
}

}  // namespace warpath::evaluation
