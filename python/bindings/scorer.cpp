#include "python/bindings/scorer.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <exception>
#include <tuple>
#include <utility>

#include "host/core/batch/arena.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/columns.hpp"
#include "python/bindings/poll.hpp"
#include "python/bindings/settings.hpp"

namespace warpath::python {
namespace {

// Holds what a call was given, and the batch that is made of it.
class Call {
 public:
  Call(GrowingScorer& scorer, nb::handle references, nb::handle queries, nb::handle scans,
       nb::handle task_success)
      : references_(references, "references"),
        queries_(queries, "queries"),
        memory_(scorer.path_memory()),
        threads_(scorer.threads()) {
    references_.use_memory(memory_.take());
    queries_.use_memory(memory_.take());
    const std::size_t pairs = queries_.size();
    if (references_.size() != pairs) {
      throw InputError({"references"},
                       fmt::format("has {} paths for {} queries", references_.size(), pairs),
                       "give the reference of each query");
    }
    if (pairs > 0 && references_.has_points() != queries_.has_points()) {
      throw InputError({"queries"}, "and references differ: only one of them has points",
                       "give viewpoints in both, or points in both");
    }
    if (has_points()) {
      standing_ = scorer.standing();
      references_.read_points();
      queries_.read_points();
    } else {
      scans_ = read_scans(scans, pairs, scorer, standing_);
      references_.read_ids(scans_);
      queries_.read_ids(scans_);
    }
    if (!task_success.is_none()) success_ = array_of(task_success, 1, "task_success");
  }

  ~Call() {
    memory_.give_back(references_.give_back());
    memory_.give_back(queries_.give_back());
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::size_t pairs() const { return queries_.size(); }

  /// Returns where the arrays lie that are read.
  std::vector<Extent> inputs() const {
    std::vector<Extent> all;
    references_.add_extents(all);
    queries_.add_extents(all);
    if (success_) all.push_back(extent_of(*success_));
    return all;
  }

  /// Calls use(scorer, batch) with a view of the batch. @pre without the GIL
  template <class Use>
  auto with_batch(Use&& use) {
    read_success();
    return has_points() ? use(*standing_->scorer, points()) : use(*standing_->scorer, viewpoints());
  }

 private:
  bool has_points() const { return queries_.has_points(); }

  void read_success() {
    if (!success_) return;
    visit_floats(*success_, "task_success", [&](const auto& value) {
      task_success_.resize(success_->shape(0));
      for (std::size_t p = 0; p < task_success_.size(); ++p) task_success_[p] = value(p);
    });
  }

  // Packs references and queries, side by side if there are many. Where both are wrong the error is
  // that of the references.
  template <class Pack>
  auto pack_both(const Pack& pack) {
    constexpr std::size_t many_pairs = 4096;
    std::pair<decltype(pack(references_)), decltype(pack(queries_))> packed;
    const auto pack_references = [&] { packed.first = pack(references_); };
    const auto pack_queries = [&] { packed.second = pack(queries_); };
    if (pairs() < many_pairs) {
      pack_references();
      pack_queries();
      return packed;
    }
    std::exception_ptr error;
    tbb::task_arena arena(batch::arena_size(threads_));
    arena.execute([&] {
      tbb::task_group group;
      group.run(pack_queries);
      try {
        pack_references();
      } catch (...) {
        error = std::current_exception();
      }
      try {
        group.wait();
      } catch (...) {
        if (!error) error = std::current_exception();
      }
    });
    if (error) std::rethrow_exception(error);
    return packed;
  }

  PairBatchView viewpoints() {
    pairs_.reserve(pairs());
    for (std::uint32_t p = 0; p < pairs(); ++p) pairs_.push_back({scans_[p], p, p});
    PairBatchView batch;
    batch.scans = scans_.scans;
    std::tie(batch.references, batch.queries) = pack_both([](auto& paths) { return paths.pack(); });
    batch.pairs = pairs_;
    batch.task_success = task_success_;
    return batch;
  }

  PointBatchView points() {
    point_pairs_.reserve(pairs());
    for (std::uint32_t p = 0; p < pairs(); ++p) point_pairs_.push_back({p, p});
    PointBatchView batch;
    std::tie(batch.references, batch.queries) =
        pack_both([](auto& paths) { return paths.pack_points(); });
    batch.pairs = point_pairs_;
    batch.task_success = task_success_;
    return batch;
  }

  PathArgument references_, queries_;
  std::shared_ptr<const StandingScorer> standing_;
  PathMemory& memory_;
  int threads_;
  ScanOfPair scans_;
  std::optional<Array> success_;
  std::vector<double> task_success_;
  std::vector<Pair> pairs_;
  std::vector<PointPair> point_pairs_;
};

// What Python holds; warpath/scorer.py is its public form.
class ScorerObject {
 public:
  ScorerObject(std::shared_ptr<const GraphStore> graphs, const std::vector<std::string>& scans,
               const std::string& preset, const SettingTexts& settings,
               const std::vector<std::string>& metrics, const std::string& backend, int threads)
      : metrics_(find_metrics(metrics)) {
    ScorerOptions options;
    options.backend = find_backend(backend);
    options.metrics = set_of(metrics_);
    options.threads = checked_threads(threads);
    const Convention convention = make_convention(preset, settings);
    const nb::gil_scoped_release release;
    scorer_ = std::make_unique<GrowingScorer>(std::move(graphs), scans, convention, options);
  }

