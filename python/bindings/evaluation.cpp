// Evaluations of predictions against a dataset, with the reports of `warpath eval`.
#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/refusals.hpp"
#include "host/program/report/explain.hpp"
#include "host/program/report/explained_item.hpp"
#include "host/program/report/make_report.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/columns.hpp"
#include "python/bindings/explained.hpp"
#include "python/bindings/held_predictions.hpp"
#include "python/bindings/own_metrics.hpp"
#include "python/bindings/poll.hpp"
#include "python/bindings/report_text.hpp"
#include "python/bindings/settings.hpp"
#include "python/bindings/summary.hpp"
#include "warpath/error.hpp"

namespace warpath::python {
namespace {

using Names = std::optional<std::vector<std::string>>;

// Reads files once and scores them; keeps the report, and what explanations need.
class Evaluation {
 public:
  Evaluation(const EvalFiles& files, const std::string& preset, const SettingTexts& settings,
             const HeldByName& held_by_name) {
    report_.convention = make_convention(preset, settings);
    const bool are_files = files.texts.empty() && held_by_name.empty();
    evaluation::HeldPredictions held;
    for (const auto& [name, agent] : held_by_name) held.emplace(name, agent.read);
    const nb::gil_scoped_release release;
    auto inputs = std::make_unique<evaluation::Inputs>(
        files, evaluation::Kept{.instructions = !are_files}, evaluation::EpisodeUse::taken, held);
    inputs_ = inputs.get();
    evaluator_ = std::make_unique<Evaluator>(std::move(inputs));
    items_ = evaluator_->items();
    if (are_files) files_ = files;
  }

  std::size_t items() const { return items_; }

  void score(report::ReportRequest request, const SettingTexts& settings,
             const std::vector<std::string>& also, nb::handle progress) {
    if (is_scored_) throw UsageError("an evaluation is scored once; make another");
    request.convention = report_.convention;
    if (also == std::vector<std::string>{"all"}) {
      request.every_preset = [&](std::string_view preset) {
        return make_convention(std::string(preset), settings);
      };
    } else {
      for (const std::string& preset : also) {
        request.also.push_back(make_convention(preset, settings));
      }
    }
    Poll(progress).run([&](const Watch& watch) {
      request.options.watch = watch;
      report_ = report::make_report(*evaluator_, request);
      is_scored_ = true;
      if (files_) {
        inputs_ = nullptr;
        evaluator_.reset();
      }
    });
  }

  const report::EvalReport& report() const { return report_; }
  const AgentResult& agent(std::size_t a) const { return report_.runs.at(a); }

  std::string explain(const std::string& item, int width) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return warpath::report::explain(inputs(), item, report_.convention, width);
  }

  // Returns the items' ids and instructions, in the order of the dataset.
  std::vector<std::pair<std::string, std::string>> instructions() {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    const formats::Dataset& dataset = inputs().dataset;
    std::vector<std::pair<std::string, std::string>> texts;
    for (std::size_t k = 0; k < dataset.instructions.size(); ++k) {
      texts.emplace_back(dataset.items[k].id, dataset.instructions[k]);
    }
    return texts;
  }

  std::vector<report::ExplainedItem> explain_items(const std::vector<std::string>& ids) {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(mutex_);
    return warpath::report::explain_items(inputs(), ids, report_.convention);
  }

 private:
  // Returns the inputs, read again if need be. @pre mutex_ is held
  evaluation::Inputs& inputs() {
    if (inputs_ == nullptr) {
      read_again_ = std::make_unique<evaluation::Inputs>(
          *files_, evaluation::Kept{.instructions = true}, evaluation::EpisodeUse::taken);
      inputs_ = read_again_.get();
    }
    evaluation::refuse_test_split(inputs_->dataset);
    return *inputs_;
  }

