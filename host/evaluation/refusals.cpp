#include "host/evaluation/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/evaluation/item_summary.hpp"
#include "host/evaluation/matching.hpp"
#include "host/evaluation/status_text.hpp"
#include "host/io/counted.hpp"
#include "host/io/counted_ids.hpp"

namespace warpath {
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
  std::array<CountedIds, status_count> refused;
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
                               counted(std::ranges::count_if(run.rows, is_counted), "item"),
                               problem, convention.preset, kinds),
                   remedy);
}

void refuse_without_common_id(const AgentResult& run, const Dataset& dataset,
                              const Predictions& predictions) {
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
          counted(predictions.entries.size(), "prediction"), title(predictions.format),
          predictions.entries.front().id, dataset.file, title(dataset.format),
          dataset.items.front().id),
      "name the dataset of the same split");
}

void refuse_without_success(const AgentResult& run) {
  CountedIds without;
  for (const ItemRow& row : run.rows) {
    if (row.lacks_success) without.add(row.instr_id);
  }
  if (without.count == 0) return;
  throw InputError(
      {run.file},
      fmt::format("{} of {} have no usable value in the task-success file: {}", without.count,
                  counted(std::ranges::count_if(run.rows, is_scored_row), "item"),
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
  throw InputError({run.file},
                   fmt::format("none of its predictions is for an instruction that the preset {} "
                               "scores",
                               convention.preset),
                   "--instructions all scores every instruction of a path");
}

}  // namespace

void refuse_unscored(const AgentResult& run, const Dataset& dataset, const Predictions& predictions,
                     const Convention& convention, bool strict) {
  if (dataset.format != DatasetFormat::pairs) {
    refuse_without_common_id(run, dataset, predictions);
  }
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

void refuse_without_object(const AgentResult& run, const Convention& convention) {
  if (convention.invalid != Invalid::error) return;
  CountedIds without;
  for (const ItemRow& row : run.rows) {
    if (row.lacks_object) without.add(row.instr_id);
  }
  if (without.count == 0) return;
  throw InputError(
      {run.file, "", "predObjId"},
      fmt::format("{} of {} have a prediction that does not say which object it found, and so no "
                  "RGS: {}",
                  without.count, counted(std::ranges::count_if(run.rows, is_scored_row), "item"),
                  without.examples),
      "write predObjId (-1 for none), or say --metrics SR,OSR,SPL (navigation alone), --invalid "
      "zero (RGS counts as 0) or --invalid skip (leave them out of RGS)");
}

namespace {

bool have_same_object(const Predictions& predictions, std::uint32_t a, std::uint32_t b) {
  return predictions.entries[a].object == predictions.entries[b].object;
}

bool have_same_path(const Predictions& predictions, std::uint32_t a, std::uint32_t b) {
  const auto agree = [&](const auto& paths) {
    return std::ranges::equal(paths[predictions.entries[a].trajectory.path],
                              paths[predictions.entries[b].trajectory.path]);
  };
  return predictions.positions ? agree(predictions.positions->points) : agree(predictions.paths);
}

}  // namespace

void refuse_disagreeing_shards(const Dataset& dataset, const Predictions& merged,
                               const Convention& convention) {
  if (convention.duplicates != Duplicates::first) return;
  const Matching matching(dataset, merged);
  CountedIds differing;
  for (std::size_t i = 0; i < dataset.items.size(); ++i) {
    const auto& entries = matching.entries_of(i);
    const bool agree = std::ranges::all_of(entries, [&](std::uint32_t e) {
      return have_same_path(merged, e, entries.front()) &&
             have_same_object(merged, e, entries.front());
    });
    if (!agree) differing.add(dataset.items[i].id);
  }
  if (differing.count == 0) return;
  throw InputError({merged.file},
                   fmt::format("the shards give {} different paths or objects: {}",
                               counted(differing.count, "item"), differing.examples),
                   "score different agents without --merge, or say --duplicates last or each");
}

bool is_test_split(const Dataset& dataset) {
  if (dataset.format == DatasetFormat::pairs) return false;
  if (dataset.episodes) return dataset.episodes->goals.elements.empty();
  for (std::size_t r = 0; r < dataset.references.size(); ++r) {
    if (dataset.references[r].size() != 1) return false;
  }
  return true;
}

void refuse_test_split(const Dataset& dataset) {
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

}  // namespace warpath