  std::vector<std::string> scans() const { return scorer_->standing()->names; }

  nb::tuple backend(std::size_t pairs) const {
    const ResolvedBackend resolved = scorer_->standing()->scorer->backend(pairs);
    return nb::make_tuple(to_str(name(resolved.backend)), to_str(resolved.note));
  }

  nb::dict score(nb::handle references, nb::handle queries, nb::handle scans,
                 nb::handle task_success, nb::handle progress) {
    Call call(*scorer_, references, queries, scans, task_success);
    auto scores = std::make_unique<Scores>(0, MetricSet());
    Poll(progress).run([&](const Watch& watch) {
      *scores = call.with_batch(
          [&](const Scorer& scorer, const auto& batch) { return scorer.score(batch, watch); });
    });
    return to_numpy(std::move(scores), metrics_);
  }

  void score_into(nb::handle references, nb::handle queries, nb::handle scans,
                  nb::handle task_success, nb::handle progress, const nb::dict& out) {
    Call call(*scorer_, references, queries, scans, task_success);
    const auto write = [&](const auto& columns) {
      Poll(progress).run([&](const Watch& watch) {
        call.with_batch(
            [&](const Scorer& scorer, const auto& batch) { scorer.score(batch, columns, watch); });
      });
    };
    if (has_floats(out)) {
      write(columns_of<float>(out, call.pairs(), call.inputs()));
    } else {
      write(columns_of<double>(out, call.pairs(), call.inputs()));
    }
  }

  BatchStatistics statistics(nb::handle references, nb::handle queries, nb::handle scans,
                             nb::handle task_success, nb::handle progress) {
    Call call(*scorer_, references, queries, scans, task_success);
    BatchStatistics found;
    Poll(progress).run([&](const Watch& watch) {
      found = call.with_batch(
          [&](const Scorer& scorer, const auto& batch) { return scorer.statistics(batch, watch); });
    });
    return found;
  }

 private:
  std::vector<Metric> metrics_;
  std::unique_ptr<GrowingScorer> scorer_;
};

}  // namespace

void bind_scorer(nb::module_& m) {
  nb::class_<ScorerObject>(m, "Scorer")
      .def(nb::init<std::shared_ptr<const GraphStore>, const std::vector<std::string>&,
                    const std::string&, const SettingTexts&, const std::vector<std::string>&,
                    const std::string&, int>(),
           "graphs"_a, "scans"_a, "preset"_a, "settings"_a, "metrics"_a, "backend"_a, "threads"_a)
      .def_prop_ro("scans", &ScorerObject::scans)
      .def("backend", &ScorerObject::backend, "pairs"_a,
           nb::sig("def backend(self, pairs: int) -> tuple[str, str]"))
      .def("score", &ScorerObject::score, "references"_a.none(), "queries"_a.none(),
           "scans"_a.none(), "task_success"_a.none(), "progress"_a.none(),
           nb::sig("def score(self, references: object, queries: object, scans: object, "
                   "task_success: object, progress: object) -> dict[str, "
                   "numpy.typing.NDArray[typing.Any]]"))
      .def("score_into", &ScorerObject::score_into, "references"_a.none(), "queries"_a.none(),
           "scans"_a.none(), "task_success"_a.none(), "progress"_a.none(), "out"_a,
           nb::sig("def score_into(self, references: object, queries: object, scans: object, "
                   "task_success: object, progress: object, out: dict[str, "
                   "numpy.typing.NDArray[typing.Any]]) -> None"))
      .def("statistics", &ScorerObject::statistics, "references"_a.none(), "queries"_a.none(),
           "scans"_a.none(), "task_success"_a.none(), "progress"_a.none());
}

}  // namespace warpath::python