  report::EvalReport report_;
  std::size_t items_ = 0;
  bool is_scored_ = false;
  // Explanations need the inputs. Those of files are dropped after scoring and read again; those of
  // texts in memory stay, since numbered viewpoints take a small part of what the texts take.
  std::optional<EvalFiles> files_;
  std::unique_ptr<Evaluator> evaluator_;
  std::unique_ptr<evaluation::Inputs> read_again_;
  evaluation::Inputs* inputs_ = nullptr;
  std::mutex mutex_;
};

nb::list groups(const Evaluation& evaluation, std::size_t agent, const std::string& by) {
  const report::EvalReport& report = evaluation.report();
  std::vector<Group> found;
  {
    const nb::gil_scoped_release release;
    found = group(evaluation.agent(agent), find_group_by(by), report.convention, report.interval);
  }
  nb::list out;
  for (const Group& g : found) {
    out.append(nb::make_tuple(to_str(g.name), summary_of(g.summary, report.metrics, report.own)));
  }
  return out;
}

// Returns name, numbers of the runs, summary and deviations of each agent that has several runs.
nb::list run_groups(const Evaluation& evaluation) {
  nb::list out;
  for (const RunGroup& group : evaluation.report().run_groups) {
    nb::dict deviations;
    for (const Metric m : evaluation.report().metrics)
      deviations[to_str(info(m).name)] = group.deviations[m];
    for (std::size_t k = 0; k < group.own_deviations.size(); ++k)
      deviations[to_str(evaluation.report().own[k].name)] = group.own_deviations[k];
    const std::string reference =
        group.reference.empty() ? "" : fmt::format(" [{}]", group.reference);
    out.append(nb::make_tuple(
        to_str(group.agent + reference), group.runs,
        summary_of(group.summary, evaluation.report().metrics, evaluation.report().own),
        deviations));
  }
  return out;
}

// Returns the values of one metric by item, NaN for none.
nb::object column(const AgentResult& run, Metric metric) {
  const std::vector<double>& of_pairs = run.scores.column[metric];
  auto values = std::make_unique<std::vector<double>>();
  values->reserve(run.rows.size());
  for (const ItemRow& row : run.rows) {
    values->push_back(row.pair ? of_pairs[*row.pair] : std::numeric_limits<double>::quiet_NaN());
  }
  const std::size_t size = values->size();
  return to_numpy(std::move(values), {size});
}

// Returns what numpy.asarray makes of a list of these texts: an array of texts as wide as the
// longest.
template <class TextOf>
nb::object text_column(const std::vector<ItemRow>& rows, const TextOf& text_of) {
  std::size_t width = 1;
  bool is_ascii = !rows.empty();
  for (const ItemRow& row : rows) {
    const std::string_view text = text_of(row);
    width = std::max(width, text.size());
    is_ascii &= std::ranges::all_of(text, [](unsigned char c) { return c > 0 && c < 0x80; });
  }
  if (!is_ascii) {
    nb::list texts;
    for (const ItemRow& row : rows) texts.append(to_str(text_of(row)));
    return texts;
  }
  auto made = std::make_unique<std::vector<std::uint32_t>>(rows.size() * width);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::ranges::copy(text_of(rows[r]), made->begin() + static_cast<std::ptrdiff_t>(r * width));
  }
  std::vector<std::uint32_t>* const kept = made.get();
  const nb::capsule owner(
      kept, [](void* p) noexcept { delete static_cast<std::vector<std::uint32_t>*>(p); });
  made.release();  // NOLINT: the capsule owns it
  const nb::object characters =
      nb::ndarray<nb::numpy, std::uint32_t>(kept->data(), {rows.size() * width}, owner).cast();
  return characters.attr("view")(to_str(fmt::format("U{}", width)));
}

// Returns a column for each of what describes the items, then an array for each metric.
nb::dict per_item(const Evaluation& evaluation, std::size_t agent) {
  const AgentResult& run = evaluation.agent(agent);
  nb::dict out;
  const auto add = [&](const char* name, const auto& text_of) {
    out[name] = text_column(run.rows, text_of);
  };
  add("instr_id", [](const ItemRow& row) { return std::string_view(row.instr_id); });
  add("scan", [](const ItemRow& row) { return std::string_view(row.scan); });
  add("language", [](const ItemRow& row) { return std::string_view(row.language); });
  add("status", [](const ItemRow& row) { return info(row.status).name; });
  for (const Metric m : evaluation.report().metrics) out[to_str(info(m).name)] = column(run, m);
  for (const OwnColumn& own : run.own) {
    auto values = std::make_unique<std::vector<double>>(own.values);
    out[to_str(own.metric.name)] = to_numpy(std::move(values), {own.values.size()});
  }
  return out;
}

report::ReportRequest make_request(const Names& metrics, const std::string& backend,
                                   const std::string& interval, const std::string& by, bool strict,
                                   const std::vector<std::string>& command_line) {
  report::ReportRequest request;
  request.metrics = find_metrics(metrics, MetricSet::all());
  if (metrics) {
    request.printed = request.metrics;
    request.named = MetricSet(request.metrics);
  }
  request.by = find_group_by(by);
  request.options = {find_backend(backend), find_interval(interval), strict};
  request.command_line = command_line;
  return request;
}

EvalFiles make_files(const std::shared_ptr<GraphStore>& graphs, const std::string& dataset,
                     const std::vector<std::string>& predictions,
                     const std::vector<std::string>& names, const std::string& pairs, bool merge,
                     const std::vector<std::string>& task_success, const std::string& ndh_reference,
                     const std::string& objects, InputTexts texts, const std::string& coordinates,
                     bool sub_instructions, const std::string& ground_truth,
                     const std::vector<std::string>& distances, const std::string& navmesh,
                     const std::string& habitat, const std::string& geodesic,
                     const std::string& grid, const std::string& connect, double snap, bool runs,
                     const std::string& tours, const std::string& split) {
  EvalFiles files;
  files.graph_store = graphs;
  files.dataset = dataset;
  files.predictions = predictions;
  files.names = names;
  files.pairs = pairs;
  files.merge = merge;
  files.task_success = task_success;
  files.ndh_reference = ndh_reference;
  files.objects = objects;
  files.texts = std::move(texts);
  files.coordinates = coordinates;
  files.sub_instructions = sub_instructions;
  files.ground_truth = ground_truth;
  files.distances = distances;
  files.navmesh = navmesh;
  files.habitat = habitat;
  files.geodesic = geodesic;
  files.grid = grid;
  files.connect = connect;
  files.snap = snap;
  files.runs = runs;
  files.tours = tours;
  files.split = split;
  return files;
}

