#include "host/files/aggregate/rules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "host/core/base/suggest.hpp"
#include "host/files/aggregate/programs.hpp"

namespace warpath::aggregate {
namespace {

// What a program does with a value that it does not take as it stands.
enum class Guard {
  none,             // null is an exception, NaN and infinity are added
  drop,             // null, NaN and infinity are left out
  drop_not_finite,  // NaN and infinity are left out
  zero_not_finite,  // NaN and infinity count 0
  zero_negative,    // values below 0 count 0
};

struct Averaged {
  std::string_view measure;
  Guard guard = Guard::none;
  bool is_optional = false;  // episodes without it are left out
};

// The order in which a program meets what ends it.
enum class Order { keys_first, by_measure, by_episode };

struct Program {
  std::vector<Averaged> measures;
  Order order = Order::keys_first;
  bool takes_floats = false;  // values are rounded to single precision
  bool gives_floats = false;  // so are means
};

enum class Fault { none, no_key, no_number };

Fault fault_of(const formats::DumpMeasure* measure, std::size_t episode, const Averaged& averaged) {
  const bool is_there =
      measure != nullptr && measure->values[episode].kind != formats::DumpValue::Kind::absent;
  if (!is_there) return averaged.is_optional ? Fault::none : Fault::no_key;
  const bool is_taken = measure->values[episode].is_number() || averaged.guard == Guard::drop;
  return is_taken ? Fault::none : Fault::no_number;
}

std::string describe(const formats::ResultDump& dump, std::size_t episode, std::string_view measure,
                     Fault fault) {
  const InputError::Where where = dump.where(episode);
  const bool names_file = dump.files.size() > 1 || where.item.empty();
  const std::string place = fmt::format("{}{}{}", names_file ? where.file : "",
                                        names_file && !where.item.empty() ? ": " : "", where.item);
  if (fault == Fault::no_key) return fmt::format("KeyError: {} has no {}", place, measure);
  const bool is_null = dump.find(measure)->values[episode].kind == formats::DumpValue::Kind::null;
  return fmt::format("TypeError: {} has {} for {}", place, is_null ? "null" : "no number", measure);
}

// Returns the exception that ends the program, or nothing.
std::string find_failure(const formats::ResultDump& dump, const Program& program) {
  const std::size_t count = dump.episodes.size();
  std::vector<const formats::DumpMeasure*> columns;
  for (const Averaged& a : program.measures) columns.push_back(dump.find(a.measure));
  std::string failure;
  const auto stops = [&](std::size_t episode, std::size_t m, bool keys, bool numbers) {
    const Averaged& averaged = program.measures[m];
    const Fault fault = fault_of(columns[m], episode, averaged);
    if (!(keys && fault == Fault::no_key) && !(numbers && fault == Fault::no_number)) return false;
    failure = describe(dump, episode, averaged.measure, fault);
    return true;
  };
  const auto any_by_measure = [&](bool keys) {
    for (std::size_t m = 0; m < columns.size(); ++m) {
      for (std::size_t e = 0; e < count; ++e) {
        if (stops(e, m, keys, true)) return true;
      }
    }
    return false;
  };
  const auto any_by_episode = [&](bool numbers) {
    for (std::size_t e = 0; e < count; ++e) {
      for (std::size_t m = 0; m < columns.size(); ++m) {
        if (stops(e, m, true, numbers)) return true;
      }
    }
    return false;
  };
  switch (program.order) {
    case Order::keys_first:
      if (!any_by_episode(false)) any_by_measure(false);
      break;
    case Order::by_measure:
      any_by_measure(true);
      break;
    case Order::by_episode:
      any_by_episode(true);
      break;
  }
  return failure;
}

RuleMean average(const formats::DumpMeasure& measure, Guard guard, const Program& program) {
  RuleMean mean{measure.name, {}, 0, 0, 0, {}};
  double sum = 0.0;
  for (const formats::DumpValue& value : measure.values) {
    double x =
        program.takes_floats ? static_cast<double>(static_cast<float>(value.number)) : value.number;
    const bool is_finite = value.is_number() && std::isfinite(x);
    const bool is_absent =
        value.kind == formats::DumpValue::Kind::absent;  // of an optional measure
    if (is_absent || (!is_finite && (guard == Guard::drop || guard == Guard::drop_not_finite))) {
      ++mean.dropped;
      continue;
    }
    if ((guard == Guard::zero_not_finite && !is_finite) ||
        (guard == Guard::zero_negative && x < 0.0)) {
      ++mean.zeroed;
      x = 0.0;
    }
    sum += x;
    ++mean.n;
  }
  const double quotient = sum / static_cast<double>(mean.n);  // 0/0 is NaN, as in NumPy
  mean.mean = program.gives_floats ? static_cast<double>(static_cast<float>(quotient)) : quotient;
  return mean;
}

RuleResult run(const formats::ResultDump& dump, Program program) {
  std::erase_if(program.measures, [&](const Averaged& a) {
    return a.is_optional && dump.find(a.measure) == nullptr;
  });
  RuleResult result;
  result.failure = find_failure(dump, program);
  if (!result.failure.empty()) return result;
  for (const Averaged& a : program.measures) {
    result.means.push_back(average(*dump.find(a.measure), a.guard, program));
  }
  return result;
}

RuleResult fail_on_other_form(const formats::ResultDump& dump) {
  RuleResult result;
  result.failure = dump.is_vlnpe
                       ? "KeyError: VLN-PE nests the values of an episode in 'info'"
                       : fmt::format("KeyError: the files are of the form of {}", dump.program);
  return result;
}

RuleResult apply_navila(const formats::ResultDump& dump, const OursOptions&) {
  if (!dump.is_plain()) return fail_on_other_form(dump);
  RuleResult result = run(dump, {.measures = {{"NE", Guard::drop},
                                              {"SR"},
                                              {"SPL", Guard::drop},
                                              {"nDTW"},
                                              {"PL"},
                                              {"OSR"},
                                              {"steps"}}});
  for (RuleMean& mean : result.means) {
    if (mean.n == 0) mean.mean.reset();  // it prints "N/A"
  }
  return result;
}

RuleResult apply_internnav(const formats::ResultDump& dump, const OursOptions&) {
  if (!dump.is_plain()) return fail_on_other_form(dump);
  return run(dump, {.measures = {{"SR"},
                                 {"SPL", Guard::zero_not_finite},
                                 {"OSR"},
                                 {"NE", Guard::drop_not_finite},
                                 {"nDTW", Guard::none, true}},
                    .takes_floats = true,
                    .gives_floats = true});
}

RuleResult apply_streamvln(const formats::ResultDump& dump, const OursOptions&) {
  if (!dump.is_plain()) return fail_on_other_form(dump);
  return run(dump, {.measures = {{"SR"}, {"SPL"}, {"OSR"}, {"NE"}}, .takes_floats = true});
}

// Averages what the first episode has.
RuleResult apply_dcvln(const formats::ResultDump& dump, const OursOptions&) {
  if (!dump.is_plain()) return fail_on_other_form(dump);
  Program program{.measures = {}, .order = Order::by_measure};
  for (const formats::DumpMeasure& measure : dump.measures) {
    if (measure.values.front().kind != formats::DumpValue::Kind::absent) {
      program.measures.push_back({measure.name});
    }
  }
  return run(dump, program);
}

// Returns what NaVid adds for a value; nothing if the value is an exception.
std::optional<double> navid_term(const formats::DumpMeasure* measure, std::size_t episode,
                                 bool is_whole, bool is_guarded) {
  if (measure == nullptr || !measure->values[episode].is_number()) return std::nullopt;
  const double x = measure->values[episode].number;
  if (is_whole) return std::isfinite(x) ? std::optional(std::trunc(x)) : std::nullopt;
  return is_guarded && !std::isfinite(x) ? 0.0 : x;
}

RuleResult apply_navid(const formats::ResultDump& dump, const OursOptions&) {
  if (!dump.is_plain()) return fail_on_other_form(dump);
  // In the order in which it reads an episode's file.
  constexpr std::array<std::string_view, 5> names{"SR", "SPL", "NE", "OSR", "PL"};
  RuleResult result;
  std::array<double, names.size()> sums{};
  std::array<const formats::DumpMeasure*, names.size()> columns;
  for (std::size_t m = 0; m < names.size(); ++m) {
    columns[m] = dump.find(names[m]);
    result.means.push_back({std::string(names[m]), {}, dump.episodes.size(), 0, 0, {}});
  }
  for (std::size_t e = 0; e < dump.episodes.size(); ++e) {
    bool has_raised = false;  // nothing more of this episode is added
    for (std::size_t m = 0; m < names.size(); ++m) {
      const bool is_whole = names[m] == "SR" || names[m] == "OSR";
      const auto term =
          has_raised ? std::nullopt : navid_term(columns[m], e, is_whole, names[m] != "PL");
      has_raised = !term;
      const double added = term.value_or(0.0);
      sums[m] += added;
      const bool is_kept = term && (added == columns[m]->values[e].number || added != 0.0);
      if (!is_kept) ++result.means[m].zeroed;
    }
  }
  for (std::size_t m = 0; m < names.size(); ++m) {
    result.means[m].mean = sums[m] / static_cast<double>(dump.episodes.size());
  }
  return result;
}

// Rounds as Python's round(x, 4): to the nearest decimal, correctly from the binary value.
double rounded_to_4(double x) {
  if (!std::isfinite(x)) return x;
  const std::string text = fmt::format("{:.4f}", x);
  double rounded = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), rounded);
  return rounded;
}

