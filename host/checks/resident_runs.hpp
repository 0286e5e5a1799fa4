#pragma once

#include <stdexcept>
#include <vector>

#include "host/checks/compare.hpp"
#include "host/checks/order.hpp"
#include "host/checks/resident_batch.hpp"
#include "host/checks/resident_scorers.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/cpu/backend.hpp"
#include "host/core/cpu/points.hpp"

// Scores batches that lie on a device, and compares the scores with the CPU's.

namespace warpath::checks {

/// Which rows of a batch are scored.
struct Rows {
  std::vector<std::uint8_t> active;
  Order scored;
};

/// Leaves out every third row, and all rows from `end` on.
inline Rows choose_rows(std::size_t count, std::size_t end) {
  Rows rows;
  for (std::size_t row = 0; row < count; ++row) {
    rows.active.push_back(row < end && row % 3 != 1);
    if (rows.active.back() != 0) rows.scored.push_back(row);
  }
  return rows;
}

/// Counts what differs, by what is compared.
struct ResidentMismatches {
  Mismatches scores, left_out, totals, bad_pairs;

  void add(const ResidentMismatches& other) {
    scores.add(other.scores);
    left_out.add(other.left_out);
    totals.add(other.totals);
    bad_pairs.add(other.bad_pairs);
  }
};

/// Scores a batch that lies on the device and adds up its statistics there.
/// @param expected, totals of the rows that are scored
template <class Scorer>
ResidentMismatches compare_resident(cuda::Device& device, const Scorer& scorer, const Batch& batch,
                                    const Rows& rows, const MetricSet& metrics,
                                    const Scores& expected, const BatchStatistics& totals) {
  ResultsOnDevice results(device, metrics, batch.count);
  const cuda::DeviceArray<char> workspace(device, scorer.workspace_bytes(batch));
  const cuda::UniqueStream stream(device);
  results.mark(stream.get());
  scorer.warm_up(batch, workspace.data(), stream.get());
  scorer.score(batch, results.view(), workspace.data(), stream.get());
  results.download(stream.get());
  device.wait(stream.get());
  ResidentMismatches found;
  found.scores =
      compare_values_and_statuses(results.scores(rows.scored), expected, results.columns());
  for (std::size_t row = 0; row < batch.count; ++row) {
    if (rows.active[row] == 0) found.left_out.add(results.is_marked(row));
  }
  try {
    found.totals =
        compare_statistics(scorer.statistics(batch, workspace.data(), stream.get()), totals);
  } catch (const std::overflow_error&) {  // by values that no kernel should have written
    found.totals.add(false);
  }
  return found;
}

/// Does the same for a batch in host memory, which it uploads.
template <class Scorer>
ResidentMismatches compare_with_cpu(cuda::Device& device, const Scorer& scorer,
                                    const PairBatch& batch, const Rows& rows,
                                    const Request& request, const Form& form) {
  const auto& [metrics, convention] = request;
  const batch::DistanceTables tables(batch.scans, convention);
  const PairBatch scored = reordered(batch, rows.scored);
  Scores expected;
  cpu::score(scored, tables, convention, {.metrics = metrics}, expected);
  const BatchStatistics totals = cpu::statistics(scored, tables, convention, {.metrics = metrics});
  const BatchOnDevice there(device, batch, rows.active, form);
  return compare_resident(device, scorer, there.view(), rows, metrics, expected, totals);
}

/// @pre coordinates are floats
template <class Scorer>
ResidentMismatches compare_with_cpu(cuda::Device& device, const Scorer& scorer,
                                    const PointBatch& batch, const Rows& rows,
                                    const Request& request, const Form& form) {
  const auto& [metrics, convention] = request;
  const Scores expected =
      cpu::score(reordered(batch, rows.scored), convention, {.metrics = metrics});
  BatchStatistics totals;
  totals.add(expected);
  const BatchOnDevice there(device, batch, rows.active, form);
  return compare_resident(device, scorer, there.view(), rows, metrics, expected, totals);
}

}  // namespace warpath::checks
