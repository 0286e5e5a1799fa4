#include "host/core/scorer/rewards.hpp"

#include <tbb/task_arena.h>

#include <utility>

#include "host/core/batch/arena.hpp"
#include "host/core/cpu/reward_engine.hpp"
#include "host/core/cuda/device.hpp"
#include "host/core/cuda/reward_engine.hpp"
#include "host/core/rewards/reward_tables.hpp"

namespace warpath {

Rewards::State::State(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of, const RewardSettings& with,
                      const RewardOptions& options)
    : settings(with),
      place(options.place),
      device(options.place.is_gpu ? &cuda::device_or_error() : nullptr),
      graphs(options.graphs) {
  set_references(scans, references, scan_of, options.goals);
}

std::shared_ptr<const rewards::RewardEngine> Rewards::State::standing() const {
  const std::lock_guard lock(mutex_);
  return standing_;
}

void Rewards::State::set_references(std::span<const Scan* const> scans, const PathSet& references,
                                    std::span<const std::uint32_t> scan_of, const PathSet& goals) {
  const auto make_tables = [&] {
    return rewards::RewardTables(scans, references, scan_of, settings, goals, graphs.get());
  };
  std::shared_ptr<const rewards::RewardEngine> made;
  if (device != nullptr) {
    const cuda::CurrentDevice current(*device);
    made = cuda::make_reward_engine(*device, make_tables());
  } else {
    tbb::task_arena arena(batch::arena_size(place.threads));
    made = arena.execute([&] { return cpu::make_reward_engine(make_tables(), place.threads); });
  }
  const std::lock_guard lock(mutex_);
  standing_ = std::move(made);
}

Rewards::Rewards(std::span<const Scan* const> scans, const PathSet& references,
                 std::span<const std::uint32_t> scan_of, const RewardSettings& settings,
                 const RewardOptions& options)
    : state_(std::make_unique<State>(scans, references, scan_of, settings, options)) {}
Rewards::Rewards(const RewardSettings& settings, const RewardOptions& options)
    : state_(std::make_unique<State>(std::span<const Scan* const>(), PathSet(),
                                     std::span<const std::uint32_t>(), settings,
                                     RewardOptions{{}, options.place, options.graphs})) {}
Rewards::Rewards(Rewards&&) noexcept = default;
Rewards& Rewards::operator=(Rewards&&) noexcept = default;
Rewards::~Rewards() = default;

const RewardSettings& Rewards::settings() const {
  return state_->settings;
}

Place Rewards::place() const {
  return state_->place;
}

void Rewards::set_references(std::span<const Scan* const> scans, const PathSet& references,
                             std::span<const std::uint32_t> scan_of, const PathSet& goals) {
  state_->set_references(scans, references, scan_of, goals);
}

std::size_t Rewards::workspace_bytes(const Batch& batch) const {
  return state_->standing()->workspace_bytes(batch);
}

void Rewards::warm_up(CUstream_st* stream) const {
  state_->standing()->warm_up(stream);
}

void Rewards::compute(const Batch& batch, const RewardArrays& out, const Call& call) const {
  state_->standing()->compute(batch, out, call);
}

std::size_t Rewards::tracker_bytes(std::uint32_t episodes,
                                   std::uint32_t max_reference_length) const {
  return state_->standing()->tracker_bytes(episodes, max_reference_length);
}

void Rewards::add_up(const ReturnsBatch& batch, const Call& call) const {
  state_->standing()->add_up(batch, call);
}

void Rewards::group_advantages(const GroupBatch& batch, const Call& call) const {
  state_->standing()->group_advantages(batch, call);
}

}  // namespace warpath
