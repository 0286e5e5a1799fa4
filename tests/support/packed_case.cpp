#include "tests/support/packed_case.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "host/core/cuda/plan.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {

using namespace kernels;

namespace {

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace

PackedCase::PackedCase(std::mt19937_64& random, std::uint32_t pairs, const DispatchPolicy& p)
    : policy(p) {
  for (int k = 0; k < 7; ++k) {
    const int viewpoints = 1 + static_cast<int>(below(random, 300));
    scans.push_back({0, table_pitch(viewpoints), viewpoints});
  }
  const std::size_t references = 1 + below(random, policy.by_reference ? 20 : pairs);
  const auto add_path = [&](auto& nodes, auto& offsets, std::size_t length) {
    for (std::size_t k = 0; k < length; ++k) nodes.push_back(static_cast<std::uint16_t>(random()));
    offsets.push_back(static_cast<std::remove_reference_t<decltype(offsets[0])>>(nodes.size()));
  };
  for (std::size_t r = 0; r < references; ++r) {
    const bool is_long = below(random, 10) == 0;
    add_path(reference_nodes, reference_offsets, 1 + below(random, is_long ? 700 : 24));
    scan_of.push_back(static_cast<std::uint32_t>(below(random, scans.size())));
  }
  for (std::uint32_t i = 0; i < pairs; ++i) {
    reference_of.push_back(static_cast<std::uint32_t>(below(random, references)));
    const bool is_long = below(random, 30) == 0, is_empty = below(random, 50) == 0;
    add_path(query_nodes, query_offsets, is_empty ? 0 : 1 + below(random, is_long ? 3000 : 40));
    active.push_back(below(random, 20) != 0);
  }
  bits = {10, static_cast<int>(std::bit_width(std::max(references, scans.size())))};
}

int PackedCase::n(std::uint32_t r) const {
  return static_cast<int>(reference_offsets[r + 1] - reference_offsets[r]);
}
int PackedCase::m(std::uint32_t q) const {
  return static_cast<int>(query_offsets[q + 1] - query_offsets[q]);
}
std::uint32_t PackedCase::viewpoints(std::uint32_t scan) const {
  return static_cast<std::uint32_t>(scans[scan].pad);
}
std::uint32_t PackedCase::max_query() const {
  int most = 1;
  for (std::uint32_t i = 0; i < count(); ++i) most = std::max(most, m(i));
  return static_cast<std::uint32_t>(most);
}

PairsView PackedCase::view() const {
  return {.count = count(),
          .reference_of = integers(reference_of.data()),
          .active = active.data(),
          .references = {.nodes = integers(reference_nodes.data()),
                         .layout = {.offsets = integers(reference_offsets.data()),
                                    .lengths = {},
                                    .pitch = 0,
                                    .max_length = ~0u}},
          .queries = {.nodes = integers(query_nodes.data()),
                      .layout = {.offsets = integers(query_offsets.data()),
                                 .lengths = {},
                                 .pitch = 0,
                                 .max_length = ~0u}},
          .scan_of = scan_of.data(),
          .scans = scans.data()};
}

PackedCase::Placed PackedCase::sorted() const {
  Placed placed;
  std::vector<std::uint64_t> key(count());
  std::vector<std::uint32_t> pair(count());
  placed.sorted.resize(count());
  for (std::uint32_t i = 0; i < count(); ++i) {
    make_key({view(), policy, bits, key.data(), pair.data()}, i);
  }
  std::iota(placed.sorted.begin(), placed.sorted.end(), 0u);
  std::ranges::stable_sort(placed.sorted, {}, [&](std::uint32_t i) { return key[i]; });
  for (const std::uint32_t i : placed.sorted) {
    const std::uint64_t run = key[i] >> bits.m_bits;
    if (placed.run_key.empty() || placed.run_key.back() != run) {
      placed.run_key.push_back(run);
      placed.run_length.push_back(0);
    }
    ++placed.run_length.back();
  }
  placed.run_count = static_cast<std::uint32_t>(placed.run_key.size());
  cuda::Room room{count(), placed.run_count, 0, 1};
  placed.runs.assign(placed.run_count + 1, {});
  placed.slices.assign(room.slices(), {});
  placed.ranges.assign(kernel_numbers, {no_row, no_row, no_row, no_row});
  placed.slots.assign(std::size_t{room.tiles()} * tile_pairs, {no_row, 0, 0, 0});
  placed.size.assign(room.tiles(), {0, 0});
  placed.start.assign(room.tiles() + 1, {0, 0});
  placed.result.assign(count(), 0.0f);
  placed.flags.assign(count(), 0);
  return placed;
}

PlanView PackedCase::plan_view(Placed& placed, std::uint32_t wanted_slices) const {
  return {.run_key = placed.run_key.data(),
          .run_length = placed.run_length.data(),
          .run_count = &placed.run_count,
          .bits = bits,
          .scan_of = scan_of.data(),
          .wanted_slices = wanted_slices,
          .runs = placed.runs.data(),
          .slices = placed.slices.data(),
          .ranges = placed.ranges.data(),
          .active_pairs = &placed.active_pairs};
}

PlaceView PackedCase::place_view(Placed& placed, bool by_place) const {
  ResultView results{};
  results.column[0] = placed.result.data();
  results.flags = placed.flags.data();
  return {.pairs = view(),
          .sorted = placed.sorted.data(),
          .runs = placed.runs.data(),
          .run_count = &placed.run_count,
          .slots = placed.slots.data(),
          .tile_size = placed.size.data(),
          .by_place = by_place,
          .results = results};
}

PackedCase::Placed PackedCase::place(std::uint32_t wanted_slices) const {
  Placed placed = sorted();
  TilesOfKernel tiles;
  plan_runs(plan_view(placed, wanted_slices), {0, 1, 0, 1}, tiles, BlockOfOne{});
  for (std::uint32_t k = 0; k < count(); ++k) place_pair(place_view(placed, false), k);
  for (std::size_t t = 0; t < placed.size.size(); ++t) {
    placed.start[t + 1] = {placed.start[t].column + placed.size[t].column,
                           placed.start[t].row + placed.size[t].row};
  }
  return placed;
}

bool PackedCase::Placed::has_plan_of(const Placed& other) const {
  return same_bytes(runs, other.runs) && same_bytes(slices, other.slices) &&
         same_bytes(ranges, other.ranges) && active_pairs == other.active_pairs;
}

}  // namespace warpath::testing
