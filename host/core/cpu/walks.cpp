#include "host/core/cpu/walks.hpp"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "host/core/base/progress.hpp"
#include "host/core/batch/arena.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/shared_table.hpp"
#include "host/core/cpu/thread_statistics.hpp"
#include "host/core/walks/walk_pieces.hpp"
#include "kernels/metrics/flags.hpp"

namespace warpath::cpu {
namespace {

using walks::WalkPiece;
using walks::WalkPieces;

// Walks of a piece are sorted by their number of steps, and their results are added up together.
constexpr std::uint32_t max_piece = 2048;

// Holds what all threads of a call read.
struct Job {
  const RandomWalks& walks;
  const walks::WalkTables& tables;
  const CpuKernels& kernels;
  const KernelArguments arguments;
  const std::vector<Metric> metrics;  // that kernels compute
  const MetricSet counts;             // that are numbers of viewpoints
  const std::uint32_t asked_flags;
  std::uint32_t max_steps = tables.steps.steps[tables.steps.kinds - 1];
};

// Scores the pieces of one thread and adds them up. Memory is kept from piece to piece.
class WalkWorker {
 public:
  explicit WalkWorker(const Job& job)
      : job_(job),
        statistics_(job.kernels),
        numbers_(max_piece + max_lanes),
        sorted_(numbers_.size()),
        steps_(numbers_.size()),
        steps_below_(job.max_steps + std::size_t{2}),
        flags_(2 * max_piece + max_lanes) {
    for (const Metric m : job_.metrics) columns_[m].resize(flags_.size());
  }

  void score(const WalkPiece& piece) {
    if (piece.count == 0) return;
    load_reference(piece.reference);
    task_.walks.high = piece.high;
    sort_by_steps(piece);
    const ResultView out = results();
    const std::size_t groups = (piece.count + job_.kernels.lanes - 1) / job_.kernels.lanes;
    job_.kernels.walks->score(job_.arguments, task_, groups, workspace_, out);
    count_viewpoints(piece.count, out.flags);
    filled_ += piece.count;
    if (filled_ >= max_piece) add_results();
  }

  // Returns the statistics of all pieces. @throws std::overflow_error
  const BatchStatistics& fold() {
    add_results();
    return statistics_.fold();
  }

 private:
  // Makes the table of a reference, unless the previous piece had the same.
  void load_reference(std::uint32_t r) {
    if (r == reference_) return;
    reference_ = r;
    const auto path = job_.walks.references()[r];
    const std::uint32_t s = job_.walks.scan_of()[r];
    const batch::DistanceTables& tables = job_.tables.distances;
    const ScanTable& scan = tables[s];
    const int n = static_cast<int>(path.size()), pitch = walk_pitch(n);
    table_.resize(shared_entries(scan.pad, pitch));
    fill_shared_table(job_.kernels, tables, s, path, pitch, table_.data());
    task_ = {.graph = job_.tables.edges[s].view(),
             .steps = &job_.tables.steps,
             .walks = {{}, {}, job_.tables.seed},
             .numbers = nullptr,
             .start = walks::start_word(*job_.walks.scans()[s], path.front()),
             .reference = {table_.data(), pitch},
             .inputs = {.n = n,
                        .m = 0,
                        .reference_length = tables.path_length(s, path),
                        .cls_query_length = 0.0f,
                        .cls_reference_length = 0.0f,
                        .start_to_goal = tables.distance(s, path.front(), path.back()),
                        .task_success = 0.0f}};
  }

  // Walks of the same number of steps are scored together, because lanes wait for the longest.
  void sort_by_steps(const WalkPiece& piece) {
    const std::uint32_t filled = whole_groups(piece.count);
    for (std::uint32_t k = 0; k < filled; ++k) {
      numbers_[k] = piece.number(std::min(k, piece.count - 1));
    }
    task_.numbers = numbers_.data();
    job_.kernels.walks->draw_steps(task_, filled, steps_.data());
    std::ranges::fill(steps_below_, 0u);
    for (std::uint32_t k = 0; k < piece.count; ++k) ++steps_below_[steps_[k] + std::size_t{1}];
    std::partial_sum(steps_below_.begin(), steps_below_.end(), steps_below_.begin());
    for (std::uint32_t k = 0; k < piece.count; ++k)
      sorted_[steps_below_[steps_[k]]++] = numbers_[k];
    std::fill(sorted_.begin() + piece.count, sorted_.begin() + filled, sorted_[piece.count - 1]);
    task_.numbers = sorted_.data();
  }

