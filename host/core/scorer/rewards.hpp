#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "host/core/rewards/reward_engine.hpp"
#include "warpath/rewards.hpp"

namespace warpath::cuda {
class Device;
}

namespace warpath {

/// Keeps an engine that set_references replaces as a whole. Several threads may use it.
struct Rewards::State {
  State(std::span<const Scan* const> scans, const PathSet& references,
        std::span<const std::uint32_t> scan_of, const RewardSettings& with,
        const RewardOptions& options);

  /// Returns the engine of now; who holds it may go on with it.
  std::shared_ptr<const rewards::RewardEngine> standing() const;
  void set_references(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of, const PathSet& goals);

  const RewardSettings settings;
  const Place place;
  cuda::Device* const device;  ///< null on the host
  const std::shared_ptr<const GraphStore> graphs;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const rewards::RewardEngine> standing_;
};

}  // namespace warpath