void bind_class(nb::module_& m) {
  nb::class_<Evaluation>(m, "Evaluation")
      .def(nb::init<const EvalFiles&, const std::string&, const SettingTexts&, const HeldByName&>(),
           "files"_a, "preset"_a, "settings"_a, "held"_a = HeldByName())
      .def_prop_ro("items", &Evaluation::items)
      .def(
          "score",
          [](Evaluation& e, const Names& metrics, const std::string& backend,
             const std::string& interval, const std::string& by, bool strict,
             const std::vector<std::string>& command_line, const SettingTexts& settings,
             const std::vector<std::string>& also, nb::handle progress,
             const std::vector<OwnMetricRow>& own, nb::handle compute_own) {
            report::ReportRequest request =
                make_request(metrics, backend, interval, by, strict, command_line);
            request.options.own = own_metrics_of(own, compute_own);
            e.score(std::move(request), settings, also, progress);
          },
          "metrics"_a.none(), "backend"_a, "interval"_a, "by"_a, "strict"_a, "command_line"_a,
          "settings"_a, "also"_a, "progress"_a.none(), "own"_a = std::vector<OwnMetricRow>(),
          "compute_own"_a.none() = nb::none())
      .def(
          "names",
          [](const Evaluation& e) {
            nb::list names;
            for (const AgentResult& run : e.report().runs) names.append(to_str(run.name));
            return names;
          },
          nb::sig("def names(self) -> list[str]"))
      .def(
          "summary",
          [](const Evaluation& e, std::size_t agent) {
            return summary_of(e.agent(agent).summary, e.report().metrics, e.report().own);
          },
          "agent"_a, nb::sig("def summary(self, agent: int) -> " WARPATH_SUMMARY_TYPE))
      .def(
          "signature",
          [](const Evaluation& e, std::size_t agent, bool is_short) {
            const report::EvalReport& report = e.report();
            return signature_line(report::signature_of(report, e.agent(agent), report.convention),
                                  is_short);
          },
          "agent"_a, "is_short"_a)
      .def("run_groups", &run_groups,
           nb::sig("def run_groups(self) -> list[tuple[str, list[int], " WARPATH_SUMMARY_TYPE
                   ", dict[str, float | None]]]"))
      .def("groups", &groups, "agent"_a, "by"_a,
           nb::sig("def groups(self, agent: int, by: str) -> list[tuple[str, " WARPATH_SUMMARY_TYPE
                   "]]"))
      .def("per_item", &per_item, "agent"_a,
           nb::sig("def per_item(self, agent: int) -> dict[str, typing.Any]"))
      .def("explain", &Evaluation::explain, "item"_a, "width"_a)
      .def(
          "explain_items",
          [](Evaluation& e, const std::vector<std::string>& items) {
            return to_dicts(e.explain_items(items), e.report().metrics);
          },
          "items"_a,
          nb::sig("def explain_items(self, items: collections.abc.Sequence[str]) -> "
                  "list[dict[str, typing.Any]]"))
      .def(
          "instructions",
          [](Evaluation& e) {
            nb::dict texts;
            for (const auto& [id, text] : e.instructions()) texts[to_str(id)] = to_str(text);
            return texts;
          },
          nb::sig("def instructions(self) -> dict[str, str]"))
      .def(
          "json",
          [](const Evaluation& e, bool run_info, bool flat_names, bool items) {
            return to_str(report::report_json(e.report(), {run_info, flat_names, items}));
          },
          "run_info"_a, "flat_names"_a, "items"_a = false)
      .def("csv", [](const Evaluation& e) { return to_str(report::report_csv(e.report())); })
      .def(
          "text",
          [](const Evaluation& e, const std::string& style, int width, bool percent, int digits,
             bool intervals) {
            return printed_parts(e.report(),
                                 print_options(style, width, percent, digits, intervals));
          },
          "style"_a, "width"_a, "percent"_a, "digits"_a, "intervals"_a,
          nb::sig("def text(self, style: str, width: int, percent: bool, digits: int, intervals: "
                  "bool) -> tuple[str, str, str]"));
}

}  // namespace

void bind_evaluation(nb::module_& m) {
  nb::class_<EvalFiles>(m, "EvalFiles");
  m.def("eval_files", &make_files, "graphs"_a.none(), "dataset"_a, "predictions"_a, "names"_a,
        "pairs"_a, "merge"_a, "task_success"_a, "ndh_reference"_a, "objects"_a, "texts"_a,
        "coordinates"_a = "", "sub_instructions"_a = false, "ground_truth"_a = "",
        "distances"_a = std::vector<std::string>(), "navmesh"_a = "", "habitat"_a = "0.1.7",
        "geodesic"_a = "goal", "grid"_a = "", "connect"_a = "8", "snap"_a = 1.0, "runs"_a = false,
        "tours"_a = "", "split"_a = "");
  bind_class(m);
}

}  // namespace warpath::python
