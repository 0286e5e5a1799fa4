#include "ptx/machine.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "src/scheduler/block_scheduler.hpp"

namespace ptx {
namespace {

// Initial value of memory and registers, by which unwritten bytes can be recognised.
constexpr unsigned char fresh_byte = 0xcd;
constexpr std::uint64_t fresh_slot = 0xcdcdcdcd'cdcdcdcd;

void set_special_registers(Thread& thread, unsigned block, const LaunchShape& shape) {
  const auto set = [&](SpecialRegister special, unsigned value) {
    thread.slots[static_cast<int>(special)] = value;
  };
  const unsigned lane = thread.lane();
  set(SpecialRegister::tid, thread.index);
  set(SpecialRegister::ntid, shape.threads);
  set(SpecialRegister::ctaid, block);
  set(SpecialRegister::nctaid, shape.blocks);
  set(SpecialRegister::laneid, lane);
  set(SpecialRegister::lanemask_le, (2u << lane) - 1);
  set(SpecialRegister::lanemask_ge, ~((1u << lane) - 1));
}

void add_to_profile(Block& block, KernelProfile& profile) {
  for (std::size_t first = 0; first < block.threads.size(); first += warp_size) {
    std::vector<std::vector<MemoryAccess>> lanes;
    for (std::size_t t = first; t < std::min(first + warp_size, block.threads.size()); ++t) {
      profile.instructions += block.threads[t].instructions;
      lanes.push_back(std::move(block.threads[t].accesses));
    }
    profile.add_warp(lanes);
  }
}

/// Lays out the slots of a block's threads. Their blocks take turns: the first finds fresh values,
/// the others what the block before left, as registers do on a device.
class Slots {
 public:
  /// @param memory of all slots; it grows if it is too small
  Slots(const Kernel& kernel, unsigned threads, std::vector<std::uint64_t>& memory)
      : slots_of_thread_(kernel.first_constant + kernel.constants.size()), all_(memory) {
    if (all_.size() < slots_of_thread_ * threads) all_.resize(slots_of_thread_ * threads);
    for (unsigned t = 0; t < threads; ++t) {
      std::uint64_t* const constants = std::fill_n(of(t), kernel.first_constant, fresh_slot);
      std::ranges::copy(kernel.constants, constants);
    }
  }

  std::uint64_t* of(unsigned thread) { return &all_[thread * slots_of_thread_]; }

 private:
  std::size_t slots_of_thread_;
  std::vector<std::uint64_t>& all_;
};

void start_threads(Block& block, Slots& slots, unsigned block_index, const LaunchShape& shape) {
  for (unsigned t = 0; t < shape.threads; ++t) {
    Thread& thread = block.threads[t] = Thread{};
    thread.block = &block;
    thread.slots = slots.of(t);
    thread.index = static_cast<std::uint16_t>(t);
    set_special_registers(thread, block_index, shape);
  }
}

}  // namespace

Parameters pack_parameters(const Kernel& kernel, void** arguments) {
  Parameters packed;
  for (std::size_t k = 0; k < kernel.parameter_bytes.size(); ++k) {
    const std::uint32_t offset = kernel.parameter_offsets[k], bytes = kernel.parameter_bytes[k];
    packed.resize(offset + bytes);
    std::memcpy(&packed[offset], arguments[k], bytes);
  }
  return packed;
}

void Machine::run(const Kernel& kernel, const LaunchShape& shape, Parameters parameters) {
  const std::size_t shared_bytes = kernel.static_shared + shape.dynamic_shared;
  Slots slots(kernel, shape.threads, slots_);
  Block block{.number = 0,
              .first_of_launch = block_count_ + 1,
              .threads = std::vector<Thread>(shape.threads),
              .parameters = std::move(parameters),
              .shared = {},
              .is_shared_written = {},
              .shared_shadow = ShadowMemory(shared_bytes, true),
              .global = memory,
              .is_profiled = profile != nullptr};
  for (unsigned b = 0; b < shape.blocks; ++b) {
    block.number = ++block_count_;
    block.shared.assign(shared_bytes, fresh_byte);
    block.is_shared_written.assign(shared_bytes, 0);
    start_threads(block, slots, b, shape);
    try {
      BlockScheduler(kernel, block, random_).run();
    } catch (const Fault& fault) {
      throw Fault(fault.what() + (" (seed " + std::to_string(seed_) + ")"));
    }
    if (profile != nullptr) add_to_profile(block, (*profile)[kernel.name]);
  }
}

}  // namespace ptx
