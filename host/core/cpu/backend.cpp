#include "host/core/cpu/backend.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "host/core/base/progress.hpp"
#include "host/core/batch/check_batch.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/packed_window.hpp"
#include "host/core/cpu/pieces.hpp"
#include "host/core/cpu/shared_table.hpp"
#include "host/core/cpu/summarizer.hpp"

namespace warpath::cpu {
namespace {

// Upper bound of the cells of the pairs that are packed together.
constexpr double window_cells = 4e6;

// Names a range of rows of the batch, or of a list of rows, that one thread scores at a time.
struct Piece {
  std::size_t begin, end;
  bool shared;  // all pairs have one reference
};

// Holds the memory of one call, beside its windows.
struct CallMemory {
  std::vector<std::uint32_t> rows, uses, scan_of, shared;
  std::vector<Piece> pieces;
};

const CpuKernels& instruction_set(const Options& options) {
  return options.kernels != nullptr ? *options.kernels : chosen_kernels();
}

double mean_size(const PathView<Node>& paths) {
  return paths.size() == 0
             ? 0.0
             : static_cast<double>(paths.elements.size()) / static_cast<double>(paths.size());
}

// Resizes `values` without keeping its elements; its capacity is kept.
template <class T>
void resize_without_copy(std::vector<T>& values, std::size_t size) {
  values.clear();
  values.resize(size);
}

}  // namespace

struct Memory::Parts {
  tbb::enumerable_thread_specific<PackedWindow> windows;
  std::mutex mutex;
  std::vector<std::unique_ptr<CallMemory>> free;

  std::unique_ptr<CallMemory> take() {
    const std::lock_guard lock(mutex);
    if (free.empty()) return std::make_unique<CallMemory>();
    std::unique_ptr<CallMemory> memory = std::move(free.back());
    free.pop_back();
    return memory;
  }
  void give_back(std::unique_ptr<CallMemory> memory) {
    const std::lock_guard lock(mutex);
    free.push_back(std::move(memory));
  }
};

Memory::Memory() : parts_(std::make_unique<Parts>()) {}
Memory::~Memory() = default;

namespace {

// Passes the results of each window to a sink: take(rows, outputs), which any thread may call.
template <class Sink>
class BatchScorer {
 public:
  BatchScorer(const PairBatchView& batch, const batch::DistanceTables& tables,
              const Convention& convention, const Options& options, Sink& sink, Memory& memory)
      : batch_(batch),
        options_(options),
        tables_(tables),
        isa_(instruction_set(options)),
        job_{tables.distance(),
             batch::make_rules(options.metrics, convention, !batch.task_success.empty(),
                               tables.are_connected())},
        kernel_metrics_(batch::kernel_metrics(options.metrics)),
        mean_query_(mean_size(batch.queries)),
        sink_(sink),
        cls_lengths_(batch::make_cls_lengths(batch, convention, options.metrics)),
        memory_(memory.parts()),
        call_(memory_.take()) {}
  ~BatchScorer() { memory_.give_back(std::move(call_)); }
  BatchScorer(const BatchScorer&) = delete;
  BatchScorer& operator=(const BatchScorer&) = delete;

  void run() {
    call_->rows.clear();
    call_->pieces.clear();
    if (!tables_.has_all()) call_->rows = batch::rows_with_table(batch_, tables_);
    window_ = window_size();
    if (isa_.score_shared == nullptr || !count_uses()) {
      add_pieces(0, row_count());
    } else if (is_grouped_) {
      add_pieces_of_groups();
    } else {
      add_pieces(gather_shared(), row_count());
    }
    score_pieces();
  }

 private:
  // Returns the number of pairs in a window. It is smaller for long pairs, so that memory is
  // bounded, and for small batches, so that all threads have work.
  std::size_t window_size() const {
    const double cells = (1.0 + mean_size(batch_.references)) * (1.0 + mean_size(batch_.queries));
    const auto pairs = static_cast<std::size_t>(window_cells / cells);
    return std::min({options_.window, share_of_thread(), std::max<std::size_t>(pairs, isa_.lanes)});
  }

  // Returns the number of pairs in a window that gives each thread so many that it waits little for
  // the others at the end, but not so few pairs that those of different sizes get into one group:
  // windows of 512 pairs cost no more than larger ones, those of 8 groups a third more, those of 4
  // groups half as much again.
  std::size_t share_of_thread() const {
    constexpr std::size_t windows_each = 16, min_groups = 8;
    const std::size_t threads = thread_count();
    if (threads == 1) return options_.window;
    const std::size_t lanes = isa_.lanes, share = row_count() / (windows_each * threads);
    return std::max(share / lanes, min_groups) * lanes;
  }

