#include "tests/ptx/machine.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpath::testing::ptx {
namespace {

using State = Thread::State;

// More than any thread takes between two points where it waits.
constexpr std::int64_t endless = 2'000'000'000;
constexpr int most_turns_in_vain = 100'000;

class BlockRun {
 public:
  BlockRun(const Kernel& kernel, Block& block, std::mt19937_64& random)
      : kernel_(kernel), block_(block), random_(random) {
    order_.resize(block.threads.size());
    std::iota(order_.begin(), order_.end(), 0u);
  }

  void run() {
    int in_vain = 0;
    while (!have_all(State::ended)) {
      std::shuffle(order_.begin(), order_.end(), random_);
      bool ran = false;
      for (const unsigned t : order_) ran |= run(block_.threads[t]);
      bool met = pass_barrier();
      for (std::size_t w = 0; w < block_.threads.size(); w += 32) met |= meet(w);
      in_vain = ran || met ? 0 : in_vain + 1;
      if (in_vain > 0 && (!have_any(State::yields) || in_vain > most_turns_in_vain)) stuck();
    }
  }

 private:
  bool have_all(State state) const {
    return std::ranges::all_of(block_.threads, [&](const Thread& t) { return t.state == state; });
  }
  bool have_any(State state) const {
    return std::ranges::any_of(block_.threads, [&](const Thread& t) { return t.state == state; });
  }

  // Whether the thread went on at all; one that yields each time does so in vain.
  bool run(Thread& thread) {
    const bool yielded = thread.state == State::yields;
    if (yielded) thread.state = State::running;
    if (thread.state != State::running) return false;
    const Instruction* const code = kernel_.code.data();
    try {
      for (std::int64_t n = 0; thread.state == State::running; ++n) {
        if (thread.pc >= kernel_.code.size()) throw Fault("runs out of the kernel");
        if (n > endless) throw Fault("does not end");
        const Instruction& now = code[thread.pc++];
        if (now.guard >= 0 && thread.holds(now.guard) != now.guard_value) continue;
        thread.instructions += !now.is_move;
        now.execute(thread, now);
      }
    } catch (const Fault& fault) {
      throw Fault(place(thread) + fault.what());
    }
    return !(yielded && thread.state == State::yields);
  }

  // All threads that have not ended wait at a barrier, the lanes of a warp at the same one.
  bool pass_barrier() {
    bool any = false, is_true = false;
    for (const Thread& t : block_.threads) {
      if (t.state == State::ended) continue;
      if (t.state != State::waits_for_block) return false;
      any = true;
      is_true |= t.at->to[0] >= 0 && t.holds(t.at->from[1]);
    }
    if (!any) return false;
    for (std::size_t first = 0; first < block_.threads.size(); first += 32) check_warp(first);
    for (Thread& t : block_.threads) {
      if (t.state == State::ended) continue;
      if (t.at->to[0] >= 0) t.set<std::uint64_t>(t.at->to[0], is_true);
      t.advance();
      t.block_time = t.time;
      t.state = State::running;
    }
    return true;
  }

  void check_warp(std::size_t first) const {
    const Thread& one = block_.threads[first];
    for (std::size_t t = first; t < std::min(first + 32, block_.threads.size()); ++t) {
      const Thread& other = block_.threads[t];
      if (other.state == one.state && (other.state == State::ended || other.at == one.at)) continue;
      const Thread& waiting = one.state == State::ended ? other : one;
      throw Fault(place(waiting) + "is not the barrier at which another lane of its warp waits");
    }
  }

  // Lanes of a warp that wait for each other, and are all there, do what they came for.
  bool meet(std::size_t first) {
    bool any = false;
    const std::size_t end = std::min(first + 32, block_.threads.size());
    for (std::size_t t = first; t < end; ++t) {
      Thread& thread = block_.threads[t];
      if (thread.state != State::waits_for_warp) continue;
      const auto mask = thread.get<std::uint32_t>(thread.at->mask);
      if ((mask >> thread.lane() & 1) == 0) throw Fault(place(thread) + "its mask lacks the lane");
      const auto lanes = lanes_at(thread, mask, first, end);
      if (lanes.empty()) continue;
      try {
        thread.at->meet(lanes);
      } catch (const Fault& fault) {
        throw Fault(place(thread) + fault.what());
      }
      for (Thread* lane : lanes) lane->state = State::running;
      any = true;
    }
    return any;
  }

  // None unless all lanes of the mask that have not ended wait with it.
  std::vector<Thread*> lanes_at(const Thread& thread, std::uint32_t mask, std::size_t first,
                                std::size_t end) {
    std::vector<Thread*> lanes;
    for (std::size_t t = first; t < end; ++t) {
      Thread& other = block_.threads[t];
      if ((mask >> other.lane() & 1) == 0 || other.state == State::ended) continue;
      if (other.state != State::waits_for_warp || other.at->meet != thread.at->meet ||
          other.get<std::uint32_t>(other.at->mask) != mask) {
        return {};
      }
      lanes.push_back(&other);
    }
    return lanes;
  }

