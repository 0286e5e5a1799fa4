#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "host/checks/benchmark/benchmark.hpp"
#include "host/checks/benchmark/resident.hpp"
#include "host/checks/benchmark/timing.hpp"
#include "host/checks/pairs.hpp"
#include "host/checks/point_pairs.hpp"
#include "host/core/cuda/device.hpp"
#include "warpath/paths.hpp"

// The rows of `warpath bench --backend cuda`.

namespace warpath::benchmark {

/// Times rows on a device and keeps them.
class DeviceRows {
 public:
  /// @param options whose `rows` chooses; both must outlive this object
  DeviceRows(cuda::Device& device, const BenchOptions& options);

  cuda::Device& device() const { return device_; }
  double seconds() const { return options_.seconds; }
  /// Tells whether a row "GROUP: SHAPE, METRICS" is asked for.
  bool wants(std::string_view group, std::string_view shape, std::string_view metrics) const;

  /// Tells whether any row of these groups, shapes and sets is asked for. If not, its pairs need
  /// not be made.
  bool wants_any(std::initializer_list<const char*> groups, const std::vector<std::string>& shapes,
                 const std::vector<NamedSet>& sets) const;

  /// Times `run`, which scores `row.pairs` pairs, if the row is asked for.
  void add(DeviceRow row, const std::function<void()>& run);
  /// Calls `measure` and keeps its rate, if the row is asked for.
  void add_resident(DeviceRow row, const std::function<ResidentRate()>& measure);

  std::vector<DeviceRow> take() { return std::move(rows_); }

 private:
  cuda::Device& device_;
  const BenchOptions& options_;
  std::vector<DeviceRow> rows_;
};

/// Returns `pairs`, or fewer where a row takes less time than 0.05 s, as in tests.
std::size_t scaled(std::size_t pairs, double seconds);

/// Times pairs of viewpoint paths of one shape and every set: kernels on packed pairs, and whole
/// batches from the host to scores or statistics.
/// @param pairs of uniform_pairs
void time_viewpoints(DeviceRows& rows, const checks::Shape& shape, std::size_t pairs,
                     const std::vector<NamedSet>& sets);
/// Does the same for continuous paths, without statistics.
/// @param pairs of point_walks, each of which is on the device several times
void time_points(DeviceRows& rows, const std::string& name, const checks::WalkShape& shape,
                 std::size_t pairs, const std::vector<NamedSet>& sets);
/// Times kernels on pairs of many scans and lengths.
void time_scans(DeviceRows& rows);
/// Times calls of the public functions: with everything that they make, and by a kept Scorer.
void time_calls(DeviceRows& rows);
/// Times rollouts (rollout_rows.cpp).
void time_rollouts(DeviceRows& rows);

}  // namespace warpath::benchmark
