#include "host/core/definitions/presets.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "host/core/base/clean_text.hpp"
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
  };
  auto options = std::make_shared<Options>();
  command.add_option("--markdown", options->is_markdown, "print Markdown");
  command.add_option("--rewards", options->of_rewards,
                     "the rewards of warpath rewards instead: formulas, sources, settings");
  command.run = [options, &io] {
    const int width = io.terminal.width;
    if (options->of_rewards)
      io.out << (options->is_markdown ? report::reward_presets_markdown()
                                      : report::reward_presets_text(width));
    else
      io.out << (options->is_markdown ? presets_markdown() : presets_text(width));
  };
}

}  // namespace warpath::cli
