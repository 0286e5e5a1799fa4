#include "src/scheduler/block_scheduler.hpp"

#include <algorithm>
#include <numeric>

namespace ptx {
namespace {

using State = Thread::State;

// A thread with more instructions in one turn is treated as one that never ends; no kernel needs as
// many.
constexpr std::int64_t max_instructions_of_turn = 2'000'000'000;
constexpr int max_idle_rounds = 100'000;

}  // namespace

BlockScheduler::BlockScheduler(const Kernel& kernel, Block& block, std::mt19937_64& random)
    : kernel_(kernel), block_(block), random_(random), order_(block.threads.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
}

void BlockScheduler::run() {
  int idle_rounds = 0;
  while (!all_threads_are(State::ended)) {
    std::shuffle(order_.begin(), order_.end(), random_);
    bool progress = false;
    for (const unsigned t : order_) progress |= run_thread(block_.threads[t]);
    progress |= release_block_barrier();
    for (std::size_t first = 0; first < block_.threads.size(); first += warp_size) {
      progress |= run_collectives(first);
    }
    idle_rounds = progress ? 0 : idle_rounds + 1;
    if (idle_rounds > 0 && (!any_thread_is(State::yields) || idle_rounds > max_idle_rounds)) {
      report_deadlock();
    }
  }
}

bool BlockScheduler::any_thread_is(State state) const {
  return std::ranges::any_of(block_.threads, [&](const Thread& t) { return t.state == state; });
}

bool BlockScheduler::all_threads_are(State state) const {
  return std::ranges::all_of(block_.threads, [&](const Thread& t) { return t.state == state; });
}

// Runs a thread. Returns whether it made progress; a thread that yields again did not.
bool BlockScheduler::run_thread(Thread& thread) {
  const bool has_yielded = thread.state == State::yields;
  if (has_yielded) thread.state = State::running;
  if (thread.state != State::running) return false;
  const Instruction* const code = kernel_.code.data();
  const std::size_t end = kernel_.code.size();
  try {
    for (std::int64_t n = 0; thread.state == State::running; ++n) {
      if (thread.pc >= end) throw Fault("runs out of the kernel");
      if (n > max_instructions_of_turn) throw Fault("does not end");
      const Instruction& now = code[thread.pc++];
      if (now.guard >= 0 && thread.is_true(now.guard) != now.guard_value) continue;
      thread.instructions += !now.is_move;
      now.execute(thread, now);
    }
  } catch (const Fault& fault) {
    throw Fault(position_of(thread) + fault.what());
  }
  return !(has_yielded && thread.state == State::yields);
}

// Releases a barrier at which all threads that have not ended wait. If the barrier has a result, it
// is whether any thread's predicate is true.
bool BlockScheduler::release_block_barrier() {
  bool is_waited_for = false, any_is_true = false;
  for (const Thread& t : block_.threads) {
    if (t.state == State::ended) continue;
    if (t.state != State::waits_for_block) return false;
    is_waited_for = true;
    any_is_true |= t.waits_at->results[0] >= 0 && t.is_true(t.waits_at->operands[1]);
  }
  if (!is_waited_for) return false;
  for (std::size_t first = 0; first < block_.threads.size(); first += warp_size) {
    check_barrier_of_warp(first);
  }
  for (Thread& t : block_.threads) {
    if (t.state == State::ended) continue;
    if (t.waits_at->results[0] >= 0) t.set<std::uint64_t>(t.waits_at->results[0], any_is_true);
    t.advance_clock();
    t.block_clock = t.clock;
    t.state = State::running;
  }
  return true;
}

// Checks that the lanes of a warp wait at the same barrier or have all ended.
void BlockScheduler::check_barrier_of_warp(std::size_t first) const {
  const Thread& one = block_.threads[first];
  for (std::size_t t = first; t < end_of_warp(first); ++t) {
    const Thread& other = block_.threads[t];
    const bool is_same_place = other.state == State::ended || other.waits_at == one.waits_at;
    if (other.state == one.state && is_same_place) continue;
    const Thread& waiting = one.state == State::ended ? other : one;
    throw Fault(position_of(waiting) +
                "is not the barrier at which another lane of its warp waits");
  }
}

// Executes the collectives of a warp for which all lanes of the mask have arrived. Returns whether
// there was one.
bool BlockScheduler::run_collectives(std::size_t first) {
  bool any = false;
  for (std::size_t t = first; t < end_of_warp(first); ++t) {
    Thread& thread = block_.threads[t];
    if (thread.state != State::waits_for_warp) continue;
    const auto mask = thread.get<std::uint32_t>(thread.waits_at->mask);
    if ((mask >> thread.lane() & 1) == 0) {
      throw Fault(position_of(thread) + "its mask lacks the lane");
    }
    const auto lanes = arrived_lanes(thread, mask, first);
    if (lanes.empty()) continue;
    try {
      thread.waits_at->collective(lanes);
    } catch (const Fault& fault) {
      throw Fault(position_of(thread) + fault.what());
    }
    for (Thread* lane : lanes) lane->state = State::running;
    any = true;
  }
  return any;
}

// Returns the lanes of the mask that have not ended; empty unless all of them wait with the thread.
std::vector<Thread*> BlockScheduler::arrived_lanes(const Thread& thread, std::uint32_t mask,
                                                   std::size_t first) {
  std::vector<Thread*> lanes;
  for (std::size_t t = first; t < end_of_warp(first); ++t) {
    Thread& other = block_.threads[t];
    if ((mask >> other.lane() & 1) == 0 || other.state == State::ended) continue;
    if (other.state != State::waits_for_warp ||
        other.waits_at->collective != thread.waits_at->collective ||
        other.get<std::uint32_t>(other.waits_at->mask) != mask) {
      return {};
    }
    lanes.push_back(&other);
  }
  return lanes;
}

std::size_t BlockScheduler::end_of_warp(std::size_t first) const {
  return std::min(first + warp_size, block_.threads.size());
}

void BlockScheduler::report_deadlock() const {
  const auto waiting =
      std::ranges::find_if(block_.threads, [](const Thread& t) { return t.state != State::ended; });
  throw Fault(position_of(*waiting) + "waits for threads that never come");
}

std::string BlockScheduler::position_of(const Thread& thread) const {
  const std::uint32_t pc = thread.pc > 0 ? thread.pc - 1 : 0;
  return kernel_.name + ", block " + std::to_string(block_.number - block_.first_of_launch) +
         ", thread " + std::to_string(thread.index) + ", \"" +
         (pc < kernel_.text.size() ? kernel_.text[pc] : "end") + "\": ";
}

}  // namespace ptx
