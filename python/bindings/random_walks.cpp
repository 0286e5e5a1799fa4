// Random walks against a dataset's references, with the reports of `warpath random`.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "host/files/evaluation/item_summary.hpp"
#include "host/program/report/make_report.hpp"
#include "host/program/report/walk_report.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/poll.hpp"
#include "python/bindings/report_text.hpp"
#include "python/bindings/settings.hpp"
#include "python/bindings/summary.hpp"
#include "warpath/error.hpp"

namespace warpath::python {
namespace {

RandomBaselineFiles make_files(const std::shared_ptr<GraphStore>& graphs,
                               const std::string& dataset, const std::string& steps_from,
                               std::optional<std::uint32_t> steps, const std::string& ndh_reference,
                               const InputTexts& texts) {
  RandomBaselineFiles files;
  files.graph_store = graphs;
  files.dataset = dataset;
  files.steps_from = steps_from;
  files.steps = steps;
  files.ndh_reference = ndh_reference;
  files.texts = texts;
  return files;
}

// Returns the report of walks, or of one shard "k/n" of them.
report::WalkReport run_walks(const RandomBaselineFiles& files, std::uint64_t walks,
                             std::uint64_t seed, const std::string& sample,
                             const std::string& shard, const std::string& preset,
                             const SettingTexts& settings,
                             const std::optional<std::vector<std::string>>& metrics,
                             const std::string& backend, int threads,
                             const std::vector<std::string>& command_line, nb::handle progress) {
  report::WalkReport report;
  report.convention = make_convention(preset, settings);
  report.metrics = find_metrics(metrics);
  report.printed = metrics ? report.metrics : report::headline_metrics();
  report.walks = walks;
  report.seed = seed;
  report.sample = find_walk_sample(sample);
  if (!shard.empty()) report.shard = report::parse_shard(shard);
  if (report.count() == 0) throw UsageError("there is no walk to score: ask for more of them");
  RandomBaselineOptions options;
  options.first = report.first();
  options.walks = report.count();
  options.backend = find_backend(backend);
  options.metrics = set_of(report.metrics);
  options.threads = checked_threads(threads);
  Poll(progress).run([&](const Watch& watch) {
    options.watch = watch;
    const RandomBaseline baseline(files, seed, report.sample);
    RandomBaselineResult result = baseline.statistics(report.convention, options);
    report.statistics = std::move(result.statistics);
    report.run_info = report::run_info_now(command_line, result.backend);
    report::describe_walks(baseline, report);
  });
  return report;
}

// Returns the report of a whole run whose statistics are those of all its shards.
report::WalkReport whole(const report::WalkReport& shard, const BatchStatistics& statistics) {
  report::WalkReport report = shard;
  report.shard.reset();
  report.statistics = statistics;
  if (report.is_complete()) return report;
  throw UsageError("these are not the statistics of every shard, each once");
}

}  // namespace

void bind_random_walks(nb::module_& m) {
  nb::class_<RandomBaselineFiles>(m, "RandomBaselineFiles");
  m.def("random_files", &make_files, "graphs"_a, "dataset"_a, "steps_from"_a, "steps"_a.none(),
        "ndh_reference"_a, "texts"_a);
  nb::class_<report::WalkReport>(m, "WalkReport")
      .def_prop_ro("statistics", [](const report::WalkReport& report) { return report.statistics; })
      .def(
          "summary",
          [](const report::WalkReport& report) {
            return summary_of(evaluation::summarize_independent(report.statistics.summary),
                              report.metrics);
          },
          nb::sig("def summary(self) -> " WARPATH_SUMMARY_TYPE))
      .def(
          "signature",
          [](const report::WalkReport& report, bool is_short) {
            return signature_line(report::signature_of(report), is_short);
          },
          "is_short"_a)
      .def("whole", &whole, "statistics"_a)
      .def(
          "json",
          [](const report::WalkReport& report, bool run_info, bool flat_names) {
            return to_str(report::report_json(report, {run_info, flat_names}));
          },
          "run_info"_a, "flat_names"_a)
      .def("csv",
           [](const report::WalkReport& report) { return to_str(report::report_csv(report)); })
      .def(
          "text",
          [](const report::WalkReport& report, const std::string& style, int width, bool percent,
             int digits, bool intervals) {
            return printed_parts(report, print_options(style, width, percent, digits, intervals));
          },
          "style"_a, "width"_a, "percent"_a, "digits"_a, "intervals"_a,
          nb::sig("def text(self, style: str, width: int, percent: bool, digits: int, intervals: "
                  "bool) -> tuple[str, str, str]"));
  m.def("run_walks", &run_walks, "files"_a, "walks"_a, "seed"_a, "sample"_a, "shard"_a, "preset"_a,
        "settings"_a, "metrics"_a.none(), "backend"_a, "threads"_a, "command_line"_a,
        "progress"_a.none());
}

}  // namespace warpath::python
