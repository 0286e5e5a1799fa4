#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/report/report.hpp"
#include "warpath/convention.hpp"

namespace warpath {
namespace {

std::string presets_text(Table::Style style) {
  Table table{{"knob"}, {}, std::string(1 + presets().size(), 'l')};
  for (const Preset& p : presets()) table.header.push_back(p.convention.preset);
  for (const Knob& knob : knobs()) {
    std::vector<std::string> row{std::string(knob.name)};
    for (const Preset& p : presets()) row.push_back(knob.get(p.convention));
    table.rows.push_back(std::move(row));
  }
  std::string text = table.render(style) + "\nPresets\n";
  for (const Preset& p : presets()) {
    text += fmt::format("  {:<9} {}{}{}\n", p.convention.preset, p.source,
                        p.note.empty() ? "" : "; ", p.note);
  }
  text += "\nKnobs, each an option of warpath eval\n";
  for (const Knob& knob : knobs()) {
    text += fmt::format("  --{:<14} {} ({})\n", knob.name, knob.help, knob.values);
  }
  return text;
}

std::string metrics_text(Table::Style style) {
  Table table{{"metric", "better", "unit", "what", "formula (preset paper)", "source"}, {}, "llllll"};
  for (const MetricInfo& m : metric_table()) {
    table.rows.push_back({std::string(m.name),
                          m.better == Better::higher  ? "↑"
                          : m.better == Better::lower ? "↓"
                                                      : "",
                          unit_name(m, Convention{}), std::string(m.title), std::string(m.formula),
                          std::string(m.source)});
  }
  return "Q the query (the agent's path), R the reference, d the shortest-path distance, d_th the "
         "threshold\n\n" + table.render(style);
}

}  // namespace

void add_metrics(CLI::App& app, Io& io) {
  CLI::App* command = app.add_subcommand("metrics", "Every metric: formula, unit, direction, paper");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "print Markdown");
  command->callback([markdown, &io] {
    io.out << metrics_text(*markdown ? Table::Style::markdown : Table::Style::text);
  });
}

void add_presets(CLI::App& app, Io& io) {
  CLI::App* command = app.add_subcommand("presets", "The presets and every knob they set");
  auto markdown = std::make_shared<bool>(false);
  command->add_flag("--markdown", *markdown, "print Markdown");
  command->callback([markdown, &io] {
    io.out << presets_text(*markdown ? Table::Style::markdown : Table::Style::text);
  });
}

}  // namespace warpath
