#include "warpath/rollouts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/batch/request.hpp"
#include "host/cuda/resident_scorer.hpp"
#include "kernels/metrics/flags.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

void check(std::span<const Scan* const> scans, const PathSet& references,
           std::span<const std::uint32_t> scan_of, const batch::DistanceTables& tables) {
  if (scan_of.size() != references.size()) {
    throw InputError(
        {{}, {}, "scan_of"},
        fmt::format("has {} values for {} references", scan_of.size(), references.size()),
        "give one for each reference");
  }
  for (std::size_t r = 0; r < references.size(); ++r) {
    const auto path = references[r];
    const InputError::Where where{{}, fmt::format("reference {}", r)};
    if (path.empty()) throw InputError(where, "has no viewpoint", "give at least one");
    if (scan_of[r] >= scans.size()) {
      throw InputError(where, fmt::format("is in scan {} of {}", scan_of[r], scans.size()),
                       "number scans from 0");
    }
    const Scan& scan = *scans[scan_of[r]];
    if (!tables.has(scan_of[r])) {
      throw InputError(
          {{}, "scan " + scan.id()},
          fmt::format("has {} viewpoints, too many for a table of all distances", scan.size()),
          fmt::format("score scans of over {} viewpoints on the host",
                      batch::DistanceTables::max_viewpoints));
    }
    if (std::ranges::max(path) >= scan.size()) {
      throw InputError(where,
                       fmt::format("names viewpoint {} of {}", std::ranges::max(path), scan.size()),
                       "number viewpoints from 0, by scan");
    }
  }
}

}  // namespace

struct RolloutScorer::Parts {
  cuda::Device& device;
  std::uint32_t flags;  ///< that the metrics may set
  cuda::ResidentScorer resident;
};

RolloutScorer::RolloutScorer(std::span<const Scan* const> scans, const PathSet& references,
                             std::span<const std::uint32_t> scan_of, const Convention& convention,
                             const MetricSet& metrics, std::uint32_t max_rollouts) {
  if (!batch::fits_single_precision(convention)) {
    throw InputError({{}, {}, "convention"},
                     fmt::format("single precision does not reach a threshold of {} and an "
                                 "spl_min_denominator of {}",
                                 convention.threshold, convention.spl_min_denominator),
                     "give a threshold from 1e-12 to 1e30, or score on the host");
  }
  const batch::DistanceTables tables(scans, convention);
  check(scans, references, scan_of, tables);
  cuda::Device& device = cuda::device_or_error();
  const cuda::CurrentDevice current(device);
  parts_.reset(new Parts{device, batch::flags_of(metrics),
                         cuda::ResidentScorer(device, references, scan_of, tables, convention,
                                              metrics, max_rollouts)});
}

RolloutScorer::RolloutScorer(RolloutScorer&&) noexcept = default;
RolloutScorer& RolloutScorer::operator=(RolloutScorer&&) noexcept = default;
RolloutScorer::~RolloutScorer() = default;

std::size_t RolloutScorer::workspace_bytes(std::uint32_t count, std::uint32_t longest) const {
  return parts_->resident.workspace_bytes(count, longest);
}

void RolloutScorer::score_async(const Rollouts& rollouts, const RolloutScores& scores,
                                void* workspace, CUstream_st* stream) const {
  const cuda::CurrentDevice current(parts_->device);
  parts_->resident.score_async(rollouts, scores, workspace, stream);
}

Status RolloutScorer::status(std::uint32_t flags) const {
  return status_of(flags & parts_->flags);
}

std::uint8_t RolloutScorer::zero_rules(std::uint32_t flags) const {
  return kernels::zero_rules_of(flags & parts_->flags);
}

}  // namespace warpath
