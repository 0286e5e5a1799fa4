#include <algorithm>
#include <array>
#include <span>

#include "src/opcodes/opcode.hpp"

// Instructions that the lanes of a warp execute together: barriers of a warp, shuffles,
// reductions, votes.

namespace ptx {
namespace {

using Lanes = std::span<Thread* const>;

void wait_for_warp(Thread& thread, const Instruction& instruction) {
  thread.state = Thread::State::waits_for_warp;
  thread.waits_at = &instruction;
}

u32 mask_of(Lanes lanes) {
  u32 mask = 0;
  for (const Thread* thread : lanes) mask |= 1u << thread->lane();
  return mask;
}

// Synchronises the lanes: what one of them sees, all see afterwards.
void synchronize(Lanes lanes) {
  std::array<u32, warp_size> seen{};
  for (Thread* thread : lanes) {
    thread->advance_clock();
    for (std::size_t lane = 0; lane < seen.size(); ++lane) {
      seen[lane] = std::max(seen[lane], thread->seen_clocks[lane]);
    }
    seen[thread->lane()] = thread->clock;
  }
  for (Thread* thread : lanes) thread->seen_clocks = seen;
}

enum class ShuffleMode { up, down, index, butterfly };

struct ShuffleSource {
  int lane;
  bool is_in_range;
};

// Finds the lane that `lane` reads, by the pseudocode of shfl.sync in the PTX ISA: itself if the
// source is out of range.
template <ShuffleMode mode>
ShuffleSource shuffle_source(int lane, u32 b, u32 c) {
  const int segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31);
  const int limit = (lane & segment) | (clamp & ~segment);
  const int distance = static_cast<int>(b & 31);
  int source = lane;
  if (mode == ShuffleMode::up) source = lane - distance;
  if (mode == ShuffleMode::down) source = lane + distance;
  if (mode == ShuffleMode::index) source = (lane & segment) | (distance & ~segment);
  if (mode == ShuffleMode::butterfly) source = lane ^ distance;
  const bool is_in_range = mode == ShuffleMode::up ? source >= limit : source <= limit;
  return {is_in_range ? source : lane, is_in_range};
}

template <ShuffleMode mode>
void shuffle(Lanes lanes) {
  const u32 mask = mask_of(lanes);
  std::array<u32, warp_size> values{};
  for (const Thread* thread : lanes) {
    values[thread->lane()] = thread->get<u32>(thread->waits_at->operands[0]);
  }
  for (Thread* thread : lanes) {
    const Instruction& instruction = *thread->waits_at;
    const ShuffleSource source = shuffle_source<mode>(static_cast<int>(thread->lane()),
                                                      thread->get<u32>(instruction.operands[1]),
                                                      thread->get<u32>(instruction.operands[2]));
    if ((mask >> source.lane & 1) == 0) throw Fault("reads a lane that takes no part");
    thread->set<u32>(instruction.results[0], values[source.lane]);
    if (instruction.results[1] >= 0) thread->set<u64>(instruction.results[1], source.is_in_range);
  }
}

enum class VoteMode { ballot, any, all };

template <VoteMode mode>
void vote(Lanes lanes) {
  u32 votes = 0;
  for (const Thread* thread : lanes) {
    const bool is_true = thread->is_true(thread->waits_at->operands[0]);
    votes |= static_cast<u32>(is_true) << thread->lane();
  }
  u64 result = votes;
  if (mode == VoteMode::any) result = votes != 0;
  if (mode == VoteMode::all) result = votes == mask_of(lanes);
  for (Thread* thread : lanes) thread->set<u64>(thread->waits_at->results[0], result);
}

/// Gives all lanes the sum, or the largest, of their numbers.
template <bool largest>
void reduce(Lanes lanes) {
  u32 all = 0;
  for (const Thread* thread : lanes) {
    const u32 own = thread->get<u32>(thread->waits_at->operands[0]);
    all = largest ? std::max(all, own) : all + own;
  }
  for (Thread* thread : lanes) thread->set<u32>(thread->waits_at->results[0], all);
}

}  // namespace

void add_warp_collectives(OpcodeTable& table) {
  const auto add = [&](const char* name, ExecuteCollective collective, int max_results,
                       int operands) {
    table[name] = {.execute = wait_for_warp,
                   .max_results = max_results,
                   .operands = operands,
                   .collective = collective};
  };
  add("bar.warp.sync", synchronize, 0, 1);
  add("shfl.sync.up.b32", shuffle<ShuffleMode::up>, 2, 4);
  add("shfl.sync.down.b32", shuffle<ShuffleMode::down>, 2, 4);
  add("shfl.sync.idx.b32", shuffle<ShuffleMode::index>, 2, 4);
  add("shfl.sync.bfly.b32", shuffle<ShuffleMode::butterfly>, 2, 4);
  add("redux.sync.add.u32", reduce<false>, 1, 2);
  add("redux.sync.max.u32", reduce<true>, 1, 2);
  add("vote.sync.ballot.b32", vote<VoteMode::ballot>, 1, 2);
  add("vote.ballot.sync.b32", vote<VoteMode::ballot>, 1, 2);
  add("vote.sync.any.pred", vote<VoteMode::any>, 1, 2);
  add("vote.sync.all.pred", vote<VoteMode::all>, 1, 2);
}

}  // namespace ptx
