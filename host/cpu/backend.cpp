#include "host/cpu/backend.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "host/batch/distance_tables.hpp"
#include "host/batch/request.hpp"
#include "host/batch/results.hpp"
#include "host/cpu/cpu_kernels.hpp"
#include "host/cpu/packed_window.hpp"
#include "host/cpu/summarizer.hpp"
#include "host/io/progress.hpp"

namespace warpath::cpu {
namespace {

// Of the pairs that are packed together.
constexpr double window_cells = 4e6;

// Results go, window after window, to a sink: take(rows, outputs), by any thread.
template <class Sink>
class Scorer {
 public:
  Scorer(const PairBatch& batch, const batch::DistanceTables& tables, const Convention& convention,
         const Options& options, Sink& sink)
      : batch_(batch),
        options_(options),
        tables_(tables),
        isa_(chosen_kernels()),
        job_{tables.distance(),
             batch::make_rules(options.metrics, convention, !batch.task_success.empty(),
                               tables.are_connected())},
        kernel_metrics_(batch::kernel_metrics(options.metrics)),
        sink_(sink),
        cls_lengths_(batch::make_cls_lengths(batch, convention, options.metrics)),
        rows_(batch::rows_with_table(batch, tables)) {}

  void run() {
    const std::size_t shared = gather_shared();
    const std::size_t window = window_size();
    for (std::size_t k = shared; k < rows_.size(); k += window) {
      pieces_.push_back({k, std::min(k + window, rows_.size()), false});
    }
    score_pieces();
  }

 private:
  // Pairs in a window: fewer of long ones, so that all threads have work and memory is bounded.
  std::size_t window_size() const {
    if (rows_.empty()) return options_.window;
    const auto mean = [](const PathSet& paths) {
      return 1.0 + static_cast<double>(paths.elements.size()) / static_cast<double>(paths.size());
    };
    const double cells = mean(batch_.references) * mean(batch_.queries);
    const auto pairs = static_cast<std::size_t>(window_cells / cells);
    return std::min(options_.window, std::max<std::size_t>(pairs, isa_.lanes));
  }

  // A reference's own table costs a look-up for each of its cells; it pays once its queries have
  // more cells than that by half.
  bool is_shared(const Pair& pair, std::uint32_t uses) const {
    const std::size_t n = batch_.references.size_of(pair.reference);
    return uses >= static_cast<std::uint32_t>(isa_.lanes) && n <= shared_pitch &&
           tables_.is_symmetric(pair.scan) &&
           2 * uses * batch_.queries.size_of(pair.query) >
               3 * static_cast<std::size_t>(tables_[pair.scan].pad);
  }

  // Brings the pairs of shared references to the front, reference after reference, and makes pieces
  // of them. Returns their number.
  std::size_t gather_shared() {
    if (isa_.score_shared == nullptr) return 0;
    std::vector<std::uint32_t> end(batch_.references.size() + 1, 0);  // uses, then places in order
    std::vector<std::uint32_t> scan_of(batch_.references.size());
    for (const std::uint32_t row : rows_) {
      const Pair& pair = batch_.pairs[row];
      if (end[pair.reference + 1]++ == 0) scan_of[pair.reference] = pair.scan;
    }
    if (std::ranges::max(end) < static_cast<std::uint32_t>(isa_.lanes)) return 0;
    // Ids that are a path in two scans have a table in the first only.
    const auto single = std::ranges::stable_partition(rows_, [&](std::uint32_t row) {
      const Pair& pair = batch_.pairs[row];
      return pair.scan == scan_of[pair.reference] && is_shared(pair, end[pair.reference + 1]);
    });
    const std::vector<std::uint32_t> shared(rows_.begin(), single.begin());
    std::ranges::fill(end, 0u);
    for (const std::uint32_t row : shared) ++end[batch_.pairs[row].reference + 1];
    std::partial_sum(end.begin(), end.end(), end.begin());
    for (const std::uint32_t row : shared) rows_[end[batch_.pairs[row].reference]++] = row;
    std::size_t begin = 0;
    for (const std::uint32_t next : end) {
      for (; begin < std::min<std::size_t>(next, shared.size());) {
        const std::size_t stop = std::min<std::size_t>(next, begin + options_.window);
        pieces_.push_back({begin, stop, true});
        begin = stop;
      }
    }
    return shared.size();
  }

  void score_pieces() {
    tbb::enumerable_thread_specific<PackedWindow> windows;
    tbb::task_arena arena(options_.threads > 0 ? options_.threads : tbb::task_arena::automatic);
    Progress progress("scoring", rows_.size(), "pairs");
    arena.execute([&] {
      tbb::parallel_for(std::size_t{0}, pieces_.size(), [&](std::size_t k) {
        score_piece(pieces_[k], windows.local());
        progress.add(pieces_[k].end - pieces_[k].begin);
      });
    });
  }

