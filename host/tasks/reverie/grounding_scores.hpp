#pragma once

#include "host/evaluation/goal_measures.hpp"

namespace warpath {

/// Returns RGS and RGSPL if every item of the dataset has a target, and some agent names objects or
/// boxes are given.
MetricSet grounding_metrics(const Inputs& inputs);

/// Computes RGS and RGSPL as REVERIE's eval_release.py does. A prediction that does not say which
/// object it found gets neither. RGSPL compares PL with the same length as SPL.
void score_grounding(const TaskPair& one);

/// Marks the rows whose prediction does not say which object it found, if the dataset asks for one.
void mark_without_object(const Inputs& inputs, const Predictions& predictions, const PackedRun& run,
                         std::vector<ItemRow>& rows);

}  // namespace warpath
