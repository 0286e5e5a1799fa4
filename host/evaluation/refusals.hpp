#pragma once

#include "host/formats/dataset.hpp"
#include "warpath/evaluate.hpp"

namespace warpath {

/// Refuses a run whose means would flatter: no id in common with the dataset, items without a
/// prediction (unless `missing` says otherwise), items without a value (unless `invalid` does),
/// with `strict` items that are noted, and a run of which nothing is scored.
/// @throws InputError that counts the items, and names the first of each kind and the remedy.
void refuse_unscored(const AgentResult& run, const Dataset& dataset, const Predictions& predictions,
                     const Convention& convention, bool strict);

/// Refuses shards of one agent that give one id different paths, unless the convention's
/// `duplicates` says which of them to score.
/// @throws InputError
void refuse_disagreeing_shards(const Dataset& dataset, const Predictions& merged,
                               const Convention& convention);

/// Refuses a dataset whose references have one viewpoint each: a test split, without its goals.
/// @throws InputError
void refuse_test_split(const Dataset& dataset);

}  // namespace warpath
