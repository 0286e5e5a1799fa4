#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "host/core/base/suggest.hpp"
#include "host/core/definitions/setting_text.hpp"
#include "host/files/io/input_file.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/episode_options.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/report_options.hpp"
#include "host/program/report/aggregate_report.hpp"
#include "host/program/report/make_report.hpp"
#include "warpath/error.hpp"

namespace warpath::definitions {
WARPATH_SPELLING(formats::DumpDuplicates, "error", "first", "last", "each")
}

namespace warpath::cli {
namespace {

namespace fs = std::filesystem;

bool may_be_dump(const fs::path& file) {
  const std::string name = file.filename().string();
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{".json", ".jsonl", ".json.gz", ".jsonl.gz"},
      [&](std::string_view end) { return name.ends_with(end); });
}

// Returns the files, with those of a folder in its place, by name.
std::vector<std::string> with_files_of_folders(const std::vector<std::string>& words) {
  std::vector<std::string> files;
  for (const std::string& word : words) {
    std::error_code error;
    if (!fs::is_directory(word, error)) {
      files.push_back(word);
      continue;
    }
    const auto begin = static_cast<std::ptrdiff_t>(files.size());
    for (const fs::directory_entry& entry : fs::directory_iterator(word, error)) {
      if (entry.is_regular_file(error) && may_be_dump(entry.path())) {
        files.push_back(entry.path().string());
      }
    }
    if (files.begin() + begin == files.end()) {
      throw InputError({word}, "the folder has no .json or .jsonl file",
                       "name the folder of the result dumps");
    }
    std::sort(files.begin() + begin, files.end());
  }
  return files;
}

class AggregateCommand {
 public:
  explicit AggregateCommand(Command& command) {
    command
        .add_option("files", words_,
                    "result dumps of one run: all files of its ranks or chunks, or a folder of "
                    "them; - is standard input; evt, uavon and indooruav-vla: the folder of the "
                    "run")
        .require()
        .check(not_empty());
    add_averaging(command);
    command
        .add_option("--metrics", metrics_,
                    "comma-separated names, or keys of the files; the others are left aside")
        .name_value("NAME,...")
        .put_in("Report")
        .check(not_empty());
    add_recomputing(command);
    output_.add_to_plain(command, "a row per rule and measure");
    add_max_input_option(command, inputs_.max_input_bytes);
  }

  void run(Io& io) {
    output_.begin();
    report::AggregateReport report;
    report.options = chosen_options();
    const auto& words = definitions::Spelling<formats::DumpDuplicates>::words;
    const auto duplicates =
        static_cast<formats::DumpDuplicates>(definitions::find_word(duplicates_, words));
    if (duplicates != formats::DumpDuplicates::error)
      report.duplicates = words[static_cast<std::size_t>(duplicates)];
    const Convention convention = convention_of_paths();
    check_files(words_);
    report.dump = read_dump(duplicates);
    if (is_recomputed_) report.recomputed = aggregate::recompute(report.dump, inputs_, convention);
    check_metrics(report);
    check_episodes(report);
    for (const aggregate::AggregateRule* rule : chosen_rules(report.dump)) {
      report.rules.emplace_back(rule, rule->apply(report.dump, report.options));
    }
    report.run_info = report::run_info_now(io.command_line, {Backend::automatic, {}});
    write(report, io);
  }

