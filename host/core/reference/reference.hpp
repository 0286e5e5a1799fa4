#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "host/core/definitions/metric_traits.hpp"
#include "warpath/convention.hpp"
#include "warpath/distances.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"
#include "warpath/watch.hpp"

namespace warpath {
class GraphStore;
}

/// Implements the reference back end: double precision, directly from the equations, as simple as
/// possible. It validates the fast back ends and explains single items.
namespace warpath::reference {

/// Holds the quantities that the metrics of one pair are computed from. They depend on the
/// convention only by its distance, steps inside CLS and edit unit. Lengths are in metres (edges
/// under hops), +inf if there is no path; the lengths inside CLS are NaN if a step has none.
struct Measures {
  double query_length = 0.0;                                  ///< PL(Q)
  double reference_length = 0.0;                              ///< PL(R)
  double cls_query_length = 0.0, cls_reference_length = 0.0;  ///< inside CLS
  double shortest = 0.0;                                      ///< d(q_1, r_|R|)
  double start_to_goal = 0.0;                                 ///< d(r_1, r_|R|)
  double error = 0.0;                                         ///< d(q_|Q|, r_|R|)
  double oracle_error = 0.0;                                  ///< min_q d(q, r_|R|)
  double mean_deviation = 0.0;                                ///< mean_q d(q, R)
  double max_deviation = 0.0;                                 ///< max_q d(q, R)
  double coverage = 0.0;                                      ///< mean_r exp(−d(Q, r) / d_th)
  double warping_cost = 0.0;                                  ///< DTW
  std::uint64_t edits = 0;                                    ///< edit distance
  std::size_t reference_symbols = 0, query_symbols = 0;       ///< that `edits` compares
};

/// Holds the working memory of measuring; one per thread, so that a pair allocates nothing.
struct Workspace {
  std::vector<const double*> rows;
  std::vector<Node> columns;  // 0, 1, 2, …
  std::vector<double> reference_steps, query_steps;
  std::vector<double> distance, nearest, warped;  // of one column, by viewpoint of the reference
  std::vector<std::uint64_t> reference_symbols, query_symbols, edits;
};

/// Measures a pair of paths. @pre neither path is empty.
Measures measure(Distances& distances, std::span<const Node> reference, std::span<const Node> query,
                 const Convention& convention, Workspace& workspace);

/// Measures a pair of continuous paths, see scorer.hpp.
/// @param warps whether DTW is asked for, which a convention may take otherwise; 0 if not
Measures measure(std::span<const std::array<double, 3>> reference,
                 std::span<const std::array<double, 3>> query, const Convention& convention,
                 bool warps, Workspace& workspace);

/// Writes row `row` of `scores`: every metric, the status and the zero rules.
/// @param task_success SDTW's success instead of SR; NaN: no SDTW; absent: SR.
void finish(const Measures& measures, const definitions::PathSizes& sizes,
            std::optional<double> task_success, const Convention& convention, Scores& scores,
            std::size_t row);

/// Writes SR and what depends on it, SPL and SED, of a row whose other columns are finished. SDTW
/// is left as it is, since a task success may have decided it.
/// @param spl_length the length of an ideal path, which SPL compares with PL
void finish_success(bool is_success, double spl_length, const definitions::PathSizes& sizes,
                    const Convention& convention, Scores& scores, std::size_t row);

/// Returns a success times ideal length / max(PL, ideal length), as SPL does, with the same rule
/// for 0/0.
double weighted_by_length(double success, double ideal_length, const Convention& convention,
                          Scores& scores, std::size_t row);

/// Writes DTW, nDTW and SDTW of a row whose other columns are finished, for another warping cost.
/// @param success that SDTW takes
void finish_warping(double cost, double success, const definitions::PathSizes& sizes,
                    const Convention& convention, Scores& scores, std::size_t row);

/// Writes ED and SED of a row whose other columns are finished, for another edit distance.
void finish_edits(std::uint64_t edits, const definitions::PathSizes& sizes,
                  const Convention& convention, Scores& scores, std::size_t row);

/// Returns the convention's edit distance of two paths, neither of which is empty.
std::uint64_t edit_distance(std::span<const Node> reference, std::span<const Node> query,
                            const Convention& convention, Workspace& workspace);

/// Returns the divisor of DTW in nDTW, besides the threshold. @param reference_length PL(R)
double ndtw_norm(const Convention& convention, const definitions::PathSizes& sizes,
                 double reference_length);

/// Returns d(q_j, r_i) for all i (rows) and j (columns).
Eigen::MatrixXd distance_matrix(Distances& distances, std::span<const Node> reference,
                                std::span<const Node> query);

/// Holds an optimal warping of the reference (rows of `distance`) onto the query (columns).
struct Warping {
  double cost = 0.0;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> steps;  ///< (i, j) from (0, 0) to the end
};

/// Finds an optimal warping (Ilharco et al. 2019, Algorithm 1). Of equally cheap predecessors it
/// takes the first of (i−1, j), (i, j−1), (i−1, j−1).
Warping optimal_warping(const Eigen::MatrixXd& distance);

/// Removes what was not asked for: the columns of other metrics, and the statuses and rules that
/// concern only those. An unreachable pair stays unreachable.
/// @pre the scores are of all metrics.
void restrict_to(const MetricSet& metrics, Scores& scores);

/// Scores a whole batch on all cores, every metric. The bits do not depend on the number of cores.
/// @param watch null: none; likewise below
/// @param graphs keeps the rows of distances of its small scans for later calls; null: nobody does
Scores score(const PairBatchView& batch, const Convention& convention, const Watch* watch = nullptr,
             const GraphStore* graphs = nullptr);
/// Scores continuous paths, these metrics only; keeps repeated points of the queries. @pre the
/// batch is as scorer.hpp asks.
Scores score(const PointBatchView& batch, const Convention& convention, const MetricSet& metrics,
             const Watch* watch = nullptr);

}  // namespace warpath::reference
