#include "host/cli/options.hpp"

#include <fmt/format.h>

#include "host/formats/dataset.hpp"
#include "warpath/error.hpp"

namespace warpath {

FileOptions::FileOptions(CLI::App& command) {
  const char* group = "Files";
  command.add_option("--graphs", files_.graphs, "folder of <scan>_connectivity.json, or a plain graph")
      ->group(group)
      ->required();
  command.add_option("--dataset", files_.dataset, "R2R, R4R, REVERIE or NDH annotations")->group(group);
  command.add_option("predictions", files_.predictions, "prediction files, one agent each");
  command.add_option("--pairs", files_.pairs, "pairs file instead: id, scan, reference, prediction")
      ->group(group);
  command.add_option("--format", formats_, "r2r, r4r, reverie, ndh; evalai, viewpoints, nested, "
                     "speaker-follower, inst-idx (default: told from the content)")
      ->group(group);
  command.add_option("--reference", files_.ndh_reference, "NDH: path, planner or trusted")
      ->group(group);
  command.add_flag("--merge", files_.merge, "the prediction files are shards of one agent")
      ->group(group);
  command.add_option("--task-success", files_.task_success, "id and success in [0, 1], for SDTW")
      ->group(group);
}

EvalFiles FileOptions::files() const {
  EvalFiles files = files_;
  if (files.dataset.empty() == files.pairs.empty()) {
    throw UsageError("give either --dataset FILE PREDICTIONS..., or --pairs FILE");
  }
  if (files.pairs.empty() && files.predictions.empty()) {
    throw UsageError("no prediction file: name one or more behind --dataset FILE");
  }
  if (!files.pairs.empty() && !files.predictions.empty()) {
    throw UsageError("a pairs file holds its predictions: name no prediction files with --pairs");
  }
  for (const std::string& format : formats_) {
    if (find_dataset_format(format)) {
      files.dataset_format = format;
    } else if (find_prediction_format(format)) {
      files.prediction_format = format;
    } else {
      throw UsageError(fmt::format("--format '{}' is none of r2r, r4r, reverie, ndh, evalai, "
                                   "viewpoints, nested, speaker-follower, inst-idx", format));
    }
  }
  return files;
}

ConventionOptions::ConventionOptions(CLI::App& command) {
  command.add_option("--preset", preset_, "the evaluator to agree with; see warpath presets")
      ->group("Convention");
  for (const Knob& knob : knobs()) {
    command
        .add_option(fmt::format("--{}", knob.name), values_.emplace_back(),
                    fmt::format("{} ({})", knob.help, knob.values))
        ->group("Convention");
  }
}

Convention ConventionOptions::convention() const { return convention(preset_); }

Convention ConventionOptions::convention(const std::string& preset) const {
  Convention convention = find_preset(preset).convention;
  for (std::size_t k = 0; k < knobs().size(); ++k) {
    if (values_[k].empty()) continue;
    try {
      knobs()[k].set(convention, values_[k]);
    } catch (const UsageError& e) {
      throw UsageError(fmt::format("--{}: {}", knobs()[k].name, e.what()));
    }
  }
  return convention;
}

std::vector<std::string> split_list(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::vector<Metric> parse_metrics(const std::string& list) {
  std::vector<Metric> metrics;
  for (const std::string& name : split_list(list)) {
    if (name == "all") {
      for (const MetricInfo& m : metric_table()) metrics.push_back(m.metric);
    } else if (const auto metric = find_metric(name)) {
      metrics.push_back(*metric);
    } else {
      std::string names;
      for (const MetricInfo& m : metric_table()) {
        names.append(names.empty() ? "" : ", ").append(m.name);
      }
      throw UsageError(fmt::format("no metric '{}'; there are {}", name, names));
    }
  }
  if (metrics.empty()) throw UsageError("--metrics names no metric");
  return metrics;
}

}  // namespace warpath
