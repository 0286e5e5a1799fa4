#include "host/program/cli/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "host/core/base/suggest.hpp"
#include "host/core/definitions/setting_text.hpp"
#include "host/files/formats/dataset.hpp"
#include "host/files/io/input_file.hpp"
#include "host/files/io/whole_number.hpp"
#include "host/program/cli/agent_names.hpp"
#include "host/program/cli/episode_options.hpp"
#include "host/program/cli/tour_options.hpp"
#include "host/program/report/reward_report.hpp"
#include "host/program/report/walk_report.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* file_group = "Files";

bool is_folder(const std::string& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

// Tells whether a file may be a graph: any file except empty ones and the reports of eval, random
// and rewards, which are recognised by their first bytes.
bool may_be_graph(const std::string& path) {
  std::string beginning(64, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  beginning.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || !file.is_open()) return true;
  return !beginning.empty() && !beginning.starts_with(report::json_report_beginning) &&
         !beginning.starts_with(report::csv_report_beginning) &&
         !beginning.starts_with(report::walks_csv_beginning) &&
         !beginning.starts_with(report::rewards_csv_beginning) &&
         !beginning.starts_with(report::rewards_jsonl_beginning);
}

// Tells whether writing `output` would replace `input`, or a possible graph in the folder `input`.
// A device or a pipe may be read and written at the same time.
bool replaces(const std::string& output, const std::string& input) {
  std::error_code error;
  if (!fs::is_regular_file(output, error)) return false;
  if (!is_folder(input)) return fs::equivalent(output, input, error);
  // Meshes lie in folders of their scans, and logs in those of their flights.
  fs::recursive_directory_iterator file(input, error), end;
  for (; !error && file != end; file.increment(error)) {
    if (file.depth() >= 4) file.disable_recursion_pending();
    std::error_code other;
    if (fs::equivalent(output, file->path(), other)) return may_be_graph(output);
  }
  return false;
}

bool is_same_place(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, error), error);
  };
  return place(a) == place(b) || replaces(a, b);
}

std::vector<std::string> inputs_of(const EvalFiles& files) {
  std::vector<std::string> inputs{files.graphs, files.dataset, files.pairs, files.objects,
                                  files.coordinates};
  inputs.insert(inputs.end(), files.predictions.begin(), files.predictions.end());
  inputs.insert(inputs.end(), files.task_success.begin(), files.task_success.end());
  inputs.insert(inputs.end(), {files.ground_truth, files.tours, files.navmesh, files.grid});
  // A grid's file names another of its folder.
  if (!files.grid.empty()) {
    const fs::path folder = fs::path(files.grid).parent_path();
    inputs.push_back(folder.empty() ? "." : folder.string());
  }
  inputs.insert(inputs.end(), files.distances.begin(), files.distances.end());
  return inputs;
}

std::string format_names() {
  return fmt::format("{}; {}", fmt::join(tasks::task_forms(), ", "),
                     fmt::join(formats::prediction_format_names(), ", "));
}

void add_task_success_option(Command& command, std::vector<std::string>& files) {
  command
      .add_option("--task-success", files,
                  "id and success in [0, 1], for SDTW; once, or once for each agent")
      .put_in(file_group)
      .take_single_values()
      .check(not_empty());
}

void add_objects_option(Command& command, std::string& objects) {
  command
      .add_option("--objects", objects,
                  "REVERIE's BBox folder, or VLN-DUET's one file; CityNav's objects.json")
      .name_value("PATH")
      .put_in(file_group)
      .check(not_empty());
}

void add_coordinates_option(Command& command, std::string& coordinates) {
  command
      .add_option(
          "--coordinates", coordinates,
          "positions instead of the graphs': {scan: {viewpoint: [x, y, z]}}, lines of scan, "
          "viewpoint, x, y, z, or a .house file or a folder of them")
      .name_value("FILE")
      .put_in(file_group)
      .check(not_empty());
}

// Changes a setting to what an option says.
void set(Convention& convention, const Setting& setting, std::string_view option,
         const std::string& value) {
  try {
    setting.set(convention, value);
  } catch (const UsageError& e) {
    throw UsageError(fmt::format("{}: {}", option, e.what()));
  }
}

// Appends a metric that is not in the list yet.
void add_once(std::vector<Metric>& metrics, Metric metric) {
  if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
}

}  // namespace

Option& add_graphs_option(Command& command, std::string& graphs) {
  return command
      .add_option("--graphs", graphs,
                  "folder of <scan>_connectivity.json or other graphs, or one graph file")
      .put_in(file_group)
      .require()
      .check(not_empty());
}

