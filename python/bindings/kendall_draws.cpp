// Counts the pairs behind Kendall's tau in bootstrap draws, for warpath.correlate.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "python/bindings/bindings.hpp"

// Functions that return vectors are inlined, so how they would return them does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace warpath::python {
namespace {

// A draw says how often each item was taken, so items are sorted once for all draws, which lie side
// by side in the lanes of a vector. A Fenwick tree over the ranks of y holds how often the items
// with a smaller x were taken (Knight 1966). All sums are exact integers.
constexpr std::size_t draw_lanes = 16;
using Taken [[gnu::vector_size(4 * draw_lanes)]] = std::uint32_t;
using WideSums [[gnu::vector_size(8 * draw_lanes)]] = std::uint64_t;

// Twice the pairs of so many items fit into 32 bits.
constexpr std::uint64_t max_narrow_items = 65'535;

struct alignas(64) TakenOf {
  Taken in_draws{};
};

struct DrawnItem {
  std::uint32_t index, x, y;
};

// Concordant minus discordant pairs, pairs with one x, with one y, all pairs, and how many
// different x and y there are.
enum DrawCount : std::size_t {
  net,
  same_x,
  same_y,
  all_pairs,
  different_x,
  different_y,
  draw_counts
};

using DrawCounts = std::array<std::int64_t, draw_counts>;

struct DrawTask {
  std::span<const DrawnItem> items;  // sorted by x, then y
  std::size_t y_count;               // ranks of y are below it
  const std::uint32_t* taken;        // [groups][items][lanes]
  std::size_t groups;
  DrawCounts* counts;  // [groups][lanes]
  bool is_narrow = false;
};

// Counts sixteen draws. It is inlined into a function for each instruction set, as all that it
// calls.
template <typename Sums>
struct DrawCounter {
  std::span<const DrawnItem> items;
  std::vector<TakenOf>& tree;
  std::vector<TakenOf>& by_y;
  Sums concordant{}, twice_same_x{}, twice_same_y{}, twice_same_both{};
  Taken x_count{}, y_count{}, before{};

  [[gnu::always_inline]] void count(const std::uint32_t* taken) {
    std::fill(tree.begin(), tree.end(), TakenOf{});
    std::fill(by_y.begin(), by_y.end(), TakenOf{});
    for (std::size_t begin = 0, end = 0; begin < items.size(); begin = end) {
      end = begin + 1;
      while (end < items.size() && items[end].x == items[begin].x) ++end;
      const bool is_single = items[begin].y == items[end - 1].y;
      Taken in_group{};
      for (std::size_t k = begin; k < end;) {
        Taken now{};
        const std::uint32_t y = items[k].y;
        for (; k < end && items[k].y == y; ++k) add_taken(now, taken, items[k].index);
        concordant += wide(smaller(y)) * wide(now);
        add_pairs(twice_same_both, now);
        in_group += now;
        by_y[y].in_draws += now;
        if (is_single) insert(y, now);
      }
      if (!is_single) {
        for (std::size_t k = begin; k < end; ++k) {
          Taken now{};
          add_taken(now, taken, items[k].index);
          insert(items[k].y, now);
        }
      }
      add_pairs(twice_same_x, in_group);
      x_count += at_least_one(in_group);
      before += in_group;
    }
    for (const TakenOf& of : by_y) {
      add_pairs(twice_same_y, of.in_draws);
      y_count += at_least_one(of.in_draws);
    }
  }

 private:
  [[gnu::always_inline]] static Sums wide(const Taken& taken) {
    return __builtin_convertvector(taken, Sums);
  }

  [[gnu::always_inline]] static void add_taken(Taken& sum, const std::uint32_t* taken,
                                               std::size_t index) {
    Taken one;
    std::memcpy(&one, taken + index * draw_lanes, sizeof one);
    sum += one;
  }

  [[gnu::always_inline]] static void add_pairs(Sums& twice, const Taken& taken) {
    twice += wide(taken) * (wide(taken) - 1);
  }

  [[gnu::always_inline]] static Taken at_least_one(const Taken& taken) {
    return -Taken(taken != 0);
  }

  // How often items with a smaller y are in the tree. The tree's place p is that of rank p - 1.
  [[gnu::always_inline]] Taken smaller(std::size_t y) const {
    Taken sum{};
    for (std::size_t p = y; p != 0; p &= p - 1) sum += tree[p].in_draws;
    return sum;
  }

  [[gnu::always_inline]] void insert(std::size_t y, const Taken& taken) {
    for (std::size_t p = y + 1; p < tree.size(); p += p & -p) tree[p].in_draws += taken;
  }
};

template <typename Sums>
[[gnu::always_inline]] inline void count_all(const DrawTask& task) {
  std::vector<TakenOf> tree(task.y_count + 1), by_y(task.y_count);
  for (std::size_t g = 0; g < task.groups; ++g) {
    DrawCounter<Sums> found{task.items, tree, by_y};
    found.count(task.taken + g * task.items.size() * draw_lanes);
    for (std::size_t lane = 0; lane < draw_lanes; ++lane) {
      const auto number = [lane](const auto& lanes) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(lanes[lane]));
      };
      const auto n = static_cast<std::uint64_t>(number(found.before));
      const auto all = static_cast<std::int64_t>(n * (n - 1) / 2);
      const std::int64_t x = number(found.twice_same_x) / 2, y = number(found.twice_same_y) / 2;
      const std::int64_t concordant = number(found.concordant);
      const std::int64_t discordant = all - x - y + number(found.twice_same_both) / 2 - concordant;
      task.counts[g * draw_lanes + lane] = {
          concordant - discordant, x, y, number(found.before), number(found.x_count),
          number(found.y_count)};
    }
  }
}

