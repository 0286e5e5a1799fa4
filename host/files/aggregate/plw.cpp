// ALFRED's models/eval/eval_task.py and TEACh's eval/compute_metrics.py: shares of goal conditions,
// and rates that weigh an episode by the length of its reference (PLW).

#include <fmt/format.h>

#include "host/files/aggregate/program_dump.hpp"
#include "host/files/aggregate/programs.hpp"
#include "host/files/formats/dump_value.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::aggregate {
namespace {

constexpr std::string_view alfred_remedy =
    "name ALFRED's task_results_*.json: {\"successes\": [...], \"failures\": [...]}";
constexpr std::string_view teach_remedy =
    "name TEACh's metrics by instance: {id: {\"success\", \"gt_path_len\", "
    "\"path_len_weighted_success_spl\", ...}}";

// TEACh's defaults: --max_api_fails and --max_traj_steps.
constexpr double max_api_fails = 30.0, max_steps = 1000.0;

// Returns a number under a key; notes the exception where there is none.
formats::DumpValue read_number(json::Object entry, std::string_view key, ProgramDump& dump) {
  const auto [value, count] = formats::find_key(entry, key);
  if (count == 0) {
    dump.fail("KeyError", fmt::format("has no {}", key));
    return {};
  }
  const formats::DumpValue read = formats::dump_value(value);
  if (!read.is_number()) dump.fail("TypeError", fmt::format("has no number for {}", key));
  return read;
}

// Sets a measure whose mean is the sum under one key over the sum under another.
void set_ratio(json::Object entry, std::string_view measure, std::string_view added,
               std::string_view counted, ProgramDump& dump) {
  const formats::DumpValue sum = read_number(entry, added, dump);
  const formats::DumpValue count = read_number(entry, counted, dump);
  dump.set(measure, sum, count.is_number() ? count.number : 1.0);
}

void set_ratios(json::Object entry, std::string_view length_key, ProgramDump& dump) {
  set_ratio(entry, "GC", "completed_goal_conditions", "total_goal_conditions", dump);
  set_ratio(entry, "PLW SR", "path_len_weighted_success_spl", length_key, dump);
  set_ratio(entry, "PLW GC", "path_len_weighted_goal_condition_spl", length_key, dump);
}

std::optional<json::Array> list_in(json::Object root, std::string_view key) {
  const auto [value, count] = formats::find_key(root, key);
  json::Array list;
  if (count == 0 || !value.get(list)) return std::nullopt;
  return list;
}

void add_entries(const formats::JsonFile& file, json::Array list, std::string_view key,
                 ProgramDump& dump) {
  std::size_t position = 0;
  for (const json::Value element : list) {
    const InputError::Where where{file.path(), fmt::format("{} {}", key, position), {}};
    const json::Object entry = formats::as_object(element, where);
    const auto trial = formats::find_key(entry, "trial");
    const std::string id = trial.count > 0 ? formats::id_text(trial.value, where) : "";
    dump.add_episode(id.empty() ? where.item : fmt::format("{} ({} {})", id, key, position));
    const auto type = formats::find_key(entry, "type");
    if (type.count > 0 && type.value.is_string()) {
      dump.episode().group = type.value.text();
    }
    dump.set("SR", key == "successes" ? 1.0 : 0.0);
    set_ratios(entry, "path_len_weight", dump);
    ++position;
  }
}

void set_teach(json::Object entry, ProgramDump& dump) {
  const auto flag = [&](std::string_view measure, std::string_view key, double at_least) {
    const formats::DumpValue value = read_number(entry, key, dump);
    if (value.is_number()) dump.set(measure, value.number >= at_least ? 1.0 : 0.0);
    return value.number;
  };
  const formats::DumpValue success = read_number(entry, "success", dump);
  if (success.is_number()) dump.set("SR", success.number == 1.0 ? 1.0 : 0.0);
  set_ratios(entry, "gt_path_len", dump);
  dump.set("stops", read_number(entry, "predicted_stop", dump));
  flag("api limit", "num_api_fails", max_api_fails);
  const double steps = flag("step limit", "traj_len", max_steps);
  dump.set("errors", read_number(entry, "error", dump));
  const formats::DumpValue length = read_number(entry, "gt_path_len", dump);
  if (steps == 0.0 && length.number == 0.0) {
    dump.fail("ZeroDivisionError", "has 0 for traj_len and gt_path_len");
  }
}

// Returns the means of a group of episodes, or of all; or the exception of an empty divisor.
std::vector<RuleMean> means_of(const formats::ResultDump& dump,
                               std::optional<std::string_view> group, std::string& failure) {
  std::vector<RuleMean> means;
  for (const formats::DumpMeasure& measure : dump.measures) {
    RuleMean mean = sum_over_sum(dump, measure.name, group);
    const bool is_zero = mean.divisor == 0.0;
    const bool is_weighted = measure.name.starts_with("PLW");
    if (is_zero && is_weighted && dump.program == "teach") mean.mean = 0.0;  // it checks for 0
    if (is_zero && !(is_weighted && dump.program == "teach") && failure.empty()) {
      failure = fmt::format("ZeroDivisionError: {} divides by {} of 0{}", measure.name,
                            is_weighted ? "lengths of references" : "a number of goal conditions",
                            group ? fmt::format(" in {}", *group) : "");
    }
    means.push_back(std::move(mean));
  }
  return means;
}

RuleResult apply_ratios(const formats::ResultDump& dump, std::string_view rule) {
  if (const auto failed = fail_early(dump, rule)) return *failed;
  RuleResult result;
  result.means = means_of(dump, std::nullopt, result.failure);
  for (const std::string& group : groups_of(dump)) {
    result.groups.push_back({group, means_of(dump, group, result.failure)});
  }
  if (result.has_failed()) return {.means = {}, .failure = result.failure, .refusal = {}};
  return result;
}

}  // namespace