  struct Piece {
    std::size_t begin, end;  // of rows_
    bool shared;             // all of one reference
  };

  void score_piece(const Piece& piece, PackedWindow& window) {
    window.pack({rows_.data() + piece.begin, piece.end - piece.begin}, batch_, tables_,
                cls_lengths_, isa_, piece.shared);
    const ResultView& out = window.outputs(kernel_metrics_);
    if (piece.shared) fill_shared_table(batch_.pairs[window.row(0)], window.shared_table);
    for (std::size_t g = 0; g < window.groups(); ++g) {
      if (piece.shared) {
        isa_.score_shared(job_, window.tasks(), g, window.shared_table.data(), window.workspace,
                          out);
      } else if (window.tasks().groups[g].shape == shape_single_pair) {
        score_alone(window, g, out);
      } else {
        isa_.score_group(job_, window.tasks(), g, window.workspace, out);
      }
    }
    sink_.take({{window.rows(), window.pairs()}, window.in_order()}, out);
  }

  void fill_shared_table(const Pair& pair, std::vector<float>& table) const {
    const auto reference = batch_.references[pair.reference];
    const ScanTable& scan = tables_[pair.scan];
    const float* rows[shared_pitch];
    for (std::size_t i = 0; i < reference.size(); ++i) {
      rows[i] = tables_.distance() + scan.base + std::size_t{reference[i]} * scan.pitch;
    }
    table.resize(shared_entries(scan.pad));
    isa_.fill_shared(rows, static_cast<int>(reference.size()), scan.pad, table.data());
  }

  void score_alone(PackedWindow& window, std::size_t g, const ResultView& out) {
    const PairGroupData& tasks = window.tasks();
    const std::size_t begin = g * isa_.lanes;
    const bool length = job_.rules.quantities & kernels::quantity_reference;
    for (std::size_t p = begin; p < std::min(begin + isa_.lanes, window.pairs()); ++p) {
      const Pair& pair = batch_.pairs[window.row(p)];
      const auto reference = batch_.references[pair.reference];
      const LongTask task{
          .reference = reference.data(),
          .query = batch_.queries[pair.query].data(),
          .table = tables_[pair.scan],
          .inputs = {
              .n = tasks.n[p],
              .m = tasks.m[p],
              .reference_length = length ? tables_.path_length(pair.scan, reference) : 0.0f,
              .cls_query_length = tasks.cls_query_length[p],
              .cls_reference_length = tasks.cls_reference_length[p],
              .start_to_goal = tables_.distance(pair.scan, reference.front(), reference.back()),
              .task_success = tasks.task_success[p]}};
      isa_.score_long(job_, task, p, window.workspace, out);
    }
  }

  const PairBatch& batch_;
  const Options& options_;
  const batch::DistanceTables& tables_;
  const CpuKernels& isa_;
  const KernelArguments job_;
  const std::vector<Metric> kernel_metrics_;
  Sink& sink_;
  const batch::ClsLengths cls_lengths_;
  std::vector<std::uint32_t> rows_;  // of pairs whose scan has a table, in the order of pieces
  std::vector<Piece> pieces_;
};

class ScoreSink {
 public:
  ScoreSink(const PairBatch& batch, const MetricSet& metrics, Scores& scores)
      : writer_(batch, metrics, scores) {}

  void take(const batch::ResultRows& rows, const ResultView& out) const {
    for (const Metric m : writer_.kernel_metrics()) writer_.write(m, rows, out.column[index_of(m)]);
    writer_.write_flags(rows, out.flags);
  }

 private:
  const batch::ResultWriter writer_;
};

}  // namespace

void score(const PairBatch& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, Scores& scores) {
  scores.resize(batch.pairs.size(), options.metrics);
  ScoreSink sink(batch, options.metrics, scores);
  Scorer(batch, tables, convention, options, sink).run();
  batch::score_without_table(batch, tables, convention, options.metrics, scores);
}

Scores score(const PairBatch& batch, const Convention& convention, const Options& options) {
  Scores scores;
  score(batch, batch::DistanceTables(batch.scans, convention), convention, options, scores);
  return scores;
}

BatchStatistics summarize(const PairBatch& batch, const batch::DistanceTables& tables,
                          const Convention& convention, const Options& options) {
  Summarizer sink(batch, options.metrics);
  Scorer(batch, tables, convention, options, sink).run();
  BatchStatistics summary = sink.total();
  batch::summarize_without_table(batch, tables, convention, options.metrics, summary);
  return summary;
}

}  // namespace warpath::cpu
