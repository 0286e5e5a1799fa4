#include "host/files/evaluation/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/files/evaluation/item_summary.hpp"
#include "host/files/evaluation/matching.hpp"
#include "host/files/evaluation/status_text.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"
#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

// Returns the remedy of one status. Missing items have one remedy for all of them.
std::string own_remedy(Status status) {
  return status == Status::missing ? "" : fmt::format("; {}", info(status).remedy);
}

// Throws if `is_refused` holds for any row. The message states their number among the rows for
// which `is_counted` holds.
template <class Refused, class Counted>
void refuse(const AgentResult& run, const Convention& convention, Refused is_refused,
            Counted is_counted, std::string_view problem, std::string_view remedy) {
  std::array<io::CountedIds, status_count> refused;
  for (const ItemRow& row : run.rows) {
    if (is_refused(row)) refused[static_cast<std::size_t>(row.status)].add(row.instr_id);
  }
  std::size_t count = 0;
  std::string kinds;
  for (int s = 0; s < status_count; ++s) {
    if (refused[s].count == 0) continue;
    const auto status = static_cast<Status>(s);
    kinds += fmt::format("{}{} {} ({}: {}{})", kinds.empty() ? "" : ", ", refused[s].count,
                         describe(status, refused[s].count), info(status).name, refused[s].examples,
                         own_remedy(status));
    count += refused[s].count;
  }
  if (count == 0) return;
  throw InputError({run.file},
                   fmt::format("{} of {} {} under the preset {}: {}", count,
                               io::counted(std::ranges::count_if(run.rows, is_counted), "item"),
                               problem, convention.preset, kinds),
                   remedy);
}

// Returns what to do about a prediction's id that no item has.
std::string remedy_for_id(const std::string& id, const formats::Dataset& dataset) {
  const std::string path = id + "_";
  const auto item = std::ranges::find_if(
      dataset.items, [&](const formats::Item& each) { return each.id.starts_with(path); });
  if (item == dataset.items.end()) return "name the dataset of the same split";
  return fmt::format("ids name the instruction, too: PATH_ID_k, such as {}", item->id);
}

void refuse_without_common_id(const AgentResult& run, const formats::Dataset& dataset,
                              const formats::Predictions& predictions) {
  if (predictions.entries.empty()) {
    throw InputError({run.file}, "has no predictions", "is it the agent's whole output?");
  }
  const auto unknown = std::ranges::count(run.rows, Status::unknown_id, &ItemRow::status);
  if (static_cast<std::size_t>(unknown) < predictions.entries.size()) return;
  throw InputError(
      {run.file},
      fmt::format(
          "no id of its {} is in the dataset: it was read as {} and begins with '{}'; {} was "
          "read as {} and begins with '{}'",
          io::counted(predictions.entries.size(), "prediction"), formats::title(predictions.format),
          predictions.entries.front().id, dataset.file, dataset.task->title,
          dataset.items.front().id),
      remedy_for_id(predictions.entries.front().id, dataset));
}

// Matterport3DSimulator's eval.py asks for three instructions of each path, whatever the dataset
// lists, and fails where a prediction is missing.
void refuse_short_lists(const formats::Dataset& dataset, const Convention& convention) {
  const io::CountedIds& lists = dataset.short_lists;
  if (convention.instructions != Instructions::first3 || convention.missing == Missing::skip ||
      lists.count == 0) {
    return;
  }
  throw InputError(
      {dataset.file, "", "instructions"},
      fmt::format("{} {} fewer than three instructions, but the preset {} asks for _0 "
                  "to _2 of each: {}",
                  io::counted(lists.count, "path"), lists.count == 1 ? "lists" : "list",
                  convention.preset, lists.examples),
      "say --instructions all (score all that there are), or --missing skip (of the "
      "first three those that there are)");
}