// How many items the largest draw takes: of a part of the instructions it may be more than there
// are.
std::uint64_t most_taken(const DrawTask& task) {
  std::uint64_t most = 0;
  const std::uint32_t* taken = task.taken;
  for (std::size_t g = 0; g < task.groups; ++g) {
    std::array<std::uint64_t, draw_lanes> sums{};
    for (std::size_t k = 0; k < task.items.size(); ++k, taken += draw_lanes) {
      for (std::size_t lane = 0; lane < draw_lanes; ++lane) sums[lane] += taken[lane];
    }
    most = std::max(most, *std::max_element(sums.begin(), sums.end()));
  }
  return most;
}

[[gnu::always_inline]] inline void count_narrow_or_wide(const DrawTask& task) {
  if (task.is_narrow) {
    count_all<Taken>(task);
  } else {
    count_all<WideSums>(task);
  }
}

void count_portable(const DrawTask& task) {
  count_narrow_or_wide(task);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void count_avx2(const DrawTask& task) {
  count_narrow_or_wide(task);
}

[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void count_avx512(const DrawTask& task) {
  count_narrow_or_wide(task);
}
#endif

void count_draws(DrawTask task) {
  task.is_narrow = most_taken(task) <= max_narrow_items;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return count_avx512(task);
  }
  if (__builtin_cpu_supports("avx2")) return count_avx2(task);
#endif
  count_portable(task);
}

using Ranks = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DrawnTimes =
    nb::ndarray<const std::uint32_t, nb::shape<-1, -1, draw_lanes>, nb::c_contig, nb::device::cpu>;
using CountsOut = nb::ndarray<nb::numpy, std::int64_t, nb::shape<-1, draw_counts>>;

// Returns one more than the largest rank. The memory of the tree goes by it.
std::size_t rank_count(const Ranks& ranks) {
  const std::size_t n = ranks.shape(0);
  const auto* const largest = std::max_element(ranks.data(), ranks.data() + n);
  if (n == 0 || *largest >= n) throw nb::value_error("ranks are from 0 to below their number");
  return std::size_t{*largest} + 1;
}

// Sorts by x, then y, in two passes of counting.
std::vector<DrawnItem> sorted_items(const Ranks& x, const Ranks& y) {
  const std::size_t n = x.shape(0);
  std::vector<DrawnItem> items(n), sorted(n);
  for (std::size_t k = 0; k < n; ++k) {
    items[k] = {static_cast<std::uint32_t>(k), x.data()[k], y.data()[k]};
  }
  const auto sort_by = [&](std::uint32_t DrawnItem::*rank) {
    std::vector<std::size_t> place(n + 1);
    for (const DrawnItem& item : items) ++place[item.*rank + 1];
    std::partial_sum(place.begin(), place.end(), place.begin());
    for (const DrawnItem& item : items) sorted[place[item.*rank]++] = item;
    items.swap(sorted);
  };
  sort_by(&DrawnItem::y);
  sort_by(&DrawnItem::x);
  return items;
}

nb::object kendall_draws(const Ranks& x, const Ranks& y, const DrawnTimes& taken) {
  const std::size_t n = x.shape(0), groups = taken.shape(0);
  if (y.shape(0) != n || taken.shape(1) != n) throw nb::value_error("arrays of different lengths");
  const std::size_t x_count = rank_count(x), y_count = rank_count(y);
  const bool is_swapped = x_count < y_count;  // the tree is over the fewer ranks
  auto counts = std::make_unique<DrawCounts[]>(groups * draw_lanes);
  {
    const nb::gil_scoped_release release;
    const std::vector<DrawnItem> items = is_swapped ? sorted_items(y, x) : sorted_items(x, y);
    count_draws({items, std::min(x_count, y_count), taken.data(), groups, counts.get()});
    for (std::size_t k = 0; is_swapped && k < groups * draw_lanes; ++k) {
      std::swap(counts[k][same_x], counts[k][same_y]);
      std::swap(counts[k][different_x], counts[k][different_y]);
    }
  }
  std::int64_t* const data = counts.get()->data();
  const nb::capsule owner(counts.get(),
                          [](void* made) noexcept { delete[] static_cast<DrawCounts*>(made); });
  counts.release();
  return nb::cast(CountsOut(data, {groups * draw_lanes, draw_counts}, owner));
}

}  // namespace

void bind_kendall_draws(nb::module_& m) {
  m.def("kendall_draws", &kendall_draws, "x"_a, "y"_a, "taken"_a,
        nb::sig("def kendall_draws(x: numpy.typing.NDArray[numpy.uint32], "
                "y: numpy.typing.NDArray[numpy.uint32], "
                "taken: numpy.typing.NDArray[numpy.uint32]) -> "
                "numpy.typing.NDArray[numpy.int64]"));
}

}  // namespace warpath::python