bool recognizes_alfred(const DumpRequest& request) {
  return begins_with_words(request, {"path_len_weighted_success_spl", "path_len_weight"});
}

bool recognizes_teach(const DumpRequest& request) {
  return begins_with_words(request, {"path_len_weighted_success_spl", "gt_path_len"});
}

formats::ResultDump read_alfred(const DumpRequest& request) {
  ProgramDump dump("alfred");
  for (const std::string& name : request.words) {
    const formats::JsonFile file(name, request.reading);
    const auto root = formats::object_in(file.root());
    const auto successes = root ? list_in(*root, "successes") : std::nullopt;
    const auto failures = root ? list_in(*root, "failures") : std::nullopt;
    if (!successes || !failures) {
      throw InputError({file.path()}, "has no lists of successes and failures",
                       std::string(alfred_remedy));
    }
    dump.add_file(file.path(), file.hash(), "by id");
    add_entries(file, *successes, "successes", dump);
    add_entries(file, *failures, "failures", dump);
  }
  return dump.finish(request.words.front(), alfred_remedy);
}

formats::ResultDump read_teach(const DumpRequest& request) {
  ProgramDump dump("teach");
  for (const char* name : {"SR", "GC", "PLW SR", "PLW GC"}) dump.declare(name);
  for (const char* name : {"GC", "PLW GC"}) dump.declare(name).is_known = false;  // may be below 0
  for (const std::string& name : request.words) {
    const formats::JsonFile file(name, request.reading);
    const auto root = formats::object_in(file.root());
    if (!root) throw InputError({file.path()}, "is no object", std::string(teach_remedy));
    dump.add_file(file.path(), file.hash(), "by id");
    for (const auto field : formats::KeyReader().fields(*root)) {
      const InputError::Where where{file.path(), "episode " + std::string(field.key), {}};
      const json::Object entry = formats::as_object(field.value, where);
      dump.add_episode(std::string(field.key));
      set_teach(entry, dump);
    }
  }
  return dump.finish(request.words.front(), teach_remedy);
}

formats::ResultDump read_plw(const DumpRequest& request) {
  return recognizes_teach(request) ? read_teach(request) : read_alfred(request);
}

RuleResult apply_alfred(const formats::ResultDump& dump, const OursOptions&) {
  return apply_ratios(dump, "alfred");
}

RuleResult apply_teach(const formats::ResultDump& dump, const OursOptions&) {
  return apply_ratios(dump, "teach");
}

RuleResult apply_plw(const formats::ResultDump& dump, const OursOptions&) {
  return apply_ratios(dump, dump.program == "teach" ? "teach" : "alfred");
}

}  // namespace warpath::aggregate
