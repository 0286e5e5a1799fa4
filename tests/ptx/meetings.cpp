#include <algorithm>
#include <array>
#include <span>

#include "tests/ptx/table.hpp"

// Where threads wait for each other: barriers, shuffles, votes.

namespace warpath::testing::ptx {
namespace {

void wait_for_warp(Thread& t, I i) {
  t.state = Thread::State::waits_for_warp;
  t.at = &i;
}
void wait_for_block(Thread& t, I i) {
  if (t.get<u32>(i.from[0]) != 0) throw Fault("is another barrier than 0");
  t.state = Thread::State::waits_for_block;
  t.at = &i;
}

using Lanes = std::span<Thread* const>;

u32 mask_of(Lanes lanes) {
  u32 mask = 0;
  for (const Thread* t : lanes) mask |= 1u << t->lane();
  return mask;
}

// What one of them knows, all do.
void sync(Lanes lanes) {
  std::array<u32, 32> seen{};
  for (Thread* t : lanes) {
    t->advance();
    for (std::size_t lane = 0; lane < seen.size(); ++lane) {
      seen[lane] = std::max(seen[lane], t->seen[lane]);
    }
    seen[t->lane()] = t->time;
  }
  for (Thread* t : lanes) t->seen = seen;
}

enum class Shuffle { up, down, index, butterfly };

// The lane that `lane` reads, by the pseudocode of shfl.sync: false where it is out of range, and
// the lane reads its own.
template <Shuffle shuffle>
bool source(int lane, u32 b, u32 c, int& from) {
  const int segment = static_cast<int>(c >> 8 & 31), clamp = static_cast<int>(c & 31);
  const int last = (lane & segment) | (clamp & ~segment);
  const int by = static_cast<int>(b & 31);
  switch (shuffle) {
    case Shuffle::up:
      from = lane - by;
      return from >= last;
    case Shuffle::down:
      from = lane + by;
      return from <= last;
    case Shuffle::index:
      from = (lane & segment) | (by & ~segment);
      return from <= last;
    case Shuffle::butterfly:
      from = lane ^ by;
      return from <= last;
  }
  return false;
}

template <Shuffle shuffle>
void move_between(Lanes lanes) {
  const u32 mask = mask_of(lanes);
  u32 values[32] = {}, got[32] = {};
  bool in_range[32] = {};
  for (const Thread* t : lanes) values[t->lane()] = t->get<u32>(t->at->from[0]);
  for (const Thread* t : lanes) {
    const int lane = static_cast<int>(t->lane());
    int from = 0;
    in_range[lane] =
        source<shuffle>(lane, t->get<u32>(t->at->from[1]), t->get<u32>(t->at->from[2]), from);
    if (!in_range[lane]) from = lane;
    if ((mask >> from & 1) == 0) throw Fault("reads a lane that takes no part");
    got[lane] = values[from];
  }
  for (Thread* t : lanes) {
    t->set<u32>(t->at->to[0], got[t->lane()]);
    if (t->at->to[1] >= 0) t->set<u64>(t->at->to[1], in_range[t->lane()]);
  }
}

enum class Vote { ballot, any, all };

template <Vote vote>
void count_votes(Lanes lanes) {
  u32 votes = 0;
  for (const Thread* t : lanes) votes |= static_cast<u32>(t->holds(t->at->from[0])) << t->lane();
  const u64 result = vote == Vote::ballot ? votes
                     : vote == Vote::any  ? votes != 0
                                          : votes == mask_of(lanes);
  for (Thread* t : lanes) t->set<u64>(t->at->to[0], result);
}

}  // namespace

void add_meetings(Table& table) {
  const auto add = [&](const char* name, Meet meet, int results, int operands) {
    table[name] = {
        .execute = wait_for_warp, .results = results, .operands = operands, .meet = meet};
  };
  add("bar.warp.sync", sync, 0, 1);
  add("shfl.sync.up.b32", move_between<Shuffle::up>, 2, 4);
  add("shfl.sync.down.b32", move_between<Shuffle::down>, 2, 4);
  add("shfl.sync.idx.b32", move_between<Shuffle::index>, 2, 4);
  add("shfl.sync.bfly.b32", move_between<Shuffle::butterfly>, 2, 4);
  add("vote.sync.ballot.b32", count_votes<Vote::ballot>, 1, 2);
  add("vote.ballot.sync.b32", count_votes<Vote::ballot>, 1, 2);
  add("vote.sync.any.pred", count_votes<Vote::any>, 1, 2);
  add("vote.sync.all.pred", count_votes<Vote::all>, 1, 2);
  table["bar.sync"] = {.execute = wait_for_block, .operands = 1};
  table["bar.red.or.pred"] = {.execute = wait_for_block, .results = 1, .operands = 2};
}

}  // namespace warpath::testing::ptx