 private:
  void add_averaging(Command& command) {
    const char* group = "Averaging";
    std::vector<std::string_view> names;
    for (const aggregate::AggregateRule& rule : aggregate::aggregate_rules())
      names.push_back(rule.name);
    command
        .add_option("--rules", rules_,
                    fmt::format("comma-separated names: {} (default: all that read such files)",
                                fmt::join(names, ", ")))
        .put_in(group)
        .check(not_empty());
    command
        .add_option("--invalid", invalid_,
                    "ours: a value that is absent, not finite or impossible: refuse the run, leave "
                    "the value out, count a failure (0 in every fraction of which more is better; "
                    "others are left out)")
        .name_value("error|skip|zero")
        .put_in(group)
        .show_default()
        .check(not_empty());
    command
        .add_option("--missing", missing_,
                    "ours: files that the names of others tell of, or episodes that --episodes "
                    "tells of: refuse the run, leave them out, count failures (as --invalid does)")
        .name_value("error|skip|zero")
        .put_in(group)
        .show_default()
        .check(not_empty());
    command.add_option("--episodes", episodes_, "how many episodes the run has")
        .put_in(group)
        .check(whole_number(1));
    command
        .add_option("--duplicates", duplicates_,
                    "entries of one episode with other values: refuse the run, or which one counts")
        .name_value(
            definitions::alternatives(definitions::Spelling<formats::DumpDuplicates>::words))
        .put_in(group)
        .show_default()
        .check(not_empty());
    command
        .add_option("--collision-baseline", collision_baseline_,
                    "ha-vln: the collision_num_<split>.json of HA-R2R-tools")
        .name_value("FILE")
        .put_in(group)
        .check(not_empty());
  }

  void add_recomputing(Command& command) {
    command
        .add_option("--recompute", is_recomputed_,
                    "measure success, errors and lengths anew from the paths of positions that the "
                    "entries have, by --preset (vlnce unless another is named); needs --dataset, "
                    "and takes --navmesh, --grid or --distances (default: straight lines)")
        .put_in("Report");
    add_dataset_option(command, inputs_.dataset).help =
        "of --recompute: VLN-CE or RxR-CE annotations; indooruav-vla: the folder of its data";
    const std::size_t first = command.options.size();
    add_episode_options(command, inputs_);
    // Those that have another meaning here, or none for paths of positions.
    conventions_.emplace(
        command,
        std::initializer_list<std::string_view>{
            "positions",  "goal",       "grounding",   "boxes",        "angles",   "cls-zero",
            "cls-step",   "cls-length", "dtw-norm",    "links",        "kp-start", "edit",
            "edit-unit",  "edit-norm",  "adjacency",   "instructions", "missing",  "invalid",
            "duplicates", "window",     "tour-weight", "infeasible"});
    for (std::size_t k = first; k < command.options.size(); ++k)
      of_recomputing_.push_back(&command.options[k]);
  }

  // Returns the convention that measures are recomputed by, if they are.
  Convention convention_of_paths() const {
    const Convention convention = conventions_->convention_from(find_preset("vlnce").convention);
    if (is_recomputed_) {
      if (inputs_.dataset.empty()) {
        throw UsageError("--recompute needs the run's episodes: name them by --dataset");
      }
      aggregate::check_recomputing(convention, inputs_);
      return convention;
    }
    const auto given = std::ranges::find(of_recomputing_, true, &Option::is_given);
    if (given == of_recomputing_.end()) return convention;
    throw UsageError(
        fmt::format("{} is of measures that are recomputed: add --recompute, or leave it away",
                    (*given)->names.front()));
  }

  aggregate::OursOptions chosen_options() const {
    aggregate::OursOptions options;
    options.invalid = convention_with("invalid", "--invalid", invalid_).invalid;
    options.missing = convention_with("missing", "--missing", missing_).missing;
    options.episodes = episodes_;
    for (const std::string& name : split_list(metrics_)) {
      options.measures.push_back(formats::measure_name(name));
    }
    if (options.missing == Missing::zero && episodes_ == 0) {
      throw UsageError(
          "--missing zero counts episodes that are not there: give their number by --episodes");
    }
    return options;
  }

