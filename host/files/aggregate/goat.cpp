// GOAT-Bench: the trainer's means over episodes of episode_metrics.json. Its shares within an
// episode weigh the same in long and short episodes, and those of a modality are 0 in episodes that
// have no such subtask. Sums over subtasks are ours.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "host/files/aggregate/program_dump.hpp"
#include "host/files/aggregate/programs.hpp"
#include "host/files/formats/dump_value.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::aggregate {
namespace {

constexpr std::string_view goat_remedy = "name the episode_metrics.json of GOAT-Bench";

constexpr std::string_view our_parts[]{"subtask", "object", "image", "description"};
constexpr std::string_view our_measures[]{"SR", "SPL"};

bool is_ours(std::string_view name) {
  return std::ranges::any_of(our_parts, [&](std::string_view part) {
    return std::ranges::any_of(our_measures, [&](std::string_view measure) {
      return name == fmt::format("{} {}", part, measure);
    });
  });
}

bool is_id(std::string_view key) {
  return key == "episode_id" || key == "scene_id";
}

// Sets the scalars. Those of the first entry make the columns; texts and lists are none.
void set_scalars(json::Object entry, bool is_first, ProgramDump& dump) {
  for (const auto field : formats::KeyReader().fields(entry)) {
    const formats::DumpValue value = formats::dump_value(field.value);
    if (is_id(field.key)) continue;
    const bool is_scalar = value.is_number() || value.kind == formats::DumpValue::Kind::null;
    if (is_first ? is_scalar : dump.has(field.key)) dump.set(field.key, value);
  }
}

std::string modality_of(json::Array subtasks, std::size_t position) {
  return std::string(subtasks.at(position).at(1).text());
}

// Sets a measure of the subtasks: all of them, and those of each modality.
void set_subtasks(json::Object entry, std::string_view key, std::string_view measure,
                  ProgramDump& dump) {
  const auto values = number_list(entry, key);
  json::Array subtasks;
  const bool has_list = entry["subtasks"].get(subtasks);
  if (!values) return;
  const auto set = [&](std::string_view part, double sum, std::size_t count) {
    const std::string name = fmt::format("{} {}", part, measure);
    if (count == 0) return dump.leave_out(name);
    dump.set(name, sum, static_cast<double>(count));
  };
  set("subtask", std::accumulate(values->begin(), values->end(), 0.0), values->size());
  bool has_names = values->empty() || has_list;
  for (std::size_t i = 0; has_names && i < values->size(); ++i) {
    has_names = !modality_of(subtasks, i).empty();
  }
  for (const std::string_view modality : std::span(our_parts).subspan(1)) {
    if (!has_names) {  // of which modality a value is, is not known
      dump.declare(fmt::format("{} {}", modality, measure), true);
      continue;
    }
    double sum = 0.0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < values->size(); ++i) {
      if (modality_of(subtasks, i) != modality) continue;
      sum += (*values)[i];
      ++count;
    }
    set(modality, sum, count);
  }
}

void declare_subtasks(ProgramDump& dump) {
  for (const std::string_view part : our_parts) {
    for (const std::string_view measure : our_measures) {
      formats::DumpMeasure& column = dump.declare(fmt::format("{} {}", part, measure));
      column.is_known = true;
      column.unit = Unit::fraction;
      column.better = Better::higher;
    }
  }
}

}  // namespace

bool recognizes_goat(const DumpRequest& request) {
  return begins_with_words(request, {"success.composite_success", "success_by_subtask"});
}

formats::ResultDump read_goat(const DumpRequest& request) {
  ProgramDump dump("goat");
  for_each_entry(
      dump, request, goat_remedy,
      [&](json::Object entry, const std::string& id, std::size_t number) {
        const bool is_first = dump.is_empty();
        const auto scene = formats::find_key(entry, "scene_id");
        dump.add_episode(
            id, scene.count > 0 && scene.value.is_string() ? formats::id_text(scene.value, {}) : "",
            number);
        set_scalars(entry, is_first, dump);
        if (is_first) declare_subtasks(dump);
        const bool is_misspelt = formats::has_key(entry, "spl_by_subtaskl");
        set_subtasks(entry, "success_by_subtask", "SR", dump);
        set_subtasks(entry, is_misspelt ? "spl_by_subtaskl" : "spl_by_subtask", "SPL", dump);
      });
  return dump.finish(request.words.front(), goat_remedy);
}

RuleResult apply_goat(const formats::ResultDump& dump, const OursOptions&) {
  if (const auto failed = fail_early(dump, "goat")) return *failed;
  RuleResult result;
  for (const formats::DumpMeasure& measure : dump.measures) {
    const bool is_of_first = measure.values.front().kind != formats::DumpValue::Kind::absent;
    if (!is_of_first || is_ours(measure.name)) continue;
    if (const std::string failure = find_no_number(dump, measure.name); !failure.empty()) {
      return {.means = {}, .failure = failure, .refusal = {}};
    }
    result.means.push_back(sum_over_sum(dump, measure.name));
  }
  return result;
}

}  // namespace warpath::aggregate
