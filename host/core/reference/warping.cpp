#include <algorithm>
#include <limits>

#include "host/core/reference/reference.hpp"

namespace warpath::reference {

Eigen::MatrixXd distance_matrix(Distances& distances, std::span<const Node> reference,
                                std::span<const Node> query) {
  Eigen::MatrixXd d(reference.size(), query.size());
  for (Eigen::Index i = 0; i < d.rows(); ++i) {
    const auto row = distances.row_to(reference[i]);
    for (Eigen::Index j = 0; j < d.cols(); ++j) d(i, j) = row[query[j]];
  }
  return d;
}

Warping optimal_warping(const Eigen::MatrixXd& d) {
  const Eigen::Index rows = d.rows(), columns = d.cols();
  // Row and column 0 are the border, so C(i, j) is the cost of warping the first i viewpoints onto
  // the first j.
  Eigen::MatrixXd cost =
      Eigen::MatrixXd::Constant(rows + 1, columns + 1, std::numeric_limits<double>::infinity());
  cost(0, 0) = 0.0;
  for (Eigen::Index j = 1; j <= columns; ++j) {
    for (Eigen::Index i = 1; i <= rows; ++i) {
      cost(i, j) = d(i - 1, j - 1) + std::min({cost(i - 1, j), cost(i, j - 1), cost(i - 1, j - 1)});
    }
  }

  Warping warping{cost(rows, columns), {}};
  for (Eigen::Index i = rows, j = columns; i > 0 && j > 0;) {
    warping.steps.emplace_back(i - 1, j - 1);
    const double best = std::min({cost(i - 1, j), cost(i, j - 1), cost(i - 1, j - 1)});
    if (cost(i - 1, j) == best) {
      --i;
    } else if (cost(i, j - 1) == best) {
      --j;
    } else {
      --i, --j;
    }
  }
  std::ranges::reverse(warping.steps);
  return warping;
}

}  // namespace warpath::reference
