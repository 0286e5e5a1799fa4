#pragma once

#include <functional>
#include <string>
#include <vector>

#include "warpath/backend.hpp"

namespace warpath::benchmark {

struct BenchOptions {
  Backend backend = Backend::cpu;  ///< not automatic
  double seconds = 0.6;            ///< for each measurement
};

/// Holds pairs per second from a batch to its scores, distance tables made before; the median of
/// several repetitions; 0: not measured. A GPU's batches are larger than the CPU's.
struct Rate {
  std::string shape, metrics;
  double cells;  ///< mean |R| |Q|
  double one_thread = 0.0, all_threads = 0.0;
  double reference = 0.0;  ///< the reference back end, which always computes everything
  double cuda = 0.0;       ///< from and to the host's memory
  double resident = 0.0;   ///< the GPU's kernels alone, on pairs that lie packed in its memory
  std::size_t resident_pairs = 0;  ///< so many at a time
};

/// Times scoring on synthetic pairs of uniformly random viewpoints and of walks of points: every
/// shape and set of metrics.
std::vector<Rate> run_bench(const BenchOptions& options);

/// Returns the least of the sizes that are tried (powers of two) from which on the GPU is faster
/// than all cores at every larger one, too; the largest tried, where it never is.
/// @param cpu_seconds, cuda_seconds how long a batch of so many pairs takes
std::size_t find_break_even(const std::function<double(std::size_t)>& cpu_seconds,
                            const std::function<double(std::size_t)>& cuda_seconds);

/// Measures the break-even for all metrics of R4R-like pairs, distance tables made before.
std::size_t measure_break_even();

}  // namespace warpath::benchmark
