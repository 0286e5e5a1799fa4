#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <optional>

#include "host/core/graph/search.hpp"
#include "host/core/reference/batch.hpp"
#include "host/core/reference/kept_rows.hpp"

namespace warpath::reference {
namespace {

// Upper bound of the distances kept at a time.
constexpr std::size_t max_bytes = std::size_t{256} << 20;
std::vector<std::vector<std::uint32_t>> rows_by_scan(const PairBatchView& batch) {
  std::vector<std::vector<std::uint32_t>> rows(batch.scans.size());
  for (std::uint32_t row = 0; row < batch.pairs.size(); ++row) {
    rows[batch.pairs[row].scan].push_back(row);
  }
  return rows;
}

// Computes the rows that these pairs need: the distances to the references' viewpoints, and from
// all viewpoints, for the steps. @param make takes the viewpoints from and to which
template <class Make>
void make_rows(std::span<const std::uint32_t> rows, const BatchWriter& writer, std::size_t size,
               const Make& make) {
  std::vector<std::uint8_t> is_source(size, 0), is_target(size, 0);
  for (const std::uint32_t row : rows) {
    for (const Node n : writer.reference(row)) is_source[n] = is_target[n] = 1;
    for (const Node n : writer.query(row)) is_source[n] = 1;
  }
  std::vector<Node> sources, targets;
  for (Node n = 0; n < size; ++n) {
    if (is_source[n]) sources.push_back(n);
    if (is_target[n]) targets.push_back(n);
  }
  make(sources, targets);
}

bool has_rows(const Distances& distances) {
  if (distances.graph().lattice() != nullptr) return false;
  return distances.scan().size() <= KeptRows::max_viewpoints || !distances.are_searched();
}

// Scores a pair whose rows of distances are made.
void score_row(std::uint32_t row, Distances& distances, Workspace& workspace, BatchWriter& writer) {
  writer.write(row, measure(distances, writer.reference(row), writer.query(row),
                            writer.convention(), workspace));
}

void score_by_rows(std::span<const std::uint32_t> rows, Distances& distances, BatchWriter& writer) {
  make_rows(rows, writer, distances.scan().size(),
            [&](std::span<const Node> sources, std::span<const Node> targets) {
              distances.make_rows(sources);
              distances.make_rows_to(targets);
            });
  tbb::enumerable_thread_specific<Workspace> workspaces;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rows.size(), 64), [&](const auto& range) {
    Workspace& workspace = workspaces.local();
    for (std::size_t k = range.begin(); k < range.end(); ++k) {
      score_row(rows[k], distances, workspace, writer);
    }
    writer.count_done(range.size());
  });
}

void make_kept_rows(std::span<const std::uint32_t> rows, ScanRows& kept,
                    const BatchWriter& writer) {
  make_rows(rows, writer, kept.read().scan().size(),
            [&](std::span<const Node> sources, std::span<const Node> targets) {
              kept.make(sources, targets);
            });
}

// Scores the pairs on scans with kept rows, in the order of the batch: results of neighbours share
// cache lines, and pairs of one scan may lie far apart.
void score_by_kept_rows(std::span<const std::shared_ptr<ScanRows>> kept, BatchWriter& writer) {
  const std::span<const Pair> pairs = writer.batch().pairs;
  tbb::enumerable_thread_specific<Workspace> workspaces;
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pairs.size(), 64), [&](const auto& range) {
    Workspace& workspace = workspaces.local();
    std::uint64_t count = 0;
    for (std::size_t row = range.begin(); row < range.end(); ++row) {
      ScanRows* const of_scan = kept[pairs[row].scan].get();
      if (of_scan == nullptr) continue;
      score_row(static_cast<std::uint32_t>(row), of_scan->read(), workspace, writer);
      ++count;
    }
    writer.count_done(count);
  });
}

}  // namespace

void BatchWriter::write(std::uint32_t row, const Measures& measures) const {
  std::optional<double> task_success;
  if (!batch_.task_success.empty()) task_success = batch_.task_success[row];
  const definitions::PathSizes sizes{.reference = reference(row).size(),
                                     .query = query(row).size(),
                                     .query_raw = batch_.raw_query_size(row)};
  finish(measures, sizes, task_success, convention_, scores_, row);
}

Scores score(const PairBatchView& batch, const Convention& convention, const Watch* watch,
             const GraphStore* graphs) {
  Scores scores(batch.pairs.size());
  BatchWriter writer(batch, convention, scores, watch);
  const auto rows = rows_by_scan(batch);
  // Edges without a length are refused here, in the order of the scans.
  std::vector<std::optional<Distances>> small(rows.size());
  std::vector<std::shared_ptr<ScanRows>> kept(rows.size());
  std::vector<std::size_t> others;
  for (std::size_t s = 0; s < rows.size(); ++s) {
    if (rows[s].empty()) continue;
    if (graphs != nullptr) {
      kept[s] = KeptRows::of(*graphs).get(*graphs, *batch.scans[s], convention.distance);
      if (kept[s] != nullptr) continue;
    }
    Distances distances(*batch.scans[s], convention.distance);
    if (has_rows(distances) && distances.are_searched())
      small[s] = std::move(distances);
    else
      others.push_back(s);
  }
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t s) {
    if (kept[s] != nullptr) make_kept_rows(rows[s], *kept[s], writer);
    if (small[s]) score_by_rows(rows[s], *small[s], writer);
    small[s].reset();
  });
  score_by_kept_rows(kept, writer);
  for (const std::size_t s : others) {
    Distances distances(*batch.scans[s], convention.distance);
    if (has_rows(distances))
      score_by_rows(rows[s], distances, writer);
    else
      score_by_search(rows[s], distances, max_bytes, writer);
  }
  return scores;
}

}  // namespace warpath::reference