  std::size_t thread_count() const {
    using tbb::global_control;
    const int threads =
        options_.threads > 0 ? options_.threads : tbb::this_task_arena::max_concurrency();
    return std::min<std::size_t>(
        threads, global_control::active_value(global_control::max_allowed_parallelism));
  }

  // A reference's own table costs a look-up for each of its entries. It pays once the queries have
  // half as many cells again as the table has entries.
  bool is_shared(const Pair& pair) const {
    const std::uint32_t uses = call_->uses[pair.reference + 1];
    return uses >= static_cast<std::uint32_t>(isa_.lanes) &&
           pair.scan == call_->scan_of[pair.reference] &&  // a path of two scans has a table for
                                                           // the first only
           batch_.references.size_of(pair.reference) <= shared_pitch &&
           tables_.is_symmetric(pair.scan) &&
           2.0 * uses * mean_query_ > 3.0 * tables_[pair.scan].pad;
  }

  // Cuts rows that share no reference into windows.
  void add_pieces(std::size_t begin, std::size_t end) {
    for (; begin < end; begin += window_) {
      call_->pieces.push_back({begin, std::min(begin + window_, end), false});
    }
  }

  // Cuts rows of one reference into windows.
  void add_shared_pieces(std::size_t begin, std::size_t end) {
    for (; begin < end; begin += window_) {
      call_->pieces.push_back({begin, std::min(begin + window_, end), true});
    }
  }

  const Pair& pair_at(std::size_t k) const { return batch_.pairs[has_list() ? call_->rows[k] : k]; }

  // Makes pieces if the pairs of each reference are neighbours already.
  void add_pieces_of_groups() {
    std::size_t begin = 0, done = 0;
    while (begin < row_count()) {
      const Pair& first = pair_at(begin);
      const std::size_t end = begin + call_->uses[first.reference + 1];
      if (is_shared(first)) {
        add_pieces(done, begin);
        add_shared_pieces(begin, end);
        done = end;
      }
      begin = end;
    }
    add_pieces(done, row_count());
  }

  // Rows to score: those of call_->rows, or all of the batch if there is no list.
  bool has_list() const { return !tables_.has_all() || !call_->rows.empty(); }
  std::size_t row_count() const { return has_list() ? call_->rows.size() : batch_.pairs.size(); }

  // Moves the pairs of shared references to the front, grouped by reference, and makes pieces of
  // them. Returns their number.
  std::size_t gather_shared() {
    std::vector<std::uint32_t>& rows = call_->rows;
    if (rows.empty()) {
      resize_without_copy(rows, batch_.pairs.size());
      std::iota(rows.begin(), rows.end(), 0u);
    }
    const auto single = std::stable_partition(
        rows.begin(), rows.end(), [&](std::uint32_t row) { return is_shared(batch_.pairs[row]); });
    call_->shared.assign(rows.begin(), single);
    std::vector<std::uint32_t>& end = call_->uses;  // reused from here on: positions in the order
    std::ranges::fill(end, 0u);
    for (const std::uint32_t row : call_->shared) ++end[batch_.pairs[row].reference + 1];
    std::partial_sum(end.begin(), end.end(), end.begin());
    for (const std::uint32_t row : call_->shared) rows[end[batch_.pairs[row].reference]++] = row;
    std::size_t begin = 0;
    for (const std::uint32_t next : call_->uses) {
      const std::size_t stop = std::min<std::size_t>(next, call_->shared.size());
      add_shared_pieces(begin, stop);
      begin = stop;
    }
    return call_->shared.size();
  }

  // Counts the uses of each reference and finds out whether its pairs are neighbours. Returns
  // whether any is used often enough for its own table.
  bool count_uses() {
    resize_without_copy(call_->uses, batch_.references.size() + 1);
    resize_without_copy(call_->scan_of, batch_.references.size());
    std::uint32_t max_uses = 0, references = 0, groups = 0;
    const Pair* previous = nullptr;
    const auto count = [&](const Pair& pair) {
      std::uint32_t& uses = call_->uses[pair.reference + 1];
      if (uses++ == 0) {
        call_->scan_of[pair.reference] = pair.scan;
        ++references;
      }
      max_uses = std::max(max_uses, uses);
      groups += previous == nullptr || previous->reference != pair.reference ||
                previous->scan != pair.scan;
      previous = &pair;
    };
    if (has_list()) {
      for (const std::uint32_t row : call_->rows) count(batch_.pairs[row]);
    } else {
      for (const Pair& pair : batch_.pairs) count(pair);
    }
    is_grouped_ = groups == references;
    return max_uses >= static_cast<std::uint32_t>(isa_.lanes);
  }

