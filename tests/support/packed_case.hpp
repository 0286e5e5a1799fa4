#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "kernels/bodies/pack_pairs.hpp"
#include "kernels/bodies/plan_runs.hpp"

namespace warpath::testing {

/// Holds random pairs as they lie on a device, some of them inactive or without viewpoints, and
/// packs them by the bodies of the kernels.
class PackedCase {
 public:
  PackedCase(std::mt19937_64& random, std::uint32_t pairs, const kernels::DispatchPolicy& policy);

  kernels::DispatchPolicy policy;
  kernels::KeyBits bits;
  std::vector<kernels::ScanTable> scans;
  std::vector<std::uint32_t> reference_offsets{0}, scan_of, reference_of;
  std::vector<std::int64_t> query_offsets{0};
  std::vector<std::uint16_t> reference_nodes, query_nodes;
  std::vector<std::uint8_t> active;

  std::uint32_t count() const { return static_cast<std::uint32_t>(reference_of.size()); }
  bool is_active(std::uint32_t i) const { return active[i] != 0; }
  bool is_valid(std::uint32_t i) const { return n(reference_of[i]) > 0 && m(i) > 0; }
  int n(std::uint32_t r) const;
  int m(std::uint32_t q) const;
  std::uint32_t viewpoints(std::uint32_t scan) const;
  std::uint64_t all_query_nodes() const { return query_nodes.size(); }
  std::uint32_t max_query() const;

  kernels::PairsView view() const;

  /// Holds what packing makes.
  struct Placed {
    std::vector<std::uint64_t> run_key;
    std::vector<std::uint32_t> run_length, sorted;
    std::uint32_t run_count = 0, active_pairs = 0;
    std::vector<kernels::KeyRun> runs;
    std::vector<kernels::Slice> slices;
    std::vector<kernels::LaunchRange> ranges;
    std::vector<kernels::GroupPair> slots;
    std::vector<kernels::TileStart> size, start;
    std::vector<float> result;
    std::vector<std::uint32_t> flags;

    bool has_plan_of(const Placed& other) const;
  };

  /// Sorts the pairs and finds their runs.
  Placed sorted() const;
  kernels::PlanView plan_view(Placed& placed, std::uint32_t wanted_slices) const;
  kernels::PlaceView place_view(Placed& placed, bool by_place) const;
  Placed place(std::uint32_t wanted_slices) const;
};

}  // namespace warpath::testing
