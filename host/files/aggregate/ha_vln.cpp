// HA-VLN: HASimulator/metric.py and the means of base_il_trainer.py. Collisions with people count
// beyond a baseline, which has those that no path can avoid.

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "host/files/aggregate/program_dump.hpp"
#include "host/files/aggregate/programs.hpp"
#include "host/files/formats/dump_measures.hpp"
#include "host/files/formats/dump_value.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::aggregate {
namespace {

constexpr std::string_view infos_remedy =
    "name the infos of HA-VLN's episodes: {id: {\"success\": ..., \"collisions\": {\"count\": "
    "...}}}, or a list or lines with an episode_id";

// The means take the keys of the first episode, without these and what says which episode it is.
bool is_dropped(std::string_view key) {
  return key == "distance_to_human" || key == "collisions_detail" || key == "episode_id" ||
         key == "id" || key == "scene_id";
}

// "success" keeps its name: SR is the success without a collision.
std::string name_of(std::string_view key) {
  const formats::KnownMeasure* known = formats::find_known(key);
  return std::string(known == nullptr || key == "success" ? key : known->name);
}

// Returns the number of an episode's collisions; nothing if that ends the program.
std::optional<double> count_collisions(json::Object info, ProgramDump& dump) {
  const auto [collisions, is_there] = formats::find_key(info, "collisions");
  if (is_there == 0) {
    dump.fail("KeyError", "has no collisions");
    return std::nullopt;
  }
  const auto object = formats::object_in(collisions);
  if (!object) {
    dump.fail("TypeError", fmt::format("has {} for collisions", formats::type_name(collisions)));
    return std::nullopt;
  }
  const auto count = formats::find_key(*object, "count");
  if (count.count == 0) {
    dump.fail("KeyError", "has no count in collisions");
    return std::nullopt;
  }
  const formats::DumpValue value = formats::dump_value(count.value);
  if (!value.is_number()) dump.fail("TypeError", "has no number for the count of collisions");
  return value.is_number() ? std::optional(value.number) : std::nullopt;
}

// Sets what metric.py adds to the episode. A count of NaN stays NaN here; the program takes it for
// no collision.
void set_collisions(json::Object info, const std::string& id, json::Object baseline,
                    ProgramDump& dump) {
  const auto count = count_collisions(info, dump);
  if (!count) return;
  dump.set("collisions", *count);
  const auto base = formats::find_key(baseline, id);
  if (base.count == 0) return dump.fail("KeyError", "is not in the baseline of collisions");
  const formats::DumpValue unavoidable = formats::dump_value(base.value);
  if (!unavoidable.is_number()) {
    return dump.fail("TypeError", "has no number in the baseline of collisions");
  }
  const double beyond = *count - unavoidable.number;
  const double tcr = std::isnan(beyond) ? beyond : python_max(0.0, beyond);
  dump.set("TCR", tcr);
  dump.set("CR", std::isnan(tcr) ? tcr : python_min(tcr, 1.0));
  const auto success = formats::find_key(info, "success");
  if (success.count == 0) return dump.fail("KeyError", "has no success");
  const formats::DumpValue value = formats::dump_value(success.value);
  if (!value.is_number()) return dump.fail("TypeError", "has no number for success");
  dump.set("SR", std::isnan(tcr) ? tcr : value.number * (tcr == 0.0 ? 1.0 : 0.0));
}

void set_info(json::Object info, bool is_first, ProgramDump& dump) {
  for (const auto field : formats::KeyReader().fields(info)) {
    const std::string name = name_of(field.key);
    const bool is_wanted =
        field.key != "collisions" && !is_dropped(field.key) && (is_first || dump.has(name));
    if (is_wanted) dump.set(name, formats::dump_value(field.value));
  }
}

// Returns what the program takes where it takes a count of NaN for no collision.
RuleMean without_collision(const formats::ResultDump& dump, std::string_view name) {
  formats::ResultDump filled;
  filled.episodes = dump.episodes;
  formats::DumpMeasure column = *dump.find(name);
  const formats::DumpMeasure &tcr = *dump.find("TCR"), &success = *dump.find("success");
  std::uint64_t zeroed = 0;
  for (std::size_t e = 0; e < column.values.size(); ++e) {
    if (!std::isnan(tcr.values[e].number)) continue;
    column.values[e].number = name == "SR" ? success.values[e].number : 0.0;
    zeroed += name == "SR" ? 0 : 1;
  }
  filled.measures.push_back(std::move(column));
  RuleMean mean = sum_over_sum(filled, name);
  mean.zeroed = zeroed;
  return mean;
}

// Returns the first exception of a key that an episode lacks.
std::string find_no_key(const formats::ResultDump& dump, const formats::DumpMeasure& measure) {
  for (std::size_t e = 0; e < measure.values.size(); ++e) {
    if (measure.values[e].kind == formats::DumpValue::Kind::absent) {
      return exception_at(dump, "KeyError", e, "has no " + measure.name);
    }
  }
  return "";
}

}  // namespace

bool recognizes_ha_vln(const DumpRequest& request) {
  return !request.collision_baseline.empty();
}

formats::ResultDump read_ha_vln(const DumpRequest& request) {
  if (request.collision_baseline.empty()) {
    throw UsageError(
        "--rules ha-vln needs --collision-baseline FILE: the collision_num_<split>.json of "
        "HA-R2R-tools");
  }
  const formats::JsonFile baseline_file(request.collision_baseline, request.reading);
  const json::Object baseline = formats::as_object(baseline_file.root(), {baseline_file.path()});
  ProgramDump dump("ha-vln");
  const auto add = [&](json::Object info, const std::string& id, std::size_t number) {
    const bool is_first = dump.is_empty();
    dump.add_episode(id, {}, number);
    set_info(info, is_first, dump);
    set_collisions(info, id, baseline, dump);
  };
  for (const std::string& name : request.words) {
    const formats::JsonFile file(name, request.reading);
    const auto infos = formats::object_in(file.root());
    if (!infos || formats::has_key(*infos, "collisions")) {
      DumpRequest one = request;
      one.words = {name};
      for_each_entry(dump, one, infos_remedy, add);
      continue;
    }
    dump.add_file(file.path(), file.hash(), "by id");
    for (const auto field : formats::KeyReader().fields(*infos)) {
      const InputError::Where where{file.path(), "episode " + std::string(field.key), {}};
      add(formats::as_object(field.value, where), std::string(field.key), 0);
    }
  }
  return dump.finish(request.words.front(), infos_remedy);
}

RuleResult apply_ha_vln(const formats::ResultDump& dump, const OursOptions&) {
  if (const auto failed = fail_early(dump, "ha-vln")) return *failed;
  RuleResult result;
  for (const formats::DumpMeasure& measure : dump.measures) {
    std::string failure = find_no_key(dump, measure);
    if (failure.empty()) failure = find_no_number(dump, measure.name);
    if (!failure.empty()) return {.means = {}, .failure = failure, .refusal = {}};
    const bool is_of_collisions =
        measure.name == "TCR" || measure.name == "CR" || measure.name == "SR";
    result.means.push_back(is_of_collisions ? without_collision(dump, measure.name)
                                            : sum_over_sum(dump, measure.name));
  }
  return result;
}

}  // namespace warpath::aggregate