  // Reads the files by the program that alone reads them, or else as dumps of many.
  formats::ResultDump read_dump(formats::DumpDuplicates duplicates) const {
    const std::vector<std::string> names = split_list(rules_);
    const aggregate::DumpRequest request{words_, collision_baseline_, inputs_.max_input_bytes,
                                         is_recomputed_ ? std::string() : inputs_.dataset};
    const aggregate::AggregateRule* own = aggregate::find_reading_rule(names, request);
    if (!collision_baseline_.empty() && (own == nullptr || own->name != "ha-vln")) {
      throw UsageError("--collision-baseline is for --rules ha-vln");
    }
    if (!request.dataset.empty() && (own == nullptr || !own->takes_dataset)) {
      throw UsageError(
          "--dataset is of measures that are recomputed: add --recompute, or leave it away; or "
          "name "
          "the folder of its data for --rules indooruav-vla");
    }
    if (own == nullptr) {
      const std::vector<std::string> files = with_files_of_folders(words_);
      check_files(files);
      using enum formats::DumpContent;
      return formats::read_result_dumps(files, duplicates, inputs_.max_input_bytes,
                                        is_recomputed_ ? with_paths : measures);
    }
    if (is_recomputed_) {
      throw UsageError(fmt::format("--recompute: {} reads files without positions", own->name));
    }
    if (duplicates != formats::DumpDuplicates::error) {
      throw UsageError(fmt::format("--duplicates: {} takes every entry", own->name));
    }
    formats::ResultDump dump = own->read(request);
    std::vector<std::string> read = dump.files_beside;
    for (const formats::DumpFile& file : dump.files) read.push_back(file.name);
    check_files(read);
    return dump;
  }

  static const aggregate::AggregateRule* find_rule(const std::string& name) {
    return base::equal_letters(name, "all") ? nullptr : &aggregate::find_aggregate_rule(name);
  }

  std::vector<const aggregate::AggregateRule*> chosen_rules(const formats::ResultDump& dump) const {
    std::vector<const aggregate::AggregateRule*> chosen;
    const auto add = [&](const aggregate::AggregateRule* rule) {
      if (std::ranges::find(chosen, rule) == chosen.end()) chosen.push_back(rule);
    };
    for (const std::string& name : split_list(rules_)) {
      if (const aggregate::AggregateRule* rule = find_rule(name)) {
        add(rule);
      } else {
        for (const aggregate::AggregateRule* each : aggregate::rules_for(dump)) add(each);
      }
    }
    return chosen;
  }

  void check_files(const std::vector<std::string>& files) const {
    EvalFiles inputs = inputs_;
    inputs.predictions = files;
    if (!collision_baseline_.empty()) inputs.predictions.push_back(collision_baseline_);
    check_outputs(output_.outputs(), inputs);
    std::vector<std::string> all = files;
    all.insert(all.end(), {inputs_.dataset, inputs_.ground_truth});
    all.insert(all.end(), inputs_.distances.begin(), inputs_.distances.end());
    io::check_standard_input(all);
  }

  static void check_metrics(const report::AggregateReport& report) {
    std::vector<std::string_view> names;
    for (const formats::DumpMeasure& measure : report.dump.measures) names.push_back(measure.name);
    for (const std::string& name : report.options.measures) {
      if (report.dump.find(name) == nullptr)
        throw UsageError("--metrics: " + base::no_such("measure", name, names));
    }
  }

  static void check_episodes(const report::AggregateReport& report) {
    const std::uint64_t there = report.dump.episodes.size(), wanted = report.options.episodes;
    if (wanted == 0 || there <= wanted) return;
    throw InputError({report.dump.files.front().name},
                     fmt::format("the files have {} episodes, --episodes says {}", there, wanted),
                     "name the files of one run, or correct the number");
  }

  void write(const report::AggregateReport& report, Io& io) const {
    const ReportTexts texts(report);
    for (const auto& [rule, result] : report.rules) {
      if (!result.refusal) continue;
      output_.print_table(texts, io);  // the other rules' means help to see what is wrong
      throw InputError(*result.refusal);
    }
    io::OutputFiles written;
    output_.write(texts, written, io);
  }

  std::vector<std::string> words_;
  std::string rules_ = "all", metrics_, collision_baseline_;
  std::string invalid_ = "error", missing_ = "error", duplicates_ = "error";
  std::uint64_t episodes_ = 0;
  bool is_recomputed_ = false;
  EvalFiles inputs_;  // with what recomputing needs
  std::optional<ConventionOptions> conventions_;
  std::vector<const Option*> of_recomputing_;
  ReportOptions output_;
};

}  // namespace

void add_aggregate(Command& program, Io& io) {
  Command& command = program.add_command(
      "aggregate", "Average per-episode result dumps by the rules of public evaluators");
  auto options = std::make_shared<AggregateCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
