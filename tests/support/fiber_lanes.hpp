#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <cstdint>
#include <cstring>
#include <random>
#include <source_location>
#include <string>
#include <unordered_map>
#include <utility>

#include "kernels/lanes/scalar_lanes.hpp"

// Emulates the device's lanes on the host: one fiber per lane of a warp, in an order that is
// shuffled in every round. On a device a wrong mask, lanes at different calls or a missing barrier
// often leave every value right; here each is reported.

namespace warpath::testing {

#if defined(__cpp_lib_source_location)
using Site = std::source_location;
#else
/// Replaces std::source_location for Clang 14, which lacks what the library needs for it.
class Site {
 public:
  static constexpr Site current(const char* file = __builtin_FILE(),
                                const char* function = __builtin_FUNCTION(),
                                unsigned line = __builtin_LINE(),
                                unsigned column = __builtin_COLUMN()) {
    Site site;
    site.file_ = file;
    site.function_ = function;
    site.line_ = line;
    site.column_ = column;
    return site;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr const char* function_name() const { return function_; }
  constexpr unsigned line() const { return line_; }
  constexpr unsigned column() const { return column_; }

 private:
  const char *file_ = "", *function_ = "";
  unsigned line_ = 0, column_ = 0;
};
#endif

/// Runs a warp of up to 32 lanes. Every collective checks that all lanes of the mask are alive,
/// make the same call and name the same mask. Memory that passes between lanes needs a sync in
/// between.
class FiberWarp {
 public:
  static constexpr int max_lanes = 32;

  explicit FiberWarp(std::uint64_t seed) : random_(seed) {}

  /// Returns the warp whose fiber is running.
  static FiberWarp& current() { return *current_; }
  int lane() const { return lane_; }

  /// Runs fn(lane) on lanes 0 … lanes − 1 to the end. Returns the first fault, or "".
  template <class Fn>
  std::string run(int lanes, const Fn& fn) {
    lanes_ = lanes;
    alive_ = lanes == max_lanes ? ~0u : (1u << lanes) - 1;
    fault_.clear();
    memory_.clear();
    states_.fill({});
    FiberWarp* const outer = std::exchange(current_, this);
    start_fibers(fn);
    std::array<int, max_lanes> order;
    for (int l = 0; l < lanes; ++l) order[l] = l;
    while (alive_ != 0) {
      std::shuffle(order.begin(), order.begin() + lanes, random_);
      for (int k = 0; k < lanes; ++k) resume(order[k]);
    }
    current_ = outer;
    return fault_;
  }

  /// Exchanges values: each lane of `mask` gets the value of lane `from`.
  std::uint64_t exchange(std::uint32_t mask, std::uint64_t value, int from, const Site& site) {
    const int me = lane_;
    const unsigned turn = ++states_[me].turns;
    states_[me].calls[turn % 2] = {value, mask, site};
    states_[me].group = mask;
    if (!has(mask, me)) report("a lane is not in its own mask", site);
    if (!has(mask, from)) report("a lane outside the mask is read", site);
    meet_all(mask, turn);
    if (states_[from].turns > turn + 1) report("lanes disagree about the mask", site);
    return states_[from].calls[turn % 2].value;
  }

  void sync(std::uint32_t mask, const Site& site) {
    exchange(mask, 0, lane_, site);
    ++states_[lane_].syncs;
  }

  /// Waits for all lanes, whatever groups they form and wherever each of them calls it.
  void barrier(const Site& site) {
    const int me = lane_;
    const unsigned mine = ++states_[me].barriers;
    for (int other = 0; other < lanes_; ++other) {
      while (states_[other].barriers < mine && has(alive_, other)) give_way(me);
      if (states_[other].barriers < mine) report("a lane returned that others wait for", site);
    }
  }