RuleResult apply_vlnpe(const formats::ResultDump& dump, const OursOptions&) {
  RuleResult result;
  if (!dump.is_vlnpe) {
    result.failure = "KeyError: no episode has 'info'";
    return result;
  }
  result = run(dump, {.measures = {{"PL"},
                                   {"NE", Guard::zero_negative},
                                   {"OSR", Guard::zero_negative},
                                   {"SR"},
                                   {"SPL"}},
                      .order = Order::by_episode});
  if (result.has_failed()) return result;
  for (const std::string_view name : {"FR", "StR"}) {
    RuleMean mean{std::string(name), 0.0, dump.episodes.size(), 0, 0, {}};
    double count = 0.0;
    for (std::size_t e = 0; e < dump.episodes.size(); ++e) {
      const formats::DumpMeasure* column = dump.find(name);
      const bool is_there = column != nullptr && column->values[e].is_number();
      if (is_there) count += column->values[e].number;
      if (!is_there) ++mean.zeroed;  // without a reason, none counts
    }
    mean.mean = count / static_cast<double>(mean.n);
    result.means.push_back(mean);
  }
  for (RuleMean& mean : result.means) mean.mean = rounded_to_4(*mean.mean);
  return result;
}

constexpr AggregateRule rules[]{
    {"ours", "", "every value of every episode counts, or is refused", average_ours},
    {"navid", "NaVid analyze_results.py",
     "NaN and infinite values count 0, and so does what follows an exception in an episode's file; "
     "all divide by the number of files",
     apply_navid},
    {"navila", "NaVILA eval_jsons.py",
     "SPL and NE that are null, NaN or infinite are left out; other measures are unguarded",
     apply_navila},
    {"internnav", "InternNav habitat_vln_evaluator.py",
     "SPL that is NaN or infinite counts 0, such NE is left out; single precision",
     apply_internnav},
    {"streamvln", "StreamVLN streamvln_eval.py", "sum / count, unguarded; single precision",
     apply_streamvln},
    {"dcvln", "Discrete-Continuous-VLN and ETPNav base_il_trainer.py",
     "sum / count of what the first episode has, unguarded", apply_dcvln},
    {"vlnpe", "InternNav VLN-PE result_logger.py",
     "NE and OSR below 0 count 0; rounded to 4 decimals", apply_vlnpe},
    {"activevln", "ActiveVLN analyze_results.py",
     "NaN and infinite values but lengths count 0; first over the runs of an id, then over the ids "
     "with as many runs",
     apply_activevln, read_activevln},
    {"lhvln", "LH-VLN utils/metrics.py",
     "NaN and infinite values are added; ISR is over subtasks, TAR over those that were reached, "
     "the others over tasks",
     apply_lhvln, read_lhvln, recognizes_lhvln},
    {"goat", "GOAT-Bench's trainer", "sum / count of the first episode's scalars, unguarded",
     apply_goat, read_goat, recognizes_goat},
    {"ha-vln", "HA-VLN HASimulator/metric.py and base_il_trainer.py",
     "collisions beyond a baseline; a count of NaN is none; others unguarded", apply_ha_vln,
     read_ha_vln, recognizes_ha_vln, "havlnce"},
    {"evt", "TrackVLA analyze_results.py",
     "a success of NaN is one; other values that are NaN, infinite or missing leave their sum",
     apply_evt, read_evt, recognizes_evt},
    {"uavon", "UAV-ON utils/classify_metric.py",
     "success by the folder's name; a success without a length counts 0 in SPL, a task without a "
     "distance leaves DTS",
     apply_uavon, read_uavon, recognizes_uavon},
    {"indooruav-vla",
     "IndoorUAV-Agent eval_metric/vla_metric.py",
     "nDTW over flights that stop and are below 1, others over those that raise no exception; NE "
     "is "
     "not printed",
     apply_indooruav_vla,
     read_indooruav_vla,
     recognizes_indooruav_vla,
     {},
     true},
    {"alfred", "ALFRED eval_task.py",
     "unguarded sums; an episode that stops at once is in neither list of the file", apply_alfred,
     read_alfred, recognizes_alfred},
    {"teach", "TEACh compute_metrics.py", "unguarded sums, which may be below 0", apply_teach,
     read_teach, recognizes_teach},
    {"plw", "ALFRED eval_task.py or TEACh compute_metrics.py",
     "alfred or teach, by the form of the files", apply_plw, read_plw},
};

}  // namespace

