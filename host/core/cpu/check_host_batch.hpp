#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/views/paths.hpp"
#include "warpath/paths.hpp"
#include "warpath/views.hpp"

// Refuses batches in host memory that kernels cannot take.

namespace warpath::cpu {

/// Views references that a batch does not bring along.
struct StandingReferences {
  std::span<const Scan* const> scans;
  PathView<Node> paths;
  std::span<const std::uint32_t> scan_of;  ///< by path: index into `scans`
};

/// Refuses a batch of viewpoints. @pre there is a pair
/// @param kind what a pair is called: "pair", "rollout"
/// @throws InputError that names the pair, or the field, that cannot be right
void check_host_batch(const Batch& batch, const StandingReferences& references,
                      std::string_view kind);
/// Refuses a batch of points likewise.
void check_host_points(const Batch& batch, std::string_view kind);

/// Refuses points that kernels cannot take. @throws InputError that names what the path belongs to
/// @param kind,number of that: "rollout", 3
void check_coordinates(const float* points, std::size_t count, std::string_view kind,
                       std::uint32_t number);

/// Refuses a reference that is empty, runs backwards or is longer than it may be. @throws as above
void check_reference_length(const kernels::PathLayout& layout, std::uint32_t path,
                            std::uint32_t max_length, std::string_view kind, std::uint32_t number);

}  // namespace warpath::cpu