  [[noreturn]] void stuck() const {
    for (const Thread& t : block_.threads) {
      if (t.state == State::ended) continue;
      throw Fault(place(t) + "waits for threads that never come");
    }
    throw Fault(kernel_.name + ": nothing to wait for");
  }

  std::string place(const Thread& t) const {
    const std::uint32_t pc = t.pc > 0 ? t.pc - 1 : 0;
    return kernel_.name + ", block " + std::to_string(block_.serial - block_.first_of_launch) +
           ", thread " + std::to_string(t.index) + ", \"" +
           (pc < kernel_.text.size() ? kernel_.text[pc] : "end") + "\": ";
  }

  const Kernel& kernel_;
  Block& block_;
  std::mt19937_64& random_;
  std::vector<unsigned> order_;
};

void set_special(Thread& thread, Special special, unsigned value) {
  thread.slots[static_cast<int>(special)] = value;
}

void add(Block& block, KernelProfile& profile) {
  for (std::size_t first = 0; first < block.threads.size(); first += 32) {
    std::vector<std::vector<Visit>> lanes;
    for (std::size_t t = first; t < std::min(first + 32, block.threads.size()); ++t) {
      profile.instructions += block.threads[t].instructions;
      lanes.push_back(std::move(block.threads[t].visits));
    }
    profile.add_warp(lanes);
  }
}

}  // namespace

Parameters pack(const Kernel& kernel, void** arguments) {
  Parameters bytes;
  for (std::size_t k = 0; k < kernel.parameter_bytes.size(); ++k) {
    const std::uint32_t offset = kernel.parameter_offsets[k], size = kernel.parameter_bytes[k];
    bytes.resize(offset + size);
    std::memcpy(&bytes[offset], arguments[k], size);
  }
  return bytes;
}

void* Block::touch_shared(std::uint64_t at, std::size_t bytes, Access access,
                          const Thread& thread) {
  if (at > shared.size() || bytes > shared.size() - at) throw Fault("is outside of shared memory");
  if (at % bytes != 0) throw Fault("is not aligned");
  for (std::size_t k = 0; k < bytes; k += 4) shared_shadow.touch(at + k, access, thread);
  for (std::size_t k = at; k < at + bytes; ++k) {
    if (reads(access) && !is_shared_written[k]) throw Fault("was never written");
    if (writes(access)) is_shared_written[k] = true;
  }
  return &shared[at];
}

const void* Block::parameter(std::uint64_t at, std::size_t bytes) const {
  if (at > parameters.size() || bytes > parameters.size() - at)
    throw Fault("is outside of the parameters");
  return &parameters[at];
}

void Machine::run(const Kernel& kernel, const LaunchShape& shape, Parameters parameters) {
  const std::size_t slots = kernel.first_constant + kernel.constants.size();
  std::vector<std::uint64_t> fresh(slots, 0xcdcdcdcd'cdcdcdcd), all(slots * shape.threads);
  std::ranges::copy(kernel.constants, fresh.begin() + kernel.first_constant);
  const std::size_t shared = kernel.static_shared + shape.dynamic_shared;
  Block block{0,
              blocks_ + 1,
              std::vector<Thread>(shape.threads),
              std::move(parameters),
              {},
              {},
              Shadow(shared, true),
              memory,
              profile != nullptr};
  for (unsigned b = 0; b < shape.blocks; ++b) {
    block.serial = ++blocks_;
    block.shared.assign(shared, 0xcd);
    block.is_shared_written.assign(shared, false);
    for (unsigned t = 0; t < shape.threads; ++t) {
      std::ranges::copy(fresh, all.begin() + t * slots);
      Thread& thread = block.threads[t] = Thread{};
      thread.block = &block;
      thread.slots = &all[t * slots];
      thread.index = static_cast<std::uint16_t>(t);
      set_special(thread, Special::tid, t);
      set_special(thread, Special::ntid, shape.threads);
      set_special(thread, Special::ctaid, b);
      set_special(thread, Special::nctaid, shape.blocks);
      set_special(thread, Special::laneid, t % 32);
      set_special(thread, Special::lanemask_le, (2u << t % 32) - 1);
      set_special(thread, Special::lanemask_ge, ~((1u << t % 32) - 1));
    }
    try {
      BlockRun(kernel, block, random_).run();
    } catch (const Fault& fault) {
      throw Fault(fault.what() + (" (seed " + std::to_string(seed_) + ")"));
    }
    if (profile != nullptr) add(block, (*profile)[kernel.name]);
  }
}

}  // namespace warpath::testing::ptx