  // Records a read. A lane may read what another wrote, and overwrite what another read, only after
  // both have passed a sync, or a barrier if they are of different groups.
  void reads(const void* p, const Site& site) {
    Access& access = memory_[p];
    if (access.write.lane < 0) report("a lane reads unwritten memory", site);
    if (unordered(access.write)) {
      report("a lane reads what another wrote, without a sync between", site);
    }
    access.read = now();
  }
  void writes(const void* p, const Site& site) {
    Access& access = memory_[p];
    if (unordered(access.read) || unordered(access.write)) {
      report("a lane overwrites what another uses, without a sync between", site);
    }
    access.write = now();
  }

 private:
  using Fiber = boost::context::fiber;

  struct Call {
    std::uint64_t value = 0;
    std::uint32_t mask = 0;
    Site site;
  };
  struct State {
    unsigned turns = 0, syncs = 0, barriers = 0;
    unsigned agreed = 0;      // the last turn in which a lane found all calls of the mask equal
    std::uint32_t group = 0;  // the mask of its last call
    Call calls[2];            // a lane is at most one turn ahead of any lane that it has met
  };
  // Holds a lane, and how many syncs and barriers it had passed.
  struct Moment {
    int lane = -1;
    unsigned syncs = 0, barriers = 0;
  };
  struct Access {
    Moment write, read;
  };

  static bool has(std::uint32_t mask, int lane) { return mask >> lane & 1; }
  static bool same_place(const Site& a, const Site& b) {
    const char *f = a.function_name(), *g = b.function_name();
    return a.line() == b.line() && a.column() == b.column() && (f == g || std::strcmp(f, g) == 0);
  }

  template <class Fn>
  void start_fibers(const Fn& fn) {
    static thread_local boost::context::pooled_fixedsize_stack stacks(std::size_t{256} << 10);
    for (int l = 0; l < lanes_; ++l) {
      fibers_[l] = Fiber(std::allocator_arg, stacks, [this, l, &fn](Fiber&& main) {
        main_ = std::move(main);
        fn(l);
        alive_ &= ~(1u << l);
        return std::move(main_);
      });
    }
  }
  void resume(int lane) {
    if (!has(alive_, lane)) return;
    lane_ = lane;
    fibers_[lane] = std::move(fibers_[lane]).resume();
  }
  void give_way(int me) {
    main_ = std::move(main_).resume();
    lane_ = me;
  }

  // Meets every lane of the mask. What one lane found equal to its own call is equal to those of
  // the others, which need not compare it again.
  void meet_all(std::uint32_t mask, unsigned turn) {
    const State& mine = states_[lane_];
    bool all_agree = true;
    for (std::uint32_t rest = mask; rest != 0 && mine.agreed != turn; rest &= rest - 1) {
      all_agree &= meet(std::countr_zero(rest), turn);
    }
    if (!all_agree || mine.agreed == turn) return;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
      states_[std::countr_zero(rest)].agreed = turn;
    }
  }

  // Waits for lane `other` to make its call of this turn, and returns whether the two calls agree.
  bool meet(int other, unsigned turn) {
    const int me = lane_;
    State& state = states_[other];
    while (state.turns < turn && has(alive_, other) && state.barriers <= states_[me].barriers) {
      give_way(me);
    }
    const Call& mine = states_[me].calls[turn % 2];
    const Call& theirs = state.calls[turn % 2];
    if (state.turns < turn) {
      report(state.barriers > states_[me].barriers
                 ? "the mask names a lane that waits at a barrier"
                 : "the mask names a lane that has returned or never was",
             mine.site);
    } else if (state.turns > turn + 1 || theirs.mask != mine.mask) {
      report("lanes disagree about the mask", mine.site);
    } else if (!same_place(theirs.site, mine.site)) {
      report("lanes of one mask are at different calls", mine.site);
    } else {
      return true;
    }
    return false;
  }
  Moment now() const { return {lane_, states_[lane_].syncs, states_[lane_].barriers}; }
  bool unordered(const Moment& other) const {
    const State& me = states_[lane_];
    if (other.lane < 0 || other.lane == lane_ || other.barriers < me.barriers) return false;
    return !has(me.group, other.lane) || other.syncs >= me.syncs;
  }
  void report(const char* what, const Site& site) {
    if (!fault_.empty()) return;
    fault_ = std::string(what) + " (lane " + std::to_string(lane_) + ", " + site.file_name() + ":" +
             std::to_string(site.line()) + ")";
  }

