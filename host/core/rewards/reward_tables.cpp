#include "host/core/rewards/reward_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/core/batch/check_views.hpp"
#include "host/core/batch/request.hpp"
#include "kernels/rewards/left_out.hpp"
#include "warpath/error.hpp"

namespace warpath::rewards {
namespace {

// Returns the settings, if they can be used.
const RewardSettings& checked(const RewardSettings& settings) {
  check(settings);
  // Rewards read nothing else of the convention that must fit.
  Convention threshold_only;
  threshold_only.threshold = settings.convention.threshold;
  if (!batch::fits_single_precision(threshold_only)) {
    throw InputError({"reward", settings.preset, "threshold"}, "is beyond single precision",
                     "set it to a value from 1e-12 to 1e30");
  }
  const double least = settings.convention.spl_min_denominator;
  if (settings.final_spl != 0.0 && least != 0.0 && !(least >= 1e-30 && least <= 1e30)) {
    throw InputError({"reward", settings.preset, "spl_min_denominator"},
                     "is beyond single precision", "set it to 0, or to a value from 1e-30 to 1e30");
  }
  const bool walks_edges = settings.convention.distance == Distance::hops;
  if (settings.final_spl != 0.0 && walks_edges != (settings.goal_distance == Distance::hops)) {
    throw InputError({"reward", settings.preset, "final_spl"},
                     "compares metres with edges: distance and goal_distance differ",
                     "set both to hops, or neither");
  }
  if (settings.success_radius > 0.0 && settings.success_radius < 1e-12) {
    throw InputError({"reward", settings.preset, "success_radius"}, "is beyond single precision",
                     "set it to 0, or to a value from 1e-12 to 1e30");
  }
  return settings;
}

// Returns the settings, if they and the references can be used.
const RewardSettings& checked(const RewardSettings& settings, std::span<const Scan* const> scans,
                              const PathSet& references, std::span<const std::uint32_t> scan_of,
                              const PathSet& goals) {
  checked(settings);
  if (scan_of.size() != references.size()) {
    throw InputError(
        {{}, "scan_of"},
        fmt::format("has {} entries for {} references", scan_of.size(), references.size()),
        "give the scan of each reference");
  }
  if (goals.size() != 0 && goals.size() != references.size()) {
    throw InputError({{}, "goals"},
                     fmt::format("are {} for {} references", goals.size(), references.size()),
                     "give the goal of each reference");
  }
  batch::check_table_size(scans, "");
  const auto where = [](std::size_t r) {
    return InputError::Where{{}, fmt::format("reference {}", r)};
  };
  for (std::size_t r = 0; r < references.size(); ++r) {
    if (scan_of[r] >= scans.size()) {
      throw InputError(
          where(r), fmt::format("scan {} does not exist: there are {}", scan_of[r], scans.size()),
          "give an index into the scans");
    }
    if (references.size_of(r) == 0) {
      throw InputError(where(r), "is empty", "give it at least its start");
    }
    const Scan& scan = *scans[scan_of[r]];
    for (const Node node : references[r]) {
      if (node < scan.size()) continue;
      throw InputError(
          where(r),
          fmt::format("viewpoint {} does not exist: scan {} has {}", node, scan.id(), scan.size()),
          "give indices into the scan");
    }
  }
  return settings;
}

}  // namespace

RewardTables::RewardTables(std::span<const Scan* const> all, const PathSet& paths,
                           std::span<const std::uint32_t> scan_of_paths,
                           const RewardSettings& wanted, const PathSet& goals_of_paths,
                           const GraphStore* graphs)
    : scans(all.begin(), all.end()),
      references(paths),
      scan_of(scan_of_paths.begin(), scan_of_paths.end()),
      settings(checked(wanted, all, paths, scan_of_paths, goals_of_paths)),
      distances(all, settings.convention, graphs, batch::LargeTables::all),
      goals(all, paths, scan_of_paths, goals_of_paths, settings, graphs) {
  measure_references();
}

RewardTables::RewardTables(const batch::PartOnLargeScan& part, const RewardSettings& wanted)
    : scans(part.view.scans.begin(), part.view.scans.end()),
      scan_of(part.view.references.size(), 0),
      settings(checked(wanted)),
      distances(part.tables),
      goals(scan_of.size()) {
  references.elements.assign(part.view.references.elements.begin(),
                             part.view.references.elements.end());
  references.offsets.assign(part.view.references.offsets.begin(),
                            part.view.references.offsets.end());
  measure_references();
}

void RewardTables::measure_references() {
  for (std::uint32_t r = 0; r < references.size(); ++r) {
    lengths.push_back(distances.path_length(scan_of[r], references[r]));
  }
}

int RewardTables::max_reference_length() const {
  std::size_t longest = 1;
  for (std::size_t r = 0; r < references.size(); ++r) {
    longest = std::max(longest, references.size_of(r));
  }
  return static_cast<int>(longest);
}

namespace {

using namespace kernels;

bool is_flat(Distance distance) {
  return distance == Distance::euclid_2d;
}

}  // namespace

void place_reference(const RewardTables& tables, std::uint32_t reference, int prefix,
                     const EpisodeMemory<ScalarLanes>& memory) {
  const std::uint32_t scan = tables.scan_of[reference];
  const ScanTable& table = tables.distances[scan];
  const auto whole = tables.references[reference];
  const int size = static_cast<int>(whole.size());
  const auto path = whole.subspan(static_cast<std::size_t>(rows_left_out(prefix, size)));
  const int n = static_cast<int>(path.size()), pad = memory.rows - n;
  memory.set(episode_reference_size, n);
  memory.set(episode_reference_length,
             prefix == 0 ? tables.lengths[reference] : tables.distances.path_length(scan, path));
  memory.set(episode_prefix, left_out_code(prefix, size));
  memory.set(episode_base, static_cast<int>(table.base));
  memory.set(episode_pitch, table.pitch);
  memory.set(episode_goal, static_cast<int>(tables.goals.first(reference)));
  // Rows of viewpoints have one axis, so their fields follow each other.
  auto* const rows = reinterpret_cast<std::int32_t*>(memory.at(memory.row_field(0)));
  for (int i = 0; i < pad; ++i) rows[i * memory.stride] = table.pad;
  for (int i = 0; i < n; ++i) rows[(pad + i) * memory.stride] = static_cast<std::int32_t>(path[i]);
}

void store_reference(const RewardTables& tables, std::uint32_t reference, int prefix,
                     const EpisodeMemory<ScalarLanes>& memory) {
  const int n = static_cast<int>(tables.references.size_of(reference));
  begin_episode<ScalarLanes>(n - rows_left_out(prefix, n), tables.lengths[reference], memory);
  place_reference(tables, reference, prefix, memory);
}

PointMeasure point_measure(const RewardSettings& settings) {
  return {.flat = is_flat(settings.convention.distance),
          .goal_flat = is_flat(settings.goal_distance),
          .success_radius = settings.success_radius};
}

void stage_point(const float* point, bool flat, float* to, std::size_t stride) {
  to[0] = point[0];
  to[stride] = point[1];
  to[2 * stride] = flat ? 0.0f : point[2];
}

}  // namespace warpath::rewards