  std::uint32_t whole_groups(std::uint32_t walks) const {
    const auto lanes = static_cast<std::uint32_t>(job_.kernels.lanes);
    return (walks + lanes - 1) / lanes * lanes;
  }

  // Returns where the results of a piece go: behind those that are not added up yet. The last group
  // of the previous piece wrote there, too, for lanes without a walk.
  ResultView results() {
    ResultView out{};
    for (const Metric m : job_.metrics) out.column[index_of(m)] = columns_[m].data() + filled_;
    out.flags = flags_.data() + filled_;
    return out;
  }

  // Adds the metrics that are numbers of viewpoints. After sorting, steps_below_[s] is the number
  // of walks of at most s steps.
  void count_viewpoints(std::uint32_t count, const std::uint32_t* flags) {
    if (job_.counts.empty()) return;
    std::uint32_t unreachable = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
      unreachable += (flags[k] & kernels::flag_unreachable) != 0;
    }
    // A walk stays among the viewpoints that its start reaches, so that either all walks of a
    // reference reach its viewpoints, or none does.
    if (unreachable > 0) return;
    const std::size_t size = job_.walks.references()[reference_].size();
    for (std::uint32_t s = 0, below = 0; s <= job_.max_steps; below = steps_below_[s++]) {
      const std::uint32_t times = steps_below_[s] - below;
      if (times == 0) continue;
      const definitions::PathSizes sizes{size, s + std::size_t{1}, s + std::size_t{1}};
      for (const Metric m : job_.counts) {
        statistics_.add_count(m, sizes.*definitions::traits(m).count, times);
      }
    }
  }

  void add_results() {
    for (const Metric m : job_.metrics) statistics_.add(m, {columns_[m].data(), filled_});
    statistics_.count_items({flags_.data(), filled_}, job_.asked_flags);
    filled_ = 0;
  }

  const Job& job_;
  ThreadStatistics statistics_;
  Workspace workspace_;
  std::uint32_t reference_ = kernels::no_row;  // whose table is in table_
  std::vector<float> table_;
  WalkTask task_{};
  std::vector<std::uint32_t> numbers_, sorted_, steps_, steps_below_;
  MetricMap<std::vector<float>> columns_;
  std::vector<std::uint32_t> flags_;
  std::size_t filled_ = 0;  // results that are not added up yet
};

}  // namespace

BatchStatistics statistics(const RandomWalks& walks, const walks::WalkTables& tables,
                           const Convention& convention, const Options& options,
                           std::uint64_t first, std::uint64_t count) {
  const CpuKernels& kernels = options.kernels != nullptr ? *options.kernels : chosen_kernels();
  const Job job{walks,
                tables,
                kernels,
                {tables.distances.distance(), batch::make_rules(options.metrics, convention, false,
                                                                tables.distances.are_connected())},
                batch::kernel_metrics(options.metrics),
                batch::counted_metrics(options.metrics),
                batch::flags_of(options.metrics)};
  tbb::enumerable_thread_specific<WalkWorker> workers([&job] { return WalkWorker(job); });
  tbb::task_arena arena(batch::arena_size(options.threads));
  base::Progress progress("walking", count, "walks", options.watch);
  const auto score = [&](const WalkPieces& pieces) {
    tbb::parallel_for(std::size_t{0}, pieces.size(), [&](std::size_t k) {
      const WalkPiece piece = pieces[k];
      workers.local().score(piece);
      progress.add(piece.count);
    });
  };
  arena.execute([&] { WalkPieces::for_each_cut(walks, first, count, max_piece, score); });
  BatchStatistics all;
  for (WalkWorker& worker : workers) all.merge(worker.fold());
  all.precision = Precision::single_precision;
  return all;
}

}  // namespace warpath::cpu
