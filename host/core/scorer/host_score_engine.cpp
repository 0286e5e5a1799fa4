#include "host/core/scorer/host_score_engine.hpp"

#include <vector>

#include "host/core/batch/check_batch.hpp"
#include "host/core/batch/check_views.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/batch/typed_integers.hpp"
#include "host/core/cpu/check_host_batch.hpp"
#include "host/core/definitions/metric_traits.hpp"
#include "warpath/error.hpp"
#include "warpath/scorer.hpp"

namespace warpath::scorer {
namespace {

std::vector<std::uint32_t> active_rows(const Batch& batch) {
  std::vector<std::uint32_t> rows;
  rows.reserve(batch.count);
  for (std::uint32_t k = 0; k < batch.count; ++k) {
    if (batch.active == nullptr || batch.active[k] != 0) rows.push_back(k);
  }
  return rows;
}

// Lays paths one after the other as the Scorer reads them. @param path path(k) is the number of
// path k of `count`
template <class Path>
PathSet pack_viewpoints(const kernels::PathArray& from, std::size_t count, const Path& path) {
  PathSet set;
  set.offsets.reserve(count + 1);
  batch::with_type(from.nodes, [&](const auto* nodes) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto* first = nodes + from.layout.begin(path(k));
      const std::size_t begin = set.elements.size(), n = from.length(path(k));
      set.elements.resize(begin + n);
      for (std::size_t i = 0; i < n; ++i) set.elements[begin + i] = static_cast<Node>(first[i]);
      set.offsets.push_back(set.elements.size());
    }
  });
  return set;
}

template <class Path>
PointSet pack_points(const kernels::PathArray& from, std::size_t count, const Path& path) {
  PointSet set;
  set.offsets.reserve(count + 1);
  for (std::size_t k = 0; k < count; ++k) {
    const float* x = from.points_of(path(k));
    for (std::size_t i = 0, n = from.length(path(k)); i < n; ++i, x += 3) {
      set.elements.push_back({x[0], x[1], x[2]});
    }
    set.end_path();
  }
  return set;
}

// Holds columns for the active pairs alone, where there are others or where flags are asked for.
class Columns {
 public:
  Columns(const ScoreArrays& to, const MetricSet& metrics, const std::vector<std::uint32_t>& rows,
          std::uint32_t count)
      : to_(to), rows_(rows), are_apart_(rows.size() < count || to.flags != nullptr) {
    if (!are_apart_) {
      columns_.column = to.column;
      return;
    }
    for (const Metric m : batch::kernel_metrics(metrics)) {
      if (to.column[m] == nullptr && to.flags == nullptr) continue;
      own_[m].resize(rows.size());
      columns_.column[m] = own_[m].data();
    }
    if (to.flags == nullptr) return;
    status_.resize(rows.size());
    zero_rules_.resize(rows.size());
    columns_.status = status_.data();
    columns_.zero_rules = zero_rules_.data();
  }
  const ScoreColumns<float>& columns() const { return columns_; }

  void write() const {
    if (!are_apart_) return;
    for (const Metric m : MetricSet::of_paths()) {
      if (to_.column[m] == nullptr) continue;
      for (std::size_t k = 0; k < rows_.size(); ++k) to_.column[m][rows_[k]] = own_[m][k];
    }
    for (std::size_t k = 0; k < status_.size(); ++k) {
      to_.flags[rows_[k]] = definitions::flag_of(status_[k]) | zero_rules_[k];
    }
  }

 private:
  const ScoreArrays& to_;
  const std::vector<std::uint32_t>& rows_;
  const bool are_apart_;
  MetricMap<std::vector<float>> own_{};
  std::vector<Status> status_;
  std::vector<std::uint8_t> zero_rules_;
  ScoreColumns<float> columns_{};
};

ScorerOptions options_of(const ReferenceScorerOptions& options) {
  ScorerOptions made;
  made.backend = Backend::cpu;
  made.check_input = false;  // this file does
  made.metrics = options.metrics;
  made.threads = options.place.threads;
  made.graphs = options.graphs;
  return made;
}

Convention keeping_repeats(Convention convention) {
  convention.repeats = Repeats::keep;
  return convention;
}

class ScoresOnHost final : public batch::ScoreEngine {
 public:
  ScoresOnHost(std::span<const Scan* const> scans, const PathSet& references,
               std::span<const std::uint32_t> scan_of, const Convention& convention,
               const ReferenceScorerOptions& options)
      : scans_(scans.begin(), scans.end()),
        references_(references),
        scan_of_(scan_of.begin(), scan_of.end()),
        metrics_(options.metrics),
        scorer_(scans_, keeping_repeats(convention), options_of(options)) {}

