#pragma once

#include <functional>
#include <string>
#include <vector>

#include "warpath/backend.hpp"

namespace warpath::benchmark {

struct BenchOptions {
  Backend backend = Backend::cpu;  ///< not automatic
  double seconds = 0.6;            ///< of each measurement
};

/// Holds pairs per second, from a batch to its scores, with distance tables made before: the median
/// of several repetitions; 0: not measured. A GPU's batches are larger than the CPU's.
struct Rate {
  std::string shape, metrics;
  double cells;  ///< mean |R| |Q|
  double one_thread = 0.0, all_threads = 0.0;
  double reference = 0.0;  ///< the reference back end, which always computes every metric
  double cuda = 0.0;       ///< with copies from and to host memory
  double resident = 0.0;   ///< the GPU's kernels alone, on pairs that are packed in its memory
  std::size_t resident_pairs = 0;  ///< number of those pairs
};

/// Times scoring for every shape and set of metrics, on synthetic pairs of uniformly random
/// viewpoints and of walks of points.
std::vector<Rate> run_bench(const BenchOptions& options);

/// Returns the smallest of the tried sizes (powers of two) from which on the GPU is faster than all
/// cores at every larger size, too; the largest size if there is none.
/// @param cpu_seconds, cuda_seconds return the time of a batch of that many pairs
std::size_t find_break_even(const std::function<double(std::size_t)>& cpu_seconds,
                            const std::function<double(std::size_t)>& cuda_seconds);

/// Measures the break-even for all metrics of R4R-like pairs, on scorers of either back end that
/// are called again and again, as a program's own. @throws InputError if there is no device
std::size_t measure_break_even();

}  // namespace warpath::benchmark