const RuleMean* RuleResult::find(std::string_view measure) const {
  const auto found = std::ranges::find(means, measure, &RuleMean::measure);
  return found == means.end() ? nullptr : &*found;
}

std::span<const AggregateRule> aggregate_rules() {
  return rules;
}

const AggregateRule& find_aggregate_rule(std::string_view name) {
  std::vector<std::string_view> names;
  for (const AggregateRule& rule : rules) {
    if (base::equal_letters(rule.name, name) || (!rule.also.empty() && rule.also == name)) {
      return rule;
    }
    names.push_back(rule.name);
  }
  throw UsageError(base::no_such("rule", name, names));
}

const AggregateRule* find_reading_rule(std::span<const std::string> names,
                                       const DumpRequest& request) {
  const AggregateRule* reading = nullptr;
  bool is_named = false;  // a rule but ours
  for (const std::string& name : names) {
    if (base::equal_letters(name, "all")) continue;
    const AggregateRule& rule = find_aggregate_rule(name);
    if (rule.source.empty() || &rule == reading) continue;
    if (is_named && (reading != nullptr || rule.read != nullptr)) {
      throw UsageError(
          fmt::format("--rules {}: {} reads files of its own: name it alone or with ours",
                      fmt::join(names, ","), rule.read != nullptr ? rule.name : reading->name));
    }
    is_named = true;
    if (rule.read != nullptr) reading = &rule;
  }
  if (is_named) return reading;
  const auto* const found = std::ranges::find_if(rules, [&](const AggregateRule& rule) {
    return rule.recognizes != nullptr && rule.recognizes(request);
  });
  return found == std::end(rules) ? nullptr : found;
}

std::vector<const AggregateRule*> rules_for(const formats::ResultDump& dump) {
  std::vector<const AggregateRule*> chosen;
  for (const AggregateRule& rule : rules) {
    const bool is_of_vlnpe = rule.name == "vlnpe";
    const bool fits = dump.program.empty() ? rule.read == nullptr && is_of_vlnpe == dump.is_vlnpe
                                           : rule.name == dump.program;
    if (rule.name == "ours" || fits) chosen.push_back(&rule);
  }
  return chosen;
}

}  // namespace warpath::aggregate
