#pragma once

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/pack_episodes.hpp"

namespace warpath::evaluation {

/// Returns the metrics of tours that these files allow: t-nDTW alone for paths of positions; none
/// without tours.
MetricSet tour_metrics(const Inputs& inputs);

/// Refuses a preset of tours where there are none. @throws UsageError
void check_tours(const Inputs& inputs, const Convention& convention);

/// Scores the tours of an agent, whose items are scored: fills AgentResult::tours, ItemRow::tour
/// and the columns of their metrics, in double precision, on all cores. Removes the rows of items
/// that are in no tour and not predicted. Does nothing where there are no tours.
///
/// An episode without a prediction, or with one that cannot be scored, is left out of its tour, or
/// counts with its start alone as path, as `missing` and `invalid` say.
/// @param metrics that the caller reads
/// @throws InputError that names the tour and the episode: if `missing` is error and it has no
/// prediction; if `infeasible` is error and the tour has no value
void score_tours(const Inputs& inputs, Packer& packer, const PairBatch& batch,
                 const Convention& convention, const MetricSet& metrics, AgentResult& run);
/// Does the same for paths of positions, aligned by straight lines.
void score_tours(const Inputs& inputs, const PointBatch& batch, const Convention& convention,
                 const MetricSet& metrics, AgentResult& run);

}  // namespace warpath::evaluation
