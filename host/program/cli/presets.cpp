#include "host/core/definitions/presets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

#include "host/core/base/clean_text.hpp"
#include "host/core/definitions/evaluators.hpp"
#include "host/files/io/wrap.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/report/report.hpp"
#include "host/program/report/reward_text.hpp"
#include "warpath/convention.hpp"

namespace warpath::cli {
namespace {

constexpr std::string_view symbols =
    "Q is the query (the agent's path), R the reference, d(a, b) the shortest way from a to "
    "b, d_th the threshold.";
constexpr std::string_view arrows = "↑ more is better, ↓ less is better.";

report::Table settings_table() {
  report::Table table{{"setting"}, {}, std::string(1 + presets().size(), 'l')};
  for (const Preset& p : presets()) table.header.push_back(p.convention.preset);
  for (const Setting& setting : settings()) {
    std::vector<std::string> row{std::string(setting.name)};
    for (const Preset& p : presets()) row.push_back(setting.get(p.convention));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string source_of(const Preset& p) {
  const definitions::PresetUse& use = definitions::find_preset_use(p.convention.preset);
  std::string text(p.source);
  if (!use.tasks.empty()) text += fmt::format("; of {}", fmt::join(use.tasks, ", "));
  if (!use.aliases.empty()) text += fmt::format("; also named {}", fmt::join(use.aliases, ", "));
  if (!p.note.empty()) text += fmt::format("; {}", p.note);
  return text;
}

std::string presets_text(int width) {
  std::string text =
      settings_table().render(report::Table::Style::text, {width, false}) + "\nPresets\n";
  for (const Preset& p : presets()) {
    text += io::wrap(source_of(p), width, fmt::format("  {:<9} ", p.convention.preset),
                     std::string(12, ' '));
  }
  text += "\nSettings, each an option of warpath eval\n";
  for (const Setting& setting : settings()) {
    text += io::wrap(fmt::format("{} ({})", setting.help, setting.values), width,
                     fmt::format("  --{:<14} ", setting.name), std::string(19, ' '));
  }
  return text;
}

std::string in_markdown(std::string_view text) {
  return base::clean_text(text, base::Markup::markdown);
}

std::string presets_markdown() {
  std::string text = settings_table().render(report::Table::Style::markdown) + "\n## Presets\n\n";
  for (const Preset& p : presets()) {
    text += fmt::format("- `{}`: {}\n", p.convention.preset, in_markdown(source_of(p)));
  }
  text += "\n## Settings, each an option of `warpath eval`\n\n";
  for (const Setting& setting : settings()) {
    text += fmt::format("- `--{}`: {} ({})\n", setting.name, in_markdown(setting.help),
                        in_markdown(setting.values));
  }
  return text;
}

using Evaluators = std::span<const definitions::Evaluator>;

// Returns what gives an evaluator's numbers: "warpath eval --preset duet".
std::vector<std::string> commands_of(const definitions::Evaluator& evaluator) {
  std::vector<std::string> commands;
  if (!evaluator.preset.empty())
    commands.push_back(fmt::format("warpath eval --preset {}", evaluator.preset));
  if (!evaluator.rule.empty())
    commands.push_back(fmt::format("warpath aggregate --rules {}", evaluator.rule));
  return commands;
}

// Returns the code that was read: "wz0919/ScaleVLN 3bdff0d, reverie/env.py".
std::string code_of(const definitions::Evaluator& evaluator) {
  if (!evaluator.lines.empty()) return fmt::format("{}, {}", evaluator.code, evaluator.lines);
  if (evaluator.preset.empty()) return std::string(evaluator.code);
  return fmt::format("{}, as {}", evaluator.code, find_preset(evaluator.preset).source);
}

// Returns the settings that a preset has otherwise than the papers, as options.
std::string changes_of(std::string_view preset) {
  std::vector<std::string> changes;
  const Convention& own = find_preset(preset).convention;
  const Convention& of_papers = find_preset("paper").convention;
  for (const Setting& setting : settings()) {
    const std::string value = setting.get(own);
    if (value != setting.get(of_papers))
      changes.push_back(fmt::format("{} {}", setting.name, value));
  }
  return fmt::format("{}", fmt::join(changes, ", "));
}

std::string evaluators_text(Evaluators evaluators, int width) {
  std::string text;
  for (const definitions::Evaluator& e : evaluators) {
    text += fmt::format("{}, {}\n", e.name, e.task);
    for (const std::string& command : commands_of(e)) text += fmt::format("  {}\n", command);
    if (!e.paper.empty()) text += io::wrap(e.paper, width, "  published in: ", "    ");
    text += io::wrap(code_of(e), width, "  its code: ", "    ");
    if (!e.differs.empty()) text += io::wrap(e.differs, width, "  note: ", "    ");
    if (e.preset.empty()) continue;
    text += io::wrap(changes_of(e.preset), width, "  other than in the papers: ", "    ");
  }
  return text;
}

std::string evaluators_markdown(Evaluators evaluators) {
  report::Table table{
      {"project", "task", "command", "published in", "its code", "note"}, {}, "llllll"};
  for (const definitions::Evaluator& e : evaluators) {
    table.rows.push_back({std::string(e.name), std::string(e.task),
                          fmt::format("{}", fmt::join(commands_of(e), "; ")), std::string(e.paper),
                          code_of(e), std::string(e.differs)});
  }
  return table.render(report::Table::Style::markdown);
}

std::string evaluators_of(std::string_view project, bool is_markdown, int width) {
  const std::vector<definitions::Evaluator> found = definitions::find_evaluators(project);
  return is_markdown ? evaluators_markdown(found) : evaluators_text(found, width);
}

std::string_view direction(const MetricInfo& m) {
  switch (m.better) {
    case Better::higher:
      return "↑";
    case Better::lower:
      return "↓";
    default:
      return "";
  }
}

std::string metrics_text(int width) {
  const std::string space(14, ' ');
  std::string text = io::wrap(symbols, width) + io::wrap(arrows, width);
  for (const MetricInfo& m : metric_table()) {
    const std::string unit = report::unit_name(m, Convention{});
    text += '\n' + io::wrap(fmt::format("{}{} {}", m.title, unit.empty() ? "" : ", in " + unit,
                                        direction(m)),
                            width, fmt::format("  {:<12}", m.name), space);
    const std::string of_paper = formula(m.metric, Convention{});
    if (!of_paper.empty()) text += io::wrap(of_paper, width, space, space);
    if (!m.source.empty()) text += io::wrap(m.source, width, space, space);
  }
  return text;
}

std::string metrics_markdown() {
  report::Table table{
      {"metric", "better", "unit", "what", "formula (preset paper)", "source"}, {}, "llllll"};
  for (const MetricInfo& m : metric_table()) {
    table.rows.push_back({std::string(m.name), std::string(direction(m)),
                          report::unit_name(m, Convention{}), std::string(m.title),
                          formula(m.metric, Convention{}), std::string(m.source)});
  }
  return fmt::format("{}\n{}\n\n", in_markdown(symbols), arrows) +
         table.render(report::Table::Style::markdown);
}

}  // namespace

void add_metrics(Command& program, Io& io) {
  Command& command =
      program.add_command("metrics", "Every metric: formula, unit, direction, paper");
  auto markdown = std::make_shared<bool>(false);
  command.add_option("--markdown", *markdown, "print Markdown");
  command.run = [markdown, &io] {
    io.out << (*markdown ? metrics_markdown() : metrics_text(io.terminal.width));
  };
}

void add_presets(Command& program, Io& io) {
  Command& command =
      program.add_command("presets", "Every preset with its settings, side by side; every reward");
  struct Options {
    bool is_markdown = false, of_rewards = false;
    std::string project;
  };
  auto options = std::make_shared<Options>();
  command.add_option("--markdown", options->is_markdown, "print Markdown");
  command.add_option("--rewards", options->of_rewards,
                     "the rewards of warpath rewards instead: formulas, sources, settings");
  const Option& project =
      command
          .add_option("--for", options->project,
                      "the preset that gives the numbers of a public repository, such as NavGPT-2, "
                      "its paper and the code that was read; of a preset, the repositories whose "
                      "numbers it gives; all: of every one")
          .name_value("NAME")
          .exclude("--rewards");
  command.run = [options, &project, &io] {
    const int width = io.terminal.width;
    if (project.is_given)
      io.out << evaluators_of(options->project, options->is_markdown, width);
    else if (options->of_rewards)
      io.out << (options->is_markdown ? report::reward_presets_markdown()
                                      : report::reward_presets_text(width));
    else
      io.out << (options->is_markdown ? presets_markdown() : presets_text(width));
  };
}

}  // namespace warpath::cli
