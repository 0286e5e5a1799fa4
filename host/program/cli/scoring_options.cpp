#include "host/program/cli/scoring_options.hpp"

namespace warpath::cli {

ScoringOptions::ScoringOptions(Command& command) : conventions_(command) {
  const char* group = "Report";
  command.add_option("--metrics", metrics_, "comma-separated names, or all")
      .put_in(group)
      .check(not_empty());
  command
      .add_option(
          "--also", also_,
          "presets whose differing metrics are shown too; all: every preset that can score the "
          "files, and which settings make the differences")
      .put_in(group)
      .check(not_empty());
  add_backend_option(command, backend_).put_in(group);
  command
      .add_option("--by", by_,
                  "a table by scan, by length (viewpoints of the reference) or by language")
      .put_in(group)
      .check(not_empty());
  command
      .add_option(
          "--ci", interval_,
          "clusters of the 95 % intervals: path (items of one reference path), scan, "
          "none (every item by itself), or bootstrap (resamples paths); with --tours, tours "
          "take the place of paths")
      .name_value(names_of({Interval::path, Interval::scan, Interval::none, Interval::bootstrap}))
      .put_in(group)
      .show_default()
      .check(not_empty());
  command.add_option("--strict", strict_, "refuse items that are only noted, too").put_in(group);
}

report::ReportRequest ScoringOptions::request(const Io& io) const {
  report::ReportRequest request;
  request.convention = conventions_.convention();
  if (also_ == "all") {
    request.every_preset = [this](std::string_view preset) {
      return conventions_.convention(std::string(preset));
    };
  } else {
    for (const std::string& preset : split_list(also_)) {
      request.also.push_back(conventions_.convention(preset));
    }
  }
  request.metrics = parse_metrics(metrics_.empty() ? "all" : metrics_, MetricSet::all());
  if (!metrics_.empty()) request.printed = request.metrics;
  const bool are_named = !metrics_.empty() && !lists_all(metrics_);
  if (are_named) request.named = MetricSet(request.metrics);
  request.by = find_group_by(by_);
  request.options = {find_backend(backend_), find_interval(interval_), strict_};
  request.command_line = io.command_line;
  return request;
}

}  // namespace warpath::cli