  std::size_t workspace_bytes(const Batch&) const override { return 0; }
  void warm_up(const Batch&, const Call&) const override {}
  void score(const Batch& batch, const ScoreArrays& scores, const Call& call) const override {
    batch::check_count(batch.count);
    if (batch.count == 0) return;
    batch::check_no_groups(batch);
    if (batch.has_points()) {
      cpu::check_host_points(batch, "pair");
    } else {
      cpu::check_host_batch(batch, {scans_, references_, scan_of_}, "pair");
    }
    const std::vector<std::uint32_t> rows = active_rows(batch);
    if (rows.empty()) return;
    const Columns columns(scores, metrics_, rows, batch.count);
    if (batch.has_points())
      score_points(batch, rows, columns.columns(), call.watch);
    else
      score_viewpoints(batch, rows, columns.columns(), call.watch);
    columns.write();
  }

  void write_references(std::uint32_t, std::uint32_t, const PathsView&, Integers,
                        CUstream_st*) override {
    refuse("write_references", "take set_references on the host");
  }
  void clear_statistics(void*, CUstream_st*) const override { refuse_statistics(); }
  void add_to_statistics(const Batch&, void*, const Call&) const override { refuse_statistics(); }
  BatchStatistics read_statistics(const void*, CUstream_st*) const override { refuse_statistics(); }

 private:
  [[noreturn]] static void refuse(const char* call, const char* remedy) {
    throw InputError({{}, {}, call}, "is for scorers of a GPU", remedy);
  }
  [[noreturn]] static void refuse_statistics() {
    refuse("statistics", "take Scorer::statistics on the host");
  }

  void score_viewpoints(const Batch& batch, const std::vector<std::uint32_t>& rows,
                        const ScoreColumns<float>& columns, const Watch& watch) const {
    const auto row = [&](std::size_t k) { return rows[k]; };
    const PathSet queries = pack_viewpoints(batch::view_of(batch.queries), rows.size(), row);
    const kernels::IntegerArray reference = batch::view_of(batch.reference);
    std::vector<Pair> pairs(rows.size());
    for (std::uint32_t k = 0; k < rows.size(); ++k) {
      const std::uint32_t r = reference.exist() ? reference[rows[k]] : rows[k];
      pairs[k] = {r < scan_of_.size() ? scan_of_[r] : 0, r, k};
    }
    const std::vector<double> success = success_of(batch, rows);
    PairBatchView view;
    view.references = references_;
    view.queries = queries;
    view.pairs = pairs;
    view.task_success = success;
    view.scans = scans_;
    // Once more: others may have written to the arrays since, and numbers lead to memory.
    batch::check(view);
    batch::check_viewpoints(view);
    scorer_.score(view, columns, watch);
  }

  void score_points(const Batch& batch, const std::vector<std::uint32_t>& rows,
                    const ScoreColumns<float>& columns, const Watch& watch) const {
    const kernels::IntegerArray reference = batch::view_of(batch.reference);
    const std::uint32_t count = reference.exist() ? batch.reference_count : batch.count;
    const PointSet queries = pack_points(batch::view_of(batch.queries), rows.size(),
                                         [&](std::size_t k) { return rows[k]; });
    const PointSet references =
        pack_points(batch::view_of(batch.references), count,
                    [](std::size_t k) { return static_cast<std::uint32_t>(k); });
    std::vector<PointPair> pairs(rows.size());
    for (std::uint32_t k = 0; k < rows.size(); ++k) {
      pairs[k] = {reference.exist() ? reference[rows[k]] : rows[k], k};
    }
    const std::vector<double> success = success_of(batch, rows);
    PointBatchView view;
    view.references = references;
    view.queries = queries;
    view.pairs = pairs;
    view.task_success = success;
    scorer_.score(view, columns, watch);
  }

  static std::vector<double> success_of(const Batch& batch,
                                        const std::vector<std::uint32_t>& rows) {
    std::vector<double> success;
    if (batch.task_success == nullptr) return success;
    for (const std::uint32_t k : rows) success.push_back(batch.task_success[k]);
    return success;
  }

  const std::vector<const Scan*> scans_;
  const PathSet references_;
  const std::vector<std::uint32_t> scan_of_;
  const MetricSet metrics_;
  const Scorer scorer_;
};

}  // namespace

std::unique_ptr<batch::ScoreEngine> make_host_engine(std::span<const Scan* const> scans,
                                                     const PathSet& references,
                                                     std::span<const std::uint32_t> scan_of,
                                                     const Convention& convention,
                                                     const ReferenceScorerOptions& options) {
  return std::make_unique<ScoresOnHost>(scans, references, scan_of, convention, options);
}

}  // namespace warpath::scorer