// Evaluators that go through the predictions look each one up by its id, and fail at one that they
// do not know.
void refuse_unknown_ids(const AgentResult& run, const Convention& convention) {
  const bool are_looked_up =
      convention.missing == Missing::skip && convention.duplicates == Duplicates::each;
  io::CountedIds unknown, missing;
  for (const ItemRow& row : run.rows) {
    if (row.status == Status::unknown_id) unknown.add(row.instr_id);
    if (row.status == Status::missing) missing.add(row.instr_id);
  }
  if (!are_looked_up || unknown.count == 0) return;
  std::string problem = fmt::format("{} {} an id that is not in the dataset ({})",
                                    io::counted(unknown.count, "prediction"),
                                    unknown.count == 1 ? "has" : "have", unknown.examples);
  if (missing.count > 0) {
    problem += fmt::format(", while {} {} ({})", io::counted(missing.count, "item"),
                           describe(Status::missing, missing.count), missing.examples);
  }
  throw InputError(
      {run.file},
      fmt::format("{}; the preset {} scores each prediction", problem, convention.preset),
      "mend the ids, or say --invalid skip (ignore them)");
}

void refuse_without_success(const AgentResult& run) {
  io::CountedIds without;
  for (const ItemRow& row : run.rows) {
    if (row.lacks_success) without.add(row.instr_id);
  }
  if (without.count == 0) return;
  throw InputError(
      {run.file},
      fmt::format("{} of {} have no usable value in the task-success file: {}", without.count,
                  io::counted(std::ranges::count_if(run.rows, is_scored_row), "item"),
                  without.examples),
      "add them, or say --missing zero (SDTW counts as 0) or --missing skip (leave out)");
}

void refuse_without_values(const AgentResult& run, const Convention& convention) {
  const bool has_value = std::ranges::any_of(run.rows, [](const ItemRow& row) {
    return is_scored_row(row) && row.pair && !is_invalid(row);
  });
  if (has_value) return;
  refuse(run, convention, is_scored_row, is_scored_row,
         "have no score, which leaves nothing to report,", "mend them");
  if (std::ranges::find(run.rows, Status::not_scored, &ItemRow::status) != run.rows.end() &&
      convention.ended != "any") {
    throw InputError({run.file, "", "termination_reason"},
                     fmt::format("of no prediction is one that is scored ({})", convention.ended),
                     "--ended any scores all");
  }
  throw InputError({run.file},
                   fmt::format("none of its predictions is for an instruction that the preset {} "
                               "scores",
                               convention.preset),
                   "--instructions all scores every instruction of a path");
}

}  // namespace

void refuse_unscored(const AgentResult& run, const formats::Dataset& dataset,
                     const formats::Predictions& predictions, const Convention& convention,
                     bool strict) {
  if (!dataset.is_pairs) {
    refuse_without_common_id(run, dataset, predictions);
  }
  refuse_short_lists(dataset, convention);
  if (convention.missing == Missing::error) {
    refuse(
        run, convention, [](const ItemRow& row) { return row.status == Status::missing; },
        is_scored_row, "lack a prediction",
        "add them, or say --missing zero (count as failures) or --missing skip (leave out)");
    refuse_without_success(run);
  }
  if (convention.invalid == Invalid::error) {
    refuse(run, convention, is_invalid, is_scored_row, "cannot be scored",
           "mend them, or say --invalid zero (count as failures) or --invalid skip (leave out)");
    refuse_unknown_ids(run, convention);
  }
  if (strict) {
    const auto is_in_order = [](const ItemRow& row) { return row.status == Status::ok; };
    const auto is_counted = [](const ItemRow& row) { return row.status != Status::not_scored; };
    refuse(
        run, convention, [&](const ItemRow& row) { return is_counted(row) && !is_in_order(row); },
        is_counted, "have problems, which --strict refuses,", "mend them, or leave --strict away");
  }
  refuse_without_values(run, convention);
}

