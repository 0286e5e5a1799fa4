#pragma once

#include "warpath/points.hpp"

namespace warpath::cpu {

struct PointOptions {
  MetricSet metrics = MetricSet::all();  ///< what is not asked for is not computed
  int threads = 0;                       ///< 0: as many as the machine has
};

/// Scores continuous paths, one pair after the other with all lanes of a vector register on it, on
/// all cores; the queries' repeats stay. The same bits at any thread count, order of pairs and
/// instruction set. @pre the batch is as points.hpp asks.
Scores score(const PointBatch& batch, const Convention& convention,
             const PointOptions& options = {});

}  // namespace warpath::cpu