Option& add_dataset_option(Command& command, std::string& dataset, const std::string& name) {
  return command
      .add_option(
          name, dataset,
          "R2R, R4R, RxR, REVERIE, SOON, NDH, Touchdown, VLN-CE or drone annotations, JSON or JSON "
          "Lines; - is standard input")
      .put_in(file_group)
      .check(not_empty());
}

void add_pairs_option(Command& command, std::string& pairs, const std::string& help) {
  command.add_option("--pairs", pairs, help).put_in(file_group).check(not_empty());
}

void add_reference_option(Command& command, std::string& reference) {
  command
      .add_option("--reference", reference,
                  "NDH: path (the player's), planner or trusted; eval and explain: also all")
      .put_in(file_group);
}

void add_max_input_option(Command& command, std::uint64_t& max_bytes) {
  command
      .add_option(
          "--max-input", max_bytes,
          "most bytes of a file, also once decompressed, e.g. 8G (default: a quarter of the "
          "memory)")
      .put_in(file_group)
      .check(size_in_bytes())
      .check({[](const std::string& bytes) {
        const bool is_size = !bytes.starts_with('-') && bytes != "0";
        return is_size ? "" : fmt::format("{} is no size above 0, such as 8G", bytes);
      }});
}

FileOptions::FileOptions(Command& command, bool is_eval) {
  add_graphs_option(command, files_.graphs).require(false);  // episodes need none
  add_dataset_option(command, files_.dataset);
  command
      .add_option("predictions", files_.predictions,
                  "prediction files, one agent each; NAME=FILE names it; - is standard input")
      .check(not_empty());
  add_pairs_option(command, files_.pairs, "pairs file instead: id, scan, reference, prediction");
  command.add_option("--format", formats_, format_names() + " (default: told from the content)")
      .put_in(file_group)
      .take_single_values()  // the next word is a prediction file
      .check(not_empty());
  add_reference_option(command, files_.ndh_reference);
  command
      .add_option("--sub-instructions", files_.sub_instructions,
                  "items are the sub-instructions of FGR2R or Landmark-RxR: INSTR_ID_0, …")
      .put_in(file_group);
  add_coordinates_option(command, files_.coordinates);
  command.add_option("--merge", files_.merge, "the prediction files are shards of one agent")
      .put_in(file_group);
  command
      .add_option("--name", name_,
                  "name of the agent, where there is only one (also with --merge or --pairs)")
      .put_in(file_group)
      .check(not_empty());
  if (is_eval) {
    add_objects_option(command, files_.objects);
    add_task_success_option(command, files_.task_success);
  }
  add_episode_options(command, files_).exclude("--graphs");
  if (is_eval) add_tour_options(command, files_);
  add_max_input_option(command, files_.max_input_bytes);
}

void FileOptions::add_runs_to(Command& command) {
  command
      .add_option("--runs", files_.runs,
                  "agents may have several runs, NAME=FILE,FILE: one row with the mean of all and "
                  "its standard deviation over runs")
      .put_in(file_group);
}

EvalFiles FileOptions::files() const {
  EvalFiles files = files_;
  // The ground truth of tours is all that they need.
  if (files.dataset.empty() && files.pairs.empty()) std::swap(files.dataset, files.ground_truth);
  if (files.dataset.empty() == files.pairs.empty()) {
    throw UsageError("give either --dataset FILE PREDICTIONS..., or --pairs FILE");
  }
  if (files.pairs.empty() && files.predictions.empty()) {
    throw UsageError("no prediction file: name one or more behind --dataset FILE");
  }
  if (!files.pairs.empty() && !files.predictions.empty()) {
    throw UsageError("a pairs file holds its predictions: name no prediction files with --pairs");
  }
  name_agents(files, name_);
  for (const std::string& format : formats_) {
    if (tasks::find_task(format)) {
      files.dataset_format = format;
    } else if (formats::find_prediction_format(format)) {
      files.prediction_format = format;
    } else {
      throw UsageError(base::no_such("format", format, all_format_names()));
    }
  }
  return files;
}

ConventionOptions::ConventionOptions(Command& command,
                                     std::initializer_list<std::string_view> without) {
  preset_option_ =
      &command.add_option("--preset", preset_, "the evaluator to agree with; see warpath presets")
           .put_in("Convention")
           .check(not_empty());
  for (const Setting& setting : settings()) {
    std::string& value = values_.emplace_back();
    if (std::ranges::find(without, setting.name) != without.end()) continue;
    command.add_option(fmt::format("--{}", setting.name), value, std::string(setting.help))
        .name_value(std::string(setting.values))
        .put_in("Convention")
        .check(not_empty());
  }
}