namespace {

// Returns the items without a value of a metric where the preset's source fails.
io::CountedIds items_without(const AgentResult& run, Metric metric, const Convention& convention) {
  io::CountedIds without;
  for (const ItemRow& row : run.rows) {
    if (lacks_value(run, row, metric, convention)) without.add(row.instr_id);
  }
  return without;
}

std::string items_of(const AgentResult& run) {
  return io::counted(std::ranges::count_if(run.rows, is_scored_row), "item");
}

void refuse_without_object(const AgentResult& run, const Convention& convention) {
  const io::CountedIds without = items_without(run, Metric::RGS, convention);
  if (without.count == 0) return;
  throw InputError(
      {run.file, "", "predObjId"},
      fmt::format("{} of {} have a prediction that does not say which object it found, and so no "
                  "RGS: {}",
                  without.count, items_of(run), without.examples),
      "write predObjId (-1 for none), or say --metrics SR,OSR,SPL (navigation alone), --invalid "
      "zero (RGS counts as 0) or --invalid skip (leave them out of RGS)");
}

void refuse_without_planner(const AgentResult& run, const formats::Dataset& dataset,
                            const Convention& convention) {
  const io::CountedIds without = items_without(run, Metric::OPSR, convention);
  if (without.count == 0) return;
  throw InputError(
      {dataset.file, "", "planner_path"},
      fmt::format("is empty or absent in {} of {}, and so they have no OPSR and OPE: {}",
                  without.count, items_of(run), without.examples),
      "repair the dataset, or say --metrics SR,SPL,GP (others), --invalid zero (OPSR counts as 0) "
      "or --invalid skip (leave them out of OPSR and OPE)");
}

void refuse_zero_by_zero(const AgentResult& run, const Convention& convention) {
  const io::CountedIds without = items_without(run, Metric::SPL, convention);
  if (without.count == 0) return;
  throw InputError({run.file},
                   fmt::format("{} of {} {}: {}", without.count, items_of(run),
                               describe(Status::spl_undefined, without.count), without.examples),
                   "say --spl-zero success-if-unmoved or zero, --metrics SR,NE (others), --invalid "
                   "zero (SPL counts as 0) or --invalid skip (leave them out of SPL)");
}

}  // namespace

void refuse_gaps(const AgentResult& run, const formats::Dataset& dataset,
                 const Convention& convention, const MetricSet& metrics) {
  if (convention.invalid != Invalid::error) return;
  using enum Metric;
  if (metrics.contains_any({RGS, RGSPL})) refuse_without_object(run, convention);
  if (metrics.contains_any({SPL, RGSPL})) refuse_zero_by_zero(run, convention);
  if (metrics.contains_any({OPE, OPSR})) refuse_without_planner(run, dataset, convention);
}

namespace {

bool have_same_object(const formats::Predictions& predictions, std::uint32_t a, std::uint32_t b) {
  return predictions.entries[a].object == predictions.entries[b].object;
}

bool have_same_path(const formats::Predictions& predictions, std::uint32_t a, std::uint32_t b) {
  const auto agree = [&](const auto& paths) {
    return std::ranges::equal(paths[predictions.entries[a].trajectory.path],
                              paths[predictions.entries[b].trajectory.path]);
  };
  return predictions.positions ? agree(predictions.positions->points) : agree(predictions.paths);
}

}  // namespace

void refuse_disagreeing_shards(const formats::Dataset& dataset, const formats::Predictions& merged,
                               const Convention& convention) {
  if (convention.duplicates != Duplicates::first) return;
  const Matching matching(dataset, merged);
  io::CountedIds differing;
  for (std::size_t i = 0; i < dataset.items.size(); ++i) {
    const auto entries = matching.entries_of(i);
    const bool agree = std::ranges::all_of(entries, [&](std::uint32_t e) {
      return have_same_path(merged, e, entries.front()) &&
             have_same_object(merged, e, entries.front());
    });
    if (!agree) differing.add(dataset.items[i].id);
  }
  if (differing.count == 0) return;
  throw InputError({merged.file},
                   fmt::format("the shards give {} different paths or objects: {}",
                               io::counted(differing.count, "item"), differing.examples),
                   "score different agents without --merge, or say --duplicates last or each");
}

bool is_test_split(const formats::Dataset& dataset) {
  if (dataset.is_pairs) return false;
  if (dataset.episodes) return dataset.episodes->goals.elements.empty();
  for (std::size_t r = 0; r < dataset.references.size(); ++r) {
    if (dataset.references[r].size() != 1) return false;
  }
  return true;
}

void refuse_test_split(const formats::Dataset& dataset) {
  if (!is_test_split(dataset)) return;
  if (dataset.episodes) {
    throw InputError({dataset.file}, "no episode has a goal: a test split, which nothing can score",
                     "score another split");
  }
  throw InputError({dataset.file},
                   "every reference has one viewpoint: a test split holds only the starts, so "
                   "nothing can be scored against its goals",
                   "warpath validate checks a submission to it; score another split");
}

}  // namespace warpath::evaluation