  void score_pieces() {
    base::Progress progress("scoring", row_count(), "pairs", options_.watch);
    for_each_piece(call_->pieces.size(), options_.threads, [&](std::size_t k) {
      const Piece& piece = call_->pieces[k];
      score_piece(piece, memory_.windows.local());
      progress.add(piece.end - piece.begin);
    });
  }

  void score_piece(const Piece& piece, PackedWindow& window) {
    const std::size_t count = piece.end - piece.begin;
    const std::span<const std::uint32_t> rows =
        has_list() ? std::span<const std::uint32_t>(call_->rows).subspan(piece.begin, count)
                   : window.consecutive_rows(static_cast<std::uint32_t>(piece.begin), count);
    if (!window.pack(rows, batch_, tables_, cls_lengths_, isa_, piece.shared)) {
      batch::check_viewpoints(batch_);  // throws
    }
    const ResultView& out = window.outputs(kernel_metrics_);
    if (piece.shared) make_shared_table(batch_.pairs[window.row(0)], window.shared_table);
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

  void make_shared_table(const Pair& pair, std::vector<float>& table) const {
    table.resize(shared_entries(tables_[pair.scan].pad, shared_pitch));
    fill_shared_table(isa_, tables_, pair.scan, batch_.references[pair.reference], shared_pitch,
                      table.data());
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

  const PairBatchView batch_;
  const Options options_;
  const batch::DistanceTables& tables_;
  const CpuKernels& isa_;
  const KernelArguments job_;
  const std::vector<Metric> kernel_metrics_;
  const double mean_query_;  // mean number of viewpoints
  std::size_t window_ = 0;   // pairs
  bool is_grouped_ = false;  // the pairs of each reference are neighbours
  Sink& sink_;
  const batch::ClsLengths cls_lengths_;
  Memory::Parts& memory_;
  std::unique_ptr<CallMemory> call_;
};

template <class T>
class ScoreSink {
 public:
  ScoreSink(const PairBatchView& batch, const ScoreColumns<T>& columns) : writer_(batch, columns) {}

  void take(const batch::ResultRows& rows, const ResultView& out) const {
    for (const Metric m : writer_.kernel_metrics()) writer_.write(m, rows, out.column[index_of(m)]);
    writer_.write_flags(rows, out.flags);
  }

 private:
  const batch::ResultWriter<T> writer_;
};

}  // namespace

template <class T>
void score(const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, const ScoreColumns<T>& columns,
           Memory& memory) {
  Options of_columns = options;
  of_columns.metrics = columns.metrics();
  ScoreSink<T> sink(batch, columns);
  BatchScorer(batch, tables, convention, of_columns, sink, memory).run();
}

template void score(const PairBatchView&, const batch::DistanceTables&, const Convention&,
                    const Options&, const ScoreColumns<float>&, Memory&);
template void score(const PairBatchView&, const batch::DistanceTables&, const Convention&,
                    const Options&, const ScoreColumns<double>&, Memory&);

void score(const PairBatchView& batch, const batch::DistanceTables& tables,
           const Convention& convention, const Options& options, Scores& scores) {
  scores.resize(batch.pairs.size(), options.metrics);
  Memory memory;
  score(batch, tables, convention, options, columns_of(scores), memory);
}

Scores score(const PairBatchView& batch, const Convention& convention, const Options& options) {
  Scores scores;
  score(batch, batch::DistanceTables(batch.scans, convention), convention, options, scores);
  return scores;
}

BatchStatistics statistics(const PairBatchView& batch, const batch::DistanceTables& tables,
                           const Convention& convention, const Options& options, Memory& memory) {
  Summarizer sink(batch, options.metrics, instruction_set(options));
  BatchScorer(batch, tables, convention, options, sink, memory).run();
  return sink.total();
}

BatchStatistics statistics(const PairBatchView& batch, const batch::DistanceTables& tables,
                           const Convention& convention, const Options& options) {
  Memory memory;
  return statistics(batch, tables, convention, options, memory);
}

}  // namespace warpath::cpu
