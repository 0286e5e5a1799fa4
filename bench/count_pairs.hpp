#pragma once

#include <benchmark/benchmark.h>

#include "host/checks/pairs.hpp"

namespace warpath::bench {

/// Reports the pairs and cells per second of iterations that each score a batch.
template <class Pairs>
void count_pairs(benchmark::State& state, const Pairs& batch) {
  const auto pairs = static_cast<double>(batch.pairs.size() * state.iterations());
  state.SetItemsProcessed(static_cast<std::int64_t>(pairs));
  state.counters["cells"] =
      benchmark::Counter(checks::mean_cells(batch) * pairs, benchmark::Counter::kIsRate);
}

}  // namespace warpath::bench
