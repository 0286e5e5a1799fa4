#pragma once

#include <string>
#include <vector>

#include "warpath/score.hpp"

namespace warpath::selftest {

struct BenchOptions {
  Backend backend = Backend::cpu;  ///< not automatic
  double seconds = 0.8;  ///< for each measurement
};

/// Pairs per second from a batch to its scores, distance tables made before; the median of several
/// repetitions; 0: not measured.
struct Rate {
  std::string shape, metrics;
  double cells;  ///< mean |R| |Q|
  double one_thread = 0.0, all_threads = 0.0;
  double reference = 0.0;  ///< the reference back end, which always computes everything
};

/// Times scoring on made-up pairs of uniformly random viewpoints: every shape and set of metrics.
std::vector<Rate> run_bench(const BenchOptions& options);

}  // namespace warpath::selftest