  static inline thread_local FiberWarp* current_ = nullptr;

  std::array<Fiber, max_lanes> fibers_;
  Fiber main_;
  std::array<State, max_lanes> states_;
  std::unordered_map<const void*, Access> memory_;
  std::uint32_t alive_ = 0;
  int lanes_ = 0, lane_ = 0;
  std::string fault_;
  std::mt19937_64 random_;
};

/// Names deliberate faults of a policy, for testing the checks.
enum class Fault {
  none,
  whole_warp_mask,  ///< a group names lanes that are not its own
  lower_half_mask,  ///< half of the lanes are not in the mask they name
  uneven_masks,     ///< the last rank names one lane more
  reads_below,      ///< rank 0 reads from the group below
  skipped_shuffle,  ///< the last rank omits its first shuffle
  no_sync,
  no_barrier,
  lost_border,  ///< the last rank's row is not passed to the next strip
};

/// Implements groups of W lanes, as on the device, on the fibers of the current warp.
/// @tparam Together all groups of a warp of max_lanes make the same calls
template <int W_, Fault fault = Fault::none, bool Together = false>
struct FiberLanes : kernels::ScalarOps {
  static_assert(W_ >= 1 && W_ <= FiberWarp::max_lanes && (W_ & (W_ - 1)) == 0);
  static constexpr int W = W_;

  static int rank() { return lane() % W; }

  template <class T>
  static T shift_up(T value, T fill, Site site = Site::current()) {
    if constexpr (W == 1) return fill;
    if (fault == Fault::skipped_shuffle && rank() == W - 1) return fill;
    const int below = fault == Fault::reads_below && lane() > 0 ? lane() - 1 : lane();
    const T got = exchange(value, rank() == 0 ? below : lane() - 1, site);
    return rank() == 0 ? fill : got;
  }
  template <class T>
  static T from_last(T value, Site site = Site::current()) {
    if constexpr (W == 1) return value;
    return exchange(value, lane() / W * W + W - 1, site);
  }
  template <class T>
  static T from(T value, int of, Site site = Site::current()) {
    if constexpr (W == 1) return value;
    return exchange(value, lane() / W * W + of, site);
  }
  static int highest(int x, Site site = Site::current()) {
    if constexpr (!Together) return x;
    int result = x;
    for (int l = 0; l < FiberWarp::max_lanes; ++l) result = std::max(result, exchange(x, l, site));
    return result;
  }
  static void sync(Site site = Site::current()) {
    if (fault != Fault::no_sync) FiberWarp::current().sync(mask(), site);
  }

  static void block_sync(Site site = Site::current()) {
    if (fault != Fault::no_barrier) FiberWarp::current().barrier(site);
  }

  template <class T>
  static T border(const T* p, int j, Site site = Site::current()) {
    // Only rank 0 uses the value; on a device the others' loads are discarded.
    if (rank() == 0) FiberWarp::current().reads(p + j, site);
    return p[j];
  }
  template <class T>
  static void store_border(T* p, int j, bool live, T value, Site site = Site::current()) {
    if (rank() != W - 1 || !live || fault == Fault::lost_border) return;
    FiberWarp::current().writes(p + j, site);
    p[j] = value;
  }

 private:
  static int lane() { return FiberWarp::current().lane(); }

  static std::uint32_t mask() {
    if (fault == Fault::whole_warp_mask || Together) return ~0u;
    const int first = lane() / W * W, lanes = fault == Fault::lower_half_mask ? W / 2 : W;
    const std::uint32_t group = (lanes == 32 ? ~0u : (1u << lanes) - 1) << first;
    return fault == Fault::uneven_masks && rank() == W - 1 ? group | 1 : group;
  }

  template <class T>
  static T exchange(T value, int from, const Site& site) {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    word = FiberWarp::current().exchange(mask(), word, from, site);
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
};

}  // namespace warpath::testing