Convention ConventionOptions::convention() const {
  return convention(preset_);
}

Convention ConventionOptions::convention(const std::string& preset) const {
  return changed(find_preset(preset).convention);
}

Convention ConventionOptions::convention_from(const Convention& base) const {
  return preset_option_->is_given ? convention() : changed(base);
}

Convention ConventionOptions::changed(Convention convention) const {
  for (std::size_t k = 0; k < settings().size(); ++k) {
    if (values_[k].empty()) continue;
    const Setting& setting = settings()[k];
    set(convention, setting, fmt::format("--{}", setting.name), values_[k]);
  }
  return convention;
}

Convention convention_with(std::string_view setting, std::string_view option,
                           const std::string& value) {
  Convention convention;
  set(convention, *std::ranges::find(settings(), setting, &Setting::name), option, value);
  return convention;
}

void check_outputs(const std::vector<OutputOption>& outputs, const EvalFiles& files) {
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    for (const std::string& input : inputs_of(files)) {
      if (!replaces(output->file, input == "-" ? "/dev/stdin" : input)) continue;
      throw UsageError(fmt::format("{} {} would overwrite the input {}; name another file",
                                   output->name, output->file, io::input_name(input)));
    }
    for (auto other = outputs.begin(); other != output; ++other) {
      if (!is_same_place(other->file, output->file)) continue;
      throw UsageError(fmt::format("{} and {} would both write to {}; name another file",
                                   other->name, output->name, output->file));
    }
  }
}

void check_new(const OutputOption& output, bool is_forced) {
  if (is_forced && output.file.empty()) {
    throw UsageError(fmt::format("--force lets {0} replace a file: name one by {0}", output.name));
  }
  std::error_code error;
  if (is_forced || output.file == "-" || !fs::is_regular_file(output.file, error)) return;
  if (fs::file_size(output.file, error) == 0) return;
  throw UsageError(
      fmt::format("{} {} exists; name another file or say --force", output.name, output.file));
}

ValueCheck whole_number(std::uint64_t min, std::uint64_t max) {
  return {[min, max](std::string& text) {
    const auto number = io::parse_count(text);
    if (!number || *number < min || *number > max) {
      return fmt::format("'{}' is no whole number from {} to {}, such as 1000 or 1e3", text, min,
                         max);
    }
    text = fmt::format("{}", *number);
    return std::string();
  }};
}

ValueCheck number_within(double min, double max) {
  return {[min, max](const std::string& text) {
    const auto number = definitions::read_number(text);
    if (number && *number >= min && *number <= max) return std::string();
    return fmt::format("'{}' is no number from {} to {}", text, min, max);
  }};
}

Option& add_backend_option(Command& command, std::string& backend) {
  using enum Backend;
  return command.add_option("--backend", backend, "what computes the scores")
      .name_value(names_of({automatic, reference, cpu, cuda}))
      .check(not_empty());
}

std::vector<std::string_view> all_format_names() {
  std::vector<std::string_view> names = tasks::task_forms();
  std::ranges::copy(formats::prediction_format_names(), std::back_inserter(names));
  return names;
}

ValueCheck not_empty() {
  return {[](const std::string& value) {
    return std::string(split_list(value).empty() ? "the value is empty; leave the option away"
                                                 : "");
  }};
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

bool lists_all(const std::string& list) {
  return std::ranges::any_of(
      split_list(list), [](const std::string& name) { return base::equal_letters(name, "all"); });
}

std::vector<Metric> parse_metrics(const std::string& list, const MetricSet& among) {
  std::vector<std::string_view> names;
  for (const Metric m : among) names.push_back(info(m).name);
  std::vector<Metric> metrics;
  for (const std::string& name : split_list(list)) {
    if (base::equal_letters(name, "all")) {
      for (const Metric m : among) add_once(metrics, m);
    } else if (const auto metric = find_metric(name); metric && among.contains(*metric)) {
      add_once(metrics, *metric);
    } else if (metric) {
      throw UsageError(fmt::format("{} is a metric of tasks, which `warpath eval` computes",
                                   info(*metric).name));
    } else {
      throw UsageError(base::no_such("metric", name, names));
    }
  }
  if (metrics.empty()) throw UsageError("--metrics names no metric");
  return metrics;
}

}  // namespace warpath::cli
