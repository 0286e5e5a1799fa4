#include "warpath/points.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/batch/request.hpp"
#include "host/cpu/points.hpp"
#include "host/cuda/points.hpp"
#include "host/reference/reference.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr double max_coordinate =
    1e12;  // metres; squares and sums stay far from the ends of a float

void check_paths(const PointSet& paths, std::string_view kind) {
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const auto path = paths[p];
    const InputError::Where where{{}, fmt::format("{} {}", kind, p)};
    if (path.empty())
      throw InputError(where, "has no points", "give at least one, or leave it out");
    for (std::size_t k = 0; k < path.size(); ++k) {
      for (const double x : path[k]) {
        if (std::abs(x) <= max_coordinate) continue;
        throw InputError({{}, where.item, fmt::format("point {}", k)},
                         fmt::format("the coordinate {:g} is no length in metres", x),
                         fmt::format("give finite coordinates up to {:g} m", max_coordinate));
      }
    }
  }
}

void check(const PointBatch& batch) {
  check_paths(batch.references, "reference");
  check_paths(batch.queries, "query");
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    const PointPair& pair = batch.pairs[k];
    if (pair.reference < batch.references.size() && pair.query < batch.queries.size()) continue;
    throw InputError({{}, fmt::format("pair {}", k)},
                     fmt::format("names reference {} of {} and query {} of {}", pair.reference,
                                 batch.references.size(), pair.query, batch.queries.size()),
                     "number paths from 0");
  }
  if (!batch.task_success.empty() && batch.task_success.size() != batch.pairs.size()) {
    throw InputError(
        {{}, {}, "task_success"},
        fmt::format("has {} values for {} pairs", batch.task_success.size(), batch.pairs.size()),
        "give one for each pair, or none");
  }
}

PointBatch collapsed(const PointBatch& batch) {
  PointBatch other{batch.references, {}, batch.pairs, batch.task_success};
  for (std::size_t p = 0; p < batch.queries.size(); ++p) {
    const auto query = batch.queries[p];
    for (std::size_t k = 0; k < query.size(); ++k) {
      if (k == 0 || query[k] != query[k - 1]) other.queries.elements.push_back(query[k]);
    }
    other.queries.end_path();
  }
  return other;
}

Scores score_checked(const PointBatch& batch, const Convention& convention, Backend backend,
                     const MetricSet& metrics) {
  switch (batch::fits_single_precision(convention) ? backend : Backend::reference) {
    case Backend::reference:
      return reference::score(batch, convention, metrics);
    case Backend::cuda:
      return cuda::score(*cuda::device_or_error(), batch, convention, {metrics});
    default:
      return cpu::score(batch, convention, {metrics});
  }
}

}  // namespace

Scores score(const PointBatch& batch, const Convention& convention, Backend backend,
             const MetricSet& metrics) {
  check(batch);
  if (convention.repeats == Repeats::keep) {
    return score_checked(batch, convention, backend, metrics);
  }
  Scores scores = score_checked(collapsed(batch), convention, backend, metrics);
  if (metrics[Metric::n_query_raw]) {
    for (std::size_t row = 0; row < scores.size(); ++row) {
      scores.at(Metric::n_query_raw, row) =
          static_cast<double>(batch.queries.size_of(batch.pairs[row].query));
    }
  }
  return scores;
}

}  // namespace warpath
