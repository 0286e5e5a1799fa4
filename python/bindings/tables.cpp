#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "host/core/base/clean_text.hpp"
#include "host/core/base/suggest.hpp"
#include "host/core/definitions/presets.hpp"
#include "host/files/io/terminal.hpp"
#include "host/program/report/table.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/report_text.hpp"
#include "python/bindings/settings.hpp"
#include "warpath/backend.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/scores.hpp"

namespace warpath::python {
namespace {

const char* name_of(Unit unit) {
  switch (unit) {
    case Unit::fraction:
      return "fraction";
    case Unit::length:
      return "length";
    case Unit::count:
      return "count";
    case Unit::angle:
      return "angle";
  }
  return "";
}

const char* name_of(Better better) {
  return better == Better::higher ? "higher" : better == Better::lower ? "lower" : "neither";
}

nb::list metrics() {
  nb::list rows;
  for (const MetricInfo& m : metric_table()) {
    rows.append(nb::make_tuple(to_str(m.name), to_str(m.title), name_of(m.unit), name_of(m.better),
                               to_str(m.source), m.headline,
                               to_str(formula(m.metric, Convention{})), is_of_paths(m.metric)));
  }
  return rows;
}

// Returns the values of all settings, as a dict of texts.
template <class Settings, class Values>
nb::dict values_of(const Settings& settings, const Values& values) {
  nb::dict texts;
  for (const auto& setting : settings) {
    texts[to_str(python_name(setting.name))] = to_str(setting.get(values));
  }
  return texts;
}

template <class Settings>
nb::list describe(const Settings& settings) {
  nb::list rows;
  for (const auto& setting : settings) {
    rows.append(nb::make_tuple(to_str(python_name(setting.name)), to_str(setting.values),
                               to_str(setting.help)));
  }
  return rows;
}

nb::list to_list(const std::vector<std::string_view>& words) {
  nb::list list;
  for (const std::string_view word : words) list.append(to_str(word));
  return list;
}

nb::list presets_of_conventions() {
  nb::list rows;
  for (const Preset& p : presets()) {
    const definitions::PresetUse& use = definitions::find_preset_use(p.convention.preset);
    rows.append(nb::make_tuple(to_str(p.convention.preset), to_str(p.source), to_str(p.note),
                               values_of(settings(), p.convention), to_list(use.tasks),
                               to_list(use.aliases)));
  }
  return rows;
}

nb::list presets_of_rewards() {
  nb::list rows;
  for (const RewardPreset& p : reward_presets()) {
    nb::dict values = values_of(reward_settings(), p.settings);
    rows.append(nb::make_tuple(to_str(p.settings.preset), to_str(p.source), to_str(p.note), values,
                               nb::list(), nb::list()));
  }
  return rows;
}

nb::list statuses() {
  nb::list rows;
  for (int s = 0; s < status_count; ++s) {
    const StatusInfo& status = info(static_cast<Status>(s));
    rows.append(nb::make_tuple(to_str(status.name), to_str(status.problem), to_str(status.remedy)));
  }
  return rows;
}

using Cells = std::vector<std::string>;

// Lays out a table as the reports do; `bold` names cells by row and column.
nb::str render_table(const Cells& header, const std::vector<Cells>& rows, const std::string& align,
                     const std::vector<std::pair<std::size_t, std::size_t>>& bold,
                     const std::string& style, int width, bool colour) {
  report::Table table{header, rows, align};
  for (const auto& [row, column] : bold) table.bold[{row, column}] = rows.at(row).at(column).size();
  const report::Table::Layout layout{std::max(width, 0), colour};
  return to_str(table.render(print_options(style, width, false, 0, false).style, layout));
}

// Returns what is known of a stream: whether people read it, whether it has colours, its columns.
nb::tuple terminal(int descriptor) {
  const io::Terminal found = io::terminal_of(descriptor);
  return nb::make_tuple(found.is_terminal, found.colour, found.width);
}

}  // namespace

void bind_tables(nb::module_& m) {
  m.def("metric_rows", &metrics,
        nb::sig("def metric_rows() -> list[tuple[str, str, str, str, str, bool, str, bool]]"));
  m.def(
      "preset_rows", &presets_of_conventions,
      nb::sig(
          "def preset_rows() -> list[tuple[str, str, str, dict[str, str], list[str], list[str]]]"));
  m.def("reward_preset_rows", &presets_of_rewards,
        nb::sig("def reward_preset_rows() -> list[tuple[str, str, str, dict[str, str], list[str], "
                "list[str]]]"));
  m.def(
      "setting_rows", [] { return describe(settings()); },
      nb::sig("def setting_rows() -> list[tuple[str, str, str]]"));
  m.def(
      "reward_setting_rows", [] { return describe(reward_settings()); },
      nb::sig("def reward_setting_rows() -> list[tuple[str, str, str]]"));
  m.def("status_rows", &statuses, nb::sig("def status_rows() -> list[tuple[str, str, str]]"));
  m.def(
      "formula",
      [](const std::string& metric, const std::string& preset, const SettingTexts& settings) {
        const Convention convention = make_convention(preset, settings);
        return formula(find_metrics(std::vector{metric}, MetricSet::all()).front(), convention);
      },
      "metric"_a, "preset"_a, "settings"_a);
  m.def(
      "resolve_backend",
      [](const std::string& backend, std::size_t pairs) {
        const ResolvedBackend resolved = resolve_backend(find_backend(backend), pairs);
        return nb::make_tuple(to_str(name(resolved.backend)), to_str(resolved.note));
      },
      "backend"_a, "pairs"_a,
      nb::sig("def resolve_backend(backend: str, pairs: int) -> tuple[str, str]"));
  m.def("render_table", &render_table, "header"_a, "rows"_a, "align"_a, "bold"_a, "style"_a,
        "width"_a, "colour"_a);
  m.def(
      "clean_text", [](const std::string& text) { return to_str(base::clean_text(text)); },
      "text"_a, "Returns a text in a form that can be printed in one line.");
  m.def(
      "did_you_mean",
      [](const std::string& wanted, const std::vector<std::string>& names) {
        const std::vector<std::string_view> views(names.begin(), names.end());
        return base::did_you_mean(wanted, views);
      },
      "wanted"_a, "names"_a);
  m.def("terminal", &terminal, "descriptor"_a,
        nb::sig("def terminal(descriptor: int) -> tuple[bool, bool, int]"));
  m.def("release_gpu_memory", &release_gpu_memory, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace warpath::python
