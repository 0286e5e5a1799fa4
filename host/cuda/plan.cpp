#include "host/cuda/plan.hpp"

#include <algorithm>

namespace warpath::cuda {

using namespace kernels;

namespace {

constexpr std::uint32_t tiles_of(std::uint64_t slots) {
  return static_cast<std::uint32_t>((slots + tile_pairs - 1) / tile_pairs);
}

class Planner {
 public:
  Planner(const KeyBits& bits, std::span<const ScanTable> scans,
          std::span<const std::uint32_t> scan_of)
      : bits_(bits), scans_(scans), scan_of_(scan_of) {}

  void add(std::uint64_t run, std::uint32_t length) {
    const Key key = unpack_run(bits_, run);
    const bool tiles = in_tiles(key.target);
    const bool is_new = plan_.launches.empty() || plan_.launches.back().target != key.target ||
                        plan_.launches.back().rows != key.rows;
    if (tiles || is_new) plan_.slots = tiles_of(plan_.slots) * tile_pairs;
    if (is_new) {
      plan_.launches.push_back({.target = key.target,
                                .rows = key.rows,
                                .first_slot = plan_.slots,
                                .slots = 0,
                                .first_slice = static_cast<std::uint32_t>(plan_.slices.size()),
                                .slices = 0,
                                .max_viewpoints = 0,
                                .first_entry = plan_.reference_entries});
    }
    plan_.runs.push_back({pairs_, plan_.slots});
    if (tiles) add_slices(key, length);
    plan_.slots += length;
    pairs_ += length;
    Launch& launch = plan_.launches.back();
    launch.slots = plan_.slots - launch.first_slot;
    if (tiles) plan_.tile_slots = plan_.slots = tiles_of(plan_.slots) * tile_pairs;
  }

  Plan finish() {
    plan_.runs.push_back({pairs_, plan_.slots});
    return std::move(plan_);
  }

 private:
  void add_slices(const Key& key, std::uint32_t length) {
    Launch& launch = plan_.launches.back();
    const std::uint32_t scan = has_one_reference(key.target) ? scan_of_[key.id] : key.id;
    const std::uint32_t tiles = tiles_of(length);
    const std::uint32_t first = (plan_.slots - launch.first_slot) / tile_pairs;
    for (std::uint32_t t = 0; t < tiles; t += slice_tiles) {
      plan_.slices.push_back({scan, first + t, std::min(slice_tiles, tiles - t)});
      ++launch.slices;
    }
    launch.max_viewpoints =
        std::max(launch.max_viewpoints, static_cast<std::uint32_t>(scans_[scan].pad));
    plan_.reference_entries += std::size_t{tiles} * tile_pairs * key.rows;
  }

  const KeyBits& bits_;
  std::span<const ScanTable> scans_;
  std::span<const std::uint32_t> scan_of_;
  Plan plan_;
  std::uint32_t pairs_ = 0;
};

}  // namespace

Plan make_plan(std::span<const std::uint64_t> run_key, std::span<const std::uint32_t> run_length,
               const KeyBits& bits, std::span<const ScanTable> scans,
               std::span<const std::uint32_t> scan_of) {
  Planner planner(bits, scans, scan_of);
  for (std::size_t k = 0; k < run_key.size(); ++k) planner.add(run_key[k], run_length[k]);
  return planner.finish();
}

// Every run may leave all but one slot of its last tile empty, and the last group may, too.
std::uint64_t Room::slots() const {
  return pairs + std::uint64_t{tile_pairs - 1} * (std::uint64_t{std::min(runs, pairs)} + 1);
}

// Queries of a run are sorted, so a tile's longest query is not longer than any query of the next
// tile. All but the last two tiles therefore have at most a 32nd of the nodes as columns; one more
// makes the number even.
std::uint64_t Room::columns() const {
  const std::uint64_t tiles = tiles_of(slots());
  const std::uint64_t longest = std::min<std::uint64_t>(max_query, max_tile_query);
  const std::uint64_t sorted =
      query_nodes / tile_pairs + 2 * std::uint64_t{std::min(runs, pairs)} * longest;
  return std::min(sorted, tiles * longest) + tiles;
}

}  // namespace warpath::cuda
