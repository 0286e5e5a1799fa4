#pragma once

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/pack.hpp"
#include "host/files/evaluation/pack_episodes.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::evaluation {

/// Returns the description of a caller's metric in the form of others; `metric` is none of the
/// table. @param own must outlive it
MetricInfo info_of(const OwnMetric& own);

/// Refuses metrics of the caller that could be taken for others.
/// @throws UsageError for a name that is a metric's, another column's or there twice, letter case
///   aside, or that tables and files would have to quote; or if there is no function
void check_own_metrics(const OwnMetrics& own);

/// Computes the caller's metrics of an agent, where there are some.
/// @param run its rows and scores are finished
/// @throws InputError for a value that cannot be one of its metric: see Evaluator::evaluate
void add_own_metrics(const OwnMetrics& own, const PairBatch& batch, const Convention& convention,
                     AgentResult& run);

/// The same of positions.
void add_own_metrics(const OwnMetrics& own, const Inputs& inputs, const PackedEpisodes& packed,
                     const Convention& convention, AgentResult& run);

}  // namespace warpath::evaluation
