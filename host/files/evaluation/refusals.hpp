#pragma once

#include "host/files/formats/dataset.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::evaluation {

/// Refuses a result whose means would be too good: no id in common with the dataset, items without
/// a prediction (unless `missing` allows them), items without a value and, where predictions are
/// taken as they come, unknown ids (unless `invalid` allows them), with `strict` items with a note,
/// and results without any scored item.
/// @throws InputError that counts the items and names the first of each kind and the remedy.
void refuse_unscored(const AgentResult& run, const formats::Dataset& dataset,
                     const formats::Predictions& predictions, const Convention& convention,
                     bool strict);

/// Refuses items without a value of one of these metrics where lacks_value() holds, unless
/// `invalid` allows them.
/// @throws InputError
void refuse_gaps(const AgentResult& run, const formats::Dataset& dataset,
                 const Convention& convention, const MetricSet& metrics);

/// Refuses shards of one agent with different paths for one id, unless the convention's
/// `duplicates` says which of them to score.
/// @throws InputError
void refuse_disagreeing_shards(const formats::Dataset& dataset, const formats::Predictions& merged,
                               const Convention& convention);

/// Tells whether the references of a dataset have one viewpoint each: a test split without its
/// goals.
bool is_test_split(const formats::Dataset& dataset);
/// Refuses a test split.
/// @throws InputError
void refuse_test_split(const formats::Dataset& dataset);

}  // namespace warpath::evaluation
