#include "tests/support/fake_kernels.hpp"

#include <stdexcept>
#include <vector>

#include "kernels/bodies/score_points.hpp"
#include "kernels/lanes/scalar_lanes.hpp"

namespace warpath::testing {

using namespace kernels;

namespace {

template <int K, unsigned Quantities, bool Edges>
void run_tiles(const TileView& view) {
  for (std::uint32_t s = view.range->first_slice; s < view.range->end_slice; ++s) {
    const Slice slice = view.slices[s];
    const PlainTable table = plain_table(view.batch, slice.scan);
    for (std::uint32_t t = 0; t < slice.count; ++t) {
      for (std::uint32_t lane = 0; lane < tile_pairs; ++lane) {
        score_by_table<ScalarLanes, K, Quantities, Edges>(view, table, slice.first + t, lane);
      }
    }
  }
}

template <bool Edges, int... K>
void run_tiles(const TileView& view, int rows, RowList<K...>) {
  const bool found = ((rows == K && (run_tiles<K, quantity_all, Edges>(view), true)) || ...);
  if (!found) throw std::logic_error("no kernel of so many rows");
}

template <bool Edges>
void run_groups(const GroupView& view, bool strips) {
  const EntryRange entries = entries_of(view);
  for (std::uint32_t p = entries.first; p < entries.end; ++p) {
    if (strips) {
      score_by_group<ScalarLanes, 16, 1, quantity_all, Edges, true>(view, p,
                                                                    p % view.border_groups);
    } else {
      score_by_group<ScalarLanes, 16, 1, quantity_all, Edges, false>(view, p, 0);
    }
  }
}

template <bool Edges>
void run_group_slices(const GroupSliceView& view) {
  const LaunchRange range = *view.groups.range;
  for (std::uint32_t s = range.first_slice; s < range.end_slice; ++s) {
    const Slice slice = view.slices[s];
    const ScanTable place = view.groups.batch.scans[slice.scan];
    std::vector<float> copy(shared_floats(TileKernel::shared_table, 0, view.max_scan));
    copy_table(view.groups.batch, place, 0, 1, copy.data(), PlainCopy{});
    const PlainTable table{copy.data(), place.pitch};
    for (std::uint32_t p = 0; p < slice.count; ++p) {
      score_by_group_with_table<ScalarLanes, 16, 1, quantity_all, Edges>(
          view.groups, table, slice.first + p, p % view.groups.border_groups);
    }
  }
}

template <int K, QuantitySet set>
void run_points(const PointView& view) {
  for (std::uint32_t p = 0; p < view.count; ++p) {
    const std::uint32_t group = view.border_groups == 0 ? 0 : p % view.border_groups;
    score_points_by_group<ScalarLanes, K, 1, swept_of(set), compares_edges(set)>(view, p, group);
  }
}

}  // namespace

void run_tiles_plainly(const TileView& view, QuantitySet set, int rows) {
  if (set == QuantitySet::goal) return run_tiles<1, quantities_of(QuantitySet::goal), true>(view);
  set == QuantitySet::all_viewpoints ? run_tiles<false>(view, rows, FineRows{})
                                     : run_tiles<true>(view, rows, FineRows{});
}

void run_groups_plainly(const GroupView& view, bool strips, QuantitySet set) {
  set == QuantitySet::all_viewpoints ? run_groups<false>(view, strips)
                                     : run_groups<true>(view, strips);
}

void run_group_slices_plainly(const GroupSliceView& view, QuantitySet set) {
  set == QuantitySet::all_viewpoints ? run_group_slices<false>(view) : run_group_slices<true>(view);
}

void run_points_plainly(const PointView& view, QuantitySet set) {
  using enum QuantitySet;
  switch (set) {
    case goal:
      return run_points<1, goal>(view);
    case dtw:
      return run_points<16, dtw>(view);
    case alignment:
      return run_points<16, alignment>(view);
    case all_edges:
      return run_points<16, all_edges>(view);
    case all_viewpoints:
      return run_points<16, all_viewpoints>(view);
    default:
      throw std::logic_error("no kernel of that set");
  }
}

}  // namespace warpath::testing
