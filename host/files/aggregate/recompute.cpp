#include "host/files/aggregate/recompute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "host/files/formats/dump_measures.hpp"

namespace warpath::aggregate {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Says when a measure is recomputed.
enum class When { always, if_there, with_ground_truth };

struct PathMeasure {
  std::string_view name;
  Metric metric;
  When when = When::if_there;
};

constexpr PathMeasure path_measures[]{
    {"SR", Metric::SR, When::always},
    {"OSR", Metric::OSR, When::always},
    {"SPL", Metric::SPL, When::always},
    {"nDTW", Metric::nDTW, When::with_ground_truth},
    {"SDTW", Metric::SDTW, When::with_ground_truth},
    {"NE", Metric::NE, When::always},
    {"PL", Metric::PL, When::always},
    {"ONE", Metric::ONE},
    {"softSPL", Metric::SoftSPL},
    {"oracle SPL", Metric::OracleSPL},
};

// Tells whether two values are equal but for rounding in single precision.
bool are_equal(double a, double b) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
  return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(a));
}

// Finds the row of each episode of a dump. All entries of an id have a row, in their order.
class RowsOfEpisodes {
 public:
  RowsOfEpisodes(const AgentResult& run, const formats::ResultDump& dump,
                 formats::DumpDuplicates duplicates)
      : dump_(dump), duplicates_(duplicates) {
    for (const ItemRow& row : run.rows) {
      if (row.status != Status::missing) rows_[row.instr_id].push_back(&row);
    }
  }

  // Returns the row of the episode; call it for one after the other.
  const ItemRow& of(std::size_t episode, const std::string& dataset) {
    const std::string& id = dump_.episodes[episode].id;
    const auto found = rows_.find(id);
    if (found == rows_.end() || !found->second.front()->in_dataset) {
      throw InputError(dump_.where(episode), fmt::format("is not in {}", dataset),
                       "name the dataset that the agent was run on");
    }
    const std::vector<const ItemRow*>& rows = found->second;
    const std::size_t k = used_[id]++;
    if (k > 0 && duplicates_ != formats::DumpDuplicates::each) {
      throw InputError(dump_.where(episode), "is there for several scenes",
                       "--recompute takes runs of datasets whose episodes have ids of their own");
    }
    if (duplicates_ == formats::DumpDuplicates::last) return *rows.back();
    return *rows[std::min(k, rows.size() - 1)];
  }

 private:
  const formats::ResultDump& dump_;
  const formats::DumpDuplicates duplicates_;
  std::unordered_map<std::string_view, std::vector<const ItemRow*>> rows_;
  std::unordered_map<std::string_view, std::size_t> used_;
};

// Returns the value that a simulator's evaluator would write.
double value_of(const Scores& scores, Metric metric, std::size_t pair, Status status) {
  const double value = scores.at(metric, pair);
  const bool is_error = metric == Metric::NE || metric == Metric::ONE;
  if (is_error && std::isnan(value) && status == Status::goal_unreachable) {
    return std::numeric_limits<double>::infinity();
  }
  // 0 · inf / inf
  const bool is_cut_off = std::isnan(scores.at(Metric::SP, pair));
  return metric == Metric::SPL && is_cut_off ? not_a_number : value;
}

ComparedMeasure compare(const formats::DumpMeasure& given,
                        const std::vector<formats::DumpValue>& values,
                        const formats::ResultDump& dump) {
  ComparedMeasure compared{.name = given.name};
  double given_sum = 0.0, sum = 0.0;
  for (std::size_t e = 0; e < given.values.size(); ++e) {
    if (!given.values[e].is_number() || !values[e].is_number()) continue;
    const double before = given.values[e].number, now = values[e].number;
    ++compared.compared;
    compared.different += !are_equal(before, now);
    if (!std::isfinite(before) || !std::isfinite(now)) continue;
    ++compared.finite;
    given_sum += before;
    sum += now;
    if (std::abs(before - now) <= compared.max_difference) continue;
    compared.max_difference = std::abs(before - now);
    compared.max_episode = dump.episodes[e].id;
  }
  if (compared.finite > 0) {
    compared.given_mean = given_sum / static_cast<double>(compared.finite);
    compared.mean = sum / static_cast<double>(compared.finite);
  }
  return compared;
}

