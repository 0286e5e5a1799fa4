#include "host/program/report/r4r_report.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "host/program/report/document.hpp"
#include "host/program/report/histogram_table.hpp"

namespace warpath::report {
namespace {

// Holds one row of Table 1 of the CLS paper; absent: not known here.
struct PrintedRow {
  std::uint64_t samples;
  std::optional<double> length, shortest;  // metres
};

// Holds what the CLS paper prints of one split of R2R, which is told by its number of instructions.
struct PrintedSplit {
  std::string_view name;
  std::uint64_t instructions;
  PrintedRow r2r, r4r;
  std::string_view note;
};

constexpr std::array<PrintedSplit, 3> printed_splits{{
    {"train",
     14039,
     {14039, 9.91, 9.91},
     {233613, 20.6, 10.5},
     "the paper prints 233613 samples of R4R train; from the public connectivity files the "
     "original script makes 233532, too, so the paper's coordinates were probably others"},
    {"val_seen", 1021, {1021, 10.2, 10.2}, {1035, 20.4, 11.1}, ""},
    {"val_unseen",
     2349,
     {2249, std::nullopt, std::nullopt},
     {45162, 20.2, 10.1},
     "the paper prints 2249 samples of R2R val_unseen, a misprint of 2349, and 45162 of R4R, where "
     "the public connectivity files give 45234: its coordinates were probably others; —: printed, "
     "but not known here"},
}};

const PrintedSplit* printed_split(const R4r& r4r) {
  for (const PrintedSplit& split : printed_splits) {
    if (split.instructions == r4r.r2r.samples) return &split;
  }
  return nullptr;
}

// Tells whether paths were joined as the paper's were.
bool is_as_printed(const R4rOptions& options) {
  return options.threshold_m == 3.0 && !options.heading_threshold;
}

std::string mean_of_metres(const Statistics& statistics) {
  const auto mean = statistics.mean();
  return mean ? fmt::format("{:.2f}", *mean) : "";
}

std::vector<std::string> row_of(std::string name, const PathSummary& summary) {
  return {std::move(name),
          fmt::format("{}", summary.paths),
          fmt::format("{}", summary.samples),
          mean_of_metres(summary.length),
          mean_of_metres(summary.shortest),
          mean_of_metres(summary.viewpoints),
          mean_of_metres(summary.shortest_viewpoints)};
}

std::vector<std::string> row_of(const PrintedRow& printed) {
  const auto number = [](std::optional<double> value) {
    return value ? fmt::format("{:.3g}", *value) : "—";
  };
  return {"  as printed",
          "",
          fmt::format("{}", printed.samples),
          number(printed.length),
          number(printed.shortest),
          "",
          ""};
}

Table summary_table(const R4r& r4r, const R4rOptions& options, const PrintedSplit* split) {
  Table table{{"", "paths", "samples", "PL(R)", "d(r1,r|R|)", "|R|", "|shortest|"}, {}};
  const std::string name = split != nullptr ? fmt::format(" {}", split->name) : "";
  table.rows.push_back(row_of("R2R" + name, r4r.r2r));
  if (split != nullptr) table.rows.push_back(row_of(split->r2r));
  table.rows.push_back(row_of("R4R" + name, r4r.r4r));
  if (split != nullptr && is_as_printed(options)) table.rows.push_back(row_of(split->r4r));
  return table;
}

std::string pairs_text(const R4r& r4r, const R4rOptions& options) {
  std::string text =
      fmt::format("{} of {} pairs of paths are joined; {} lie {} {} m apart", r4r.r4r.paths,
                  r4r.r4r.paths + r4r.too_far + r4r.too_turned, r4r.too_far,
                  options.compare == Compare::less ? "at least" : "more than", options.threshold_m);
  if (options.heading_threshold) {
    text += fmt::format(", and the headings of {} differ by more than {} rad", r4r.too_turned,
                        *options.heading_threshold);
  }
  return text;
}

}  // namespace

std::string r4r_report(const R4r& r4r, const R4rOptions& options, const Table::Layout& layout) {
  constexpr int bin_m = 2;
  const PrintedSplit* split = printed_split(r4r);
  const auto render = [&](const Table& table) {
    return table.render(Table::Style::text, layout) + '\n';
  };
  const NamedHistogram lengths[]{{"R2R", &r4r.r2r.lengths}, {"R4R", &r4r.r4r.lengths}};
  const NamedHistogram shortests[]{{"R2R", &r4r.r2r.shortests}, {"R4R", &r4r.r4r.shortests}};
  std::string text = render(summary_table(r4r, options, split)) +
                     render(histogram_table("PL(R), m", lengths, bin_m)) +
                     render(histogram_table("d(r1,r|R|), m", shortests, bin_m));
  std::vector<std::string> notes{
      pairs_text(r4r, options),
      "means and distributions are over paths, in metres and viewpoints; PL(R) is the distance "
      "that the files state"};
  if (split != nullptr) {
    notes.push_back("printed: Jain et al. 2019, Table 1; the distributions are of its Figure 3");
    if (!is_as_printed(options))
      notes.push_back("the paper joins paths within 3 m in any direction: no figure of R4R fits");
    else if (!split->note.empty())
      notes.emplace_back(split->note);
  }
  notes.insert(notes.end(), r4r.notes.begin(), r4r.notes.end());
  return text + note_lines(notes, layout.max_width > 0 ? layout.max_width : 100);
}

}  // namespace warpath::report
