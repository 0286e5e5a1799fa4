#include "host/core/cpu/points.hpp"

#include <tbb/enumerable_thread_specific.h>

#include <algorithm>
#include <limits>

#include "host/core/base/progress.hpp"
#include "host/core/batch/point_results.hpp"
#include "host/core/batch/point_stage.hpp"
#include "host/core/batch/results.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/pieces.hpp"

namespace warpath::cpu {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

template <class T>
class PointScorer {
 public:
  PointScorer(const PointBatchView& batch, const Convention& convention, const CpuKernels& isa,
              const ScoreColumns<T>& columns)
      : batch_(batch),
        convention_(convention),
        isa_(isa),
        job_{nullptr, batch::point_rules(batch, convention, columns.metrics())},
        kernel_metrics_(batch::kernel_metrics(columns.metrics())),
        columns_(columns),
        results_(batch, columns) {}

  void run(int threads, const Watch* watch) {
    const std::vector<Piece> pieces = make_pieces();
    base::Progress progress("scoring", batch_.pairs.size(), "pairs", watch);
    tbb::enumerable_thread_specific<ThreadState> states([this] {
      return ThreadState{batch::PointStage(convention_, job_.rules.quantities), {}, {}};
    });
    for_each_piece(pieces.size(), threads, [&](std::size_t k) {
      ThreadState& state = states.local();
      for (std::size_t row = pieces[k].begin; row < pieces[k].end; ++row) score_row(row, state);
      progress.add(pieces[k].end - pieces[k].begin);
    });
  }

 private:
  struct Piece {
    std::size_t begin, end, cost;
  };

  // Holds the working memory of one thread.
  struct ThreadState {
    batch::PointStage stage;
    Workspace workspace{};
    MetricMap<float> value{};
    std::uint32_t flags{};
  };

  // Cuts the rows into pieces of neighbours, so that pairs of one reference stay together. The
  // longest pieces come first, so that none is left for the end.
  std::vector<Piece> make_pieces() const {
    constexpr std::size_t enough = std::size_t{1} << 20;  // cells
    std::vector<Piece> pieces;
    Piece next{0, 0, 0};
    for (const PointPair& pair : batch_.pairs) {
      const std::size_t n = batch_.references.size_of(pair.reference);
      const std::size_t m = batch_.queries.size_of(pair.query);
      next.cost += n * m + 16 * (n + m);
      ++next.end;
      if (next.cost >= enough) {
        pieces.push_back(next);
        next = {next.end, next.end, 0};
      }
    }
    if (next.end > next.begin) pieces.push_back(next);
    std::ranges::stable_sort(pieces, std::ranges::greater{}, &Piece::cost);
    return pieces;
  }

  void score_row(std::size_t row, ThreadState& state) {
    const PointPair& pair = batch_.pairs[row];
    const batch::PointPath query = batch_.queries[pair.query];
    const PointTask& task =
        state.stage.task(batch_.references[pair.reference], query,
                         batch_.task_success.empty() ? no_value : batch_.task_success[row]);
    ResultView out{};
    for (const Metric m : kernel_metrics_) out.column[index_of(m)] = &state.value[m];
    out.flags = &state.flags;
    isa_.score_points(job_, task, 0, state.workspace, out);
    for (const Metric m : kernel_metrics_) columns_.column[m][row] = T{state.value[m]};
    results_.write(row, state.flags);
  }

  const PointBatchView batch_;
  const Convention& convention_;
  const CpuKernels& isa_;
  const KernelArguments job_;
  const std::vector<Metric> kernel_metrics_;
  const ScoreColumns<T> columns_;
  const batch::PointResults<T> results_;
};

}  // namespace

template <class T>
void score(const PointBatchView& batch, const Convention& convention, const PointOptions& options,
           const ScoreColumns<T>& columns) {
  const CpuKernels& isa = options.kernels != nullptr ? *options.kernels : chosen_kernels();
  PointScorer<T>(batch, convention, isa, columns).run(options.threads, options.watch);
}

template void score(const PointBatchView&, const Convention&, const PointOptions&,
                    const ScoreColumns<float>&);
template void score(const PointBatchView&, const Convention&, const PointOptions&,
                    const ScoreColumns<double>&);

Scores score(const PointBatchView& batch, const Convention& convention,
             const PointOptions& options) {
  Scores scores(batch.pairs.size(), options.metrics);
  score(batch, convention, options, columns_of(scores));
  return scores;
}

}  // namespace warpath::cpu