// Puts a measure where reports have it: known ones in their order, before others.
formats::DumpMeasure& measure_in(formats::ResultDump& dump, std::string_view name) {
  const auto known = formats::known_measures();
  const auto rank = [&](std::string_view of) {
    return std::ranges::find(known, of, &formats::KnownMeasure::name) - known.begin();
  };
  auto& measures = dump.measures;
  const auto place = std::ranges::find_if(measures, [&](const formats::DumpMeasure& m) {
    return !m.is_known || rank(m.name) >= rank(name);
  });
  if (place != measures.end() && place->name == name) return *place;
  const formats::KnownMeasure& is = known[static_cast<std::size_t>(rank(name))];
  formats::DumpMeasure measure{std::string(name), true, is.unit, is.better, {}};
  measure.values.resize(dump.episodes.size());
  return *measures.insert(place, std::move(measure));
}

void note_kept(const formats::ResultDump& dump, Recomputed& recomputed) {
  for (const formats::DumpMeasure& measure : dump.measures) {
    const bool is_new = std::ranges::find(recomputed.measures, measure.name,
                                          &ComparedMeasure::name) != recomputed.measures.end();
    if (!is_new) recomputed.kept.push_back(measure.name);
  }
}

void note_unscored(const formats::ResultDump& dump, const std::vector<const ItemRow*>& rows,
                   Recomputed& recomputed) {
  for (std::size_t e = 0; e < rows.size(); ++e) {
    if (rows[e]->pair) continue;
    if (recomputed.unscored++ > 0) continue;
    recomputed.first_unscored =
        fmt::format("{} ({})", dump.episodes[e].id, info(rows[e]->status).name);
  }
}

// Every entry gets a row, whichever of them counts in the dump.
Convention convention_of(const std::string& preset) {
  Convention convention = find_preset(preset).convention;
  convention.invalid = Invalid::skip;
  convention.missing = Missing::skip;
  convention.duplicates = Duplicates::each;
  return convention;
}

}  // namespace

Recomputed recompute(formats::ResultDump& dump, const std::vector<std::string>& paths,
                     formats::DumpDuplicates duplicates, EvalFiles files,
                     const std::string& preset) {
  files.predictions = paths;
  files.merge = paths.size() > 1;
  const bool has_ground_truth = !files.ground_truth.empty();
  Evaluator evaluator(std::move(files));
  const MetricSet there = evaluator.metrics();
  EvalOptions options;
  options.metrics = {Metric::SP};
  for (const PathMeasure& m : path_measures) options.metrics.insert(m.metric);
  const std::vector<AgentResult> runs = evaluator.evaluate(convention_of(preset), options);
  const AgentResult& run = runs.front();
  Recomputed recomputed{.inputs = evaluator.description(),
                        .preset = preset,
                        .predictions = run.format_description,
                        .distances = run.distances};
  RowsOfEpisodes rows_of(run, dump, duplicates);
  std::vector<const ItemRow*> rows;
  for (std::size_t e = 0; e < dump.episodes.size(); ++e) {
    rows.push_back(&rows_of.of(e, recomputed.inputs.dataset_file));
  }
  note_unscored(dump, rows, recomputed);
  for (const PathMeasure& m : path_measures) {
    const bool is_wanted =
        m.when == When::always ||
        (dump.find(m.name) != nullptr && (m.when == When::if_there || has_ground_truth));
    if (!is_wanted || !there.contains(m.metric)) continue;
    formats::DumpMeasure& measure = measure_in(dump, m.name);
    std::vector<formats::DumpValue> values(rows.size());
    for (std::size_t e = 0; e < rows.size(); ++e) {
      if (!rows[e]->pair) continue;
      values[e] = {value_of(run.scores, m.metric, *rows[e]->pair, rows[e]->status),
                   formats::DumpValue::Kind::number};
    }
    recomputed.measures.push_back(compare(measure, values, dump));
    measure.values = std::move(values);
  }
  note_kept(dump, recomputed);
  return recomputed;
}

}  // namespace warpath::aggregate
