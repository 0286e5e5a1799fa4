#pragma once

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/pack.hpp"

namespace warpath::evaluation {

/// Returns the metrics that an evaluation of these files can give: those of paths, and those of the
/// dataset's task.
MetricSet available_metrics(const Inputs& inputs);

/// Refuses a convention that asks for what the dataset does not have.
/// @throws UsageError that names the setting and the remedy
void check_targets(const Inputs& inputs, const Convention& convention);

/// Refuses distances without heights, which grids have not.
/// @param option that asks for them, for the message
/// @throws UsageError
void refuse_flat_distances(Distance distance, std::string_view option);

/// Returns what a scorer takes of a convention: all but goal sets, FastDTW, means of Gaussians and
/// VLN-PE's rule of where SPL is 0.
Convention for_scorers(const Convention& convention);

/// Computes, in double precision, what scorers do not: the metrics of the dataset's task, success
/// where the convention's goal is not the reference's end, warpings that are not exact DTW's, and
/// VLN-PE's SPL of queries that do not move.
/// Columns of tasks that the dataset is not of stay empty.
/// @param predictions that `run` was packed from
/// @param scores of the pairs of `run`, complete but for these
/// @throws InputError for a goal that is not on the graph of its scan
void score_targets(const Inputs& inputs, const formats::Predictions& predictions,
                   const PackedRun& run, const Convention& convention, Scores& scores);

}  // namespace warpath::evaluation
