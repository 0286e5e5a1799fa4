#include "host/evaluation/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/evaluation/item_summary.hpp"
#include "host/io/counted.hpp"

namespace warpath {
namespace {

constexpr std::size_t max_examples = 3;

// Rows of one kind of trouble: how many, and the ids of the first.
struct Trouble {
  std::size_t count = 0;
  std::string examples;

  void add(const std::string& id) {
    if (count < max_examples) examples += (count == 0 ? "" : ", ") + id;
    if (count++ == max_examples) examples += ", …";
  }
};

template <class Chosen>
std::array<Trouble, status_count> by_status(const Run& run, Chosen chosen) {
  std::array<Trouble, status_count> troubles;
  for (const ItemRow& row : run.rows) {
    if (chosen(row)) troubles[static_cast<std::size_t>(row.status)].add(row.instr_id);
  }
  return troubles;
}

// @param refused which rows; does nothing where there are none.
template <class Refused>
void refuse(const Run& run, const Convention& convention, Refused refused,
            std::string_view problem, std::string_view remedy) {
  const auto troubles = by_status(run, refused);
  std::size_t count = 0;
  std::string kinds;
  for (int s = 0; s < status_count; ++s) {
    if (troubles[s].count == 0) continue;
    const StatusInfo& status = info(static_cast<Status>(s));
    kinds += fmt::format("{}{} {} ({}: {}; {})", kinds.empty() ? "" : ", ", troubles[s].count,
                         status.problem, status.name, troubles[s].examples, status.remedy);
    count += troubles[s].count;
  }
  if (count == 0) return;
  const auto items = std::ranges::count_if(run.rows, is_scored);
  throw InputError({run.file},
                   fmt::format("{} of {} items {} under the preset {}: {}", count, items, problem,
                               convention.preset, kinds),
                   remedy);
}

void refuse_without_common_id(const Run& run, const Dataset& dataset,
                              const Predictions& predictions) {
  const bool has_common = std::ranges::any_of(run.rows, [](const ItemRow& row) {
    return row.in_dataset && row.status != Status::missing && row.status != Status::not_scored;
  });
  if (has_common) return;
  if (predictions.entries.empty()) {
    throw InputError({run.file}, "has no predictions", "is it the agent's whole output?");
  }
  throw InputError(
      {run.file},
      fmt::format("no id of its {} is in the dataset: it was read as {} and begins with '{}'; {} was "
                  "read as {} and begins with '{}'",
                  counted(predictions.entries.size(), "prediction"), title(predictions.format),
                  predictions.entries.front().id, dataset.file, title(dataset.format),
                  dataset.items.front().id),
      "name the dataset of the same split");
}

}  // namespace

void refuse_unscored(const Run& run, const Dataset& dataset, const Predictions& predictions,
                     const Convention& convention, bool strict) {
  if (dataset.format != DatasetFormat::pairs) {
    refuse_without_common_id(run, dataset, predictions);
  }
  if (convention.missing == Missing::error) {
    refuse(run, convention, [](const ItemRow& row) { return row.status == Status::missing; },
           "lack a prediction",
           "add them, or say --missing zero (count as failures) or --missing skip (leave out)");
    refuse(run, convention, [](const ItemRow& row) { return row.lacks_success; },
           "have no usable value in the task-success file",
           "add them, or say --missing zero (SDTW counts as 0) or --missing skip (leave out)");
  }
  if (convention.invalid == Invalid::error) {
    refuse(run, convention, is_invalid, "cannot be scored",
           "mend them, or say --invalid zero (count as failures) or --invalid skip (leave out)");
  }
  if (strict) {
    refuse(run, convention,
           [](const ItemRow& row) {
             return row.status != Status::ok && row.status != Status::not_scored;
           },
           "have trouble, which --strict refuses,", "mend them, or leave --strict away");
  }
  const bool is_any_scored = std::ranges::any_of(run.rows, [](const ItemRow& row) {
    return is_scored(row) && row.pair && !is_invalid(row);
  });
  if (!is_any_scored) {
    refuse(run, convention, is_scored, "are without a score, which leaves nothing to report,",
           "mend them");
    throw InputError({run.file}, "has nothing to score", "check the files");
  }
}

void refuse_test_split(const Dataset& dataset) {
  if (dataset.format == DatasetFormat::pairs) return;
  for (std::size_t r = 0; r < dataset.references.size(); ++r) {
    if (dataset.references[r].size() != 1) return;
  }
  throw InputError({dataset.file},
                   "every reference has one viewpoint: a test split holds only the starts, so "
                   "nothing can be scored against its goals",
                   "warpath validate checks a submission to it; score another split");
}

}  // namespace warpath
