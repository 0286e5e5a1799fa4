#pragma once

#include "warpath/metrics.hpp"

// The sets of metrics that benchmarks of several files ask for.

namespace warpath::bench {

inline const MetricSet dtw{Metric::DTW};
inline const MetricSet five{Metric::DTW, Metric::nDTW, Metric::PC, Metric::AD, Metric::MD};
inline const MetricSet everything = MetricSet::of_paths();

}  // namespace warpath::bench
