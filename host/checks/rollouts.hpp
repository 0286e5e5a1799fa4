#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/checks/host_paths.hpp"
#include "host/checks/random.hpp"
#include "host/checks/resident_batch.hpp"
#include "warpath/graph.hpp"
#include "warpath/paths.hpp"
#include "warpath/views.hpp"

// Finished rollouts to reward, in host memory and on a device.

namespace warpath::checks {

/// Rollouts of viewpoints, whose references the object that rewards has, or of points.
struct Rollouts {
  std::vector<const Scan*> scans;      ///< of viewpoints, as the next two
  PathSet stored;                      ///< references
  std::vector<std::uint32_t> scan_of;  ///< by reference
  HostPaths references;                ///< of points
  HostPaths queries;
  /// By rollout; of points also none: rollout k has reference k. None under group_size.
  std::vector<std::int64_t> reference;
  std::vector<std::uint8_t> active, stopped;  ///< by rollout
  std::vector<float> goal;       ///< given distances to the goal, laid out as the queries are
  std::uint32_t group_size = 0;  ///< see Batch
  /// By reference; none: nothing is left out, and no length is given. See Batch.
  std::vector<std::int64_t> prefix;
  std::vector<float> spl_length;

  std::uint32_t count() const { return queries.count(); }
  bool in_space() const { return scans.empty(); }
  Batch batch(bool given_goal) const;
};

/// Returns the pairs of a batch as rollouts. Some are inactive, of some the time was up.
Rollouts rollouts_of(const PairBatch& batch, bool in_rows);

/// Leaves first elements of references out: some none, some all, and gives SPL's lengths.
void leave_out_first(Rollouts& rollouts);

/// Makes walks of points: most steps are a metre or less, some stand still. Queries begin where
/// their references do, every fifth at the end; some follow it.
Rollouts random_point_rollouts(Random& random, std::uint32_t count, std::uint32_t max_reference,
                               std::uint32_t max_query);

/// Rollouts on a device.
class RolloutsOnDevice {
 public:
  RolloutsOnDevice(cuda::Device& device, const Rollouts& rollouts, const Form& form);
  Batch batch(bool given_goal) const;
  PathsOnDevice& queries() { return queries_; }
  /// The number of each rollout's reference.
  IntegersOnDevice& reference() { return reference_; }
  const std::uint8_t* stopped() const { return stopped_.data(); }

 private:
  std::uint32_t count_, reference_count_, group_size_;
  std::optional<PathsOnDevice> references_;
  PathsOnDevice queries_;
  IntegersOnDevice reference_, prefix_;
  ArrayOnDevice<std::uint8_t> active_, stopped_;
  FloatsOnDevice goal_, spl_length_;
};

}  // namespace warpath::checks
