#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "warpath/backend.hpp"

namespace warpath::benchmark {

struct BenchOptions {
  Backend backend = Backend::cpu;  ///< not automatic
  double seconds = 0.6;            ///< of each measurement
  /// Regular expression that chooses among a GPU's rows by "GROUP: SHAPE, METRICS". If it is not
  /// empty, the host is not timed.
  std::string rows{};
};

/// Holds pairs per second, from a batch to its scores, with distance tables made before: the median
/// of several repetitions; 0: not measured.
struct Rate {
  std::string shape, metrics;
  double cells;  ///< mean |R| |Q|
  double one_thread = 0.0, all_threads = 0.0;
  double reference = 0.0;  ///< the reference back end, which always computes every metric
};

/// Holds a rate over several repetitions: the median, the least and the greatest.
struct Measured {
  double median = 0.0, low = 0.0, high = 0.0;
};

/// Holds what a GPU did. A row of the group `resident` is of its kernels alone, on pairs that are
/// packed in its memory. A GPU's batches are larger than the CPU's.
struct DeviceRow {
  std::string group, shape, metrics;
  std::size_t pairs;
  double cells;         ///< mean |R| |Q|
  Measured per_second;  ///< pairs
};

struct Results {
  std::vector<Rate> cpu;
  std::vector<DeviceRow> device;
};

/// Times scoring for every shape and set of metrics, on synthetic pairs of uniformly random
/// viewpoints and of walks of points; on a GPU also rollouts, many scans, and whole calls.
/// @throws InputError for cuda if there is no device; CudaError
Results run_bench(const BenchOptions& options);

/// Returns the smallest of the tried sizes (powers of two) from which on the GPU is faster than all
/// cores at every larger size, too; the largest size if there is none.
/// @param cpu_seconds, cuda_seconds return the time of a batch of that many pairs
std::size_t find_break_even(const std::function<double(std::size_t)>& cpu_seconds,
                            const std::function<double(std::size_t)>& cuda_seconds);

/// Measures the break-even for all metrics of R4R-like pairs, on scorers of either back end that
/// are called again and again, as a program's own. @throws InputError if there is no device
std::size_t measure_break_even();

}  // namespace warpath::benchmark
