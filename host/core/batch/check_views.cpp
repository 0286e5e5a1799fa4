#include "host/core/batch/check_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "host/core/batch/request.hpp"
#include "warpath/error.hpp"

namespace warpath::batch {

using namespace kernels;

IntegerArray view_of(const Integers& integers) {
  return {integers.data, integers.bytes};
}

PathLayout view_of(const Layout& layout) {
  return {.offsets = view_of(layout.offsets),
          .lengths = view_of(layout.lengths),
          .pitch = layout.pitch,
          .max_length = layout.max_length};
}

PathArray view_of(const PathsView& paths) {
  return {
      .nodes = view_of(paths.viewpoints), .layout = view_of(paths.layout), .points = paths.points};
}

PositionArray view_of(const PositionsView& positions) {
  return {.nodes = view_of(positions.viewpoints), .points = positions.points};
}

void check_references(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of) {
  if (scan_of.size() != references.size()) {
    throw InputError(
        {{}, {}, "scan_of"},
        fmt::format("has {} values for {} references", scan_of.size(), references.size()),
        "give one for each reference");
  }
  const auto where = [](std::size_t r) {
    return InputError::Where{{}, fmt::format("reference {}", r)};
  };
  for (std::size_t r = 0; r < references.size(); ++r) {
    const auto path = references[r];
    if (path.empty()) throw InputError(where(r), "has no viewpoint", "give at least one");
    if (scan_of[r] >= scans.size()) {
      throw InputError(where(r), fmt::format("is in scan {} of {}", scan_of[r], scans.size()),
                       "number scans from 0");
    }
    const Scan& scan = *scans[scan_of[r]];
    if (std::ranges::max(path) >= scan.size()) {
      throw InputError(where(r),
                       fmt::format("names viewpoint {} of {}", std::ranges::max(path), scan.size()),
                       "number viewpoints from 0, by scan");
    }
  }
}

void check_table_size(std::span<const Scan* const> scans, std::string_view remedy) {
  const std::size_t entries = DistanceTables::entries_needed(scans, LargeTables::all);
  if (entries <= DistanceTables::max_entries) return;
  const Scan& largest = **std::ranges::max_element(scans, {}, &Scan::size);
  const std::string whose =
      scans.size() == 1 ? "its table" : fmt::format("all {} tables", scans.size());
  throw InputError(
      {{}, "scan " + largest.id()},
      fmt::format("has {} viewpoints: {} of distances would have {} entries, more than 2^30",
                  largest.size(), whose, entries),
      fmt::format("give scans of at most {} viewpoints, and fewer at a time{}",
                  DistanceTables::max_large_viewpoints, remedy));
}

void report(const PairProblem& p, std::string_view kind) {
  if (p.fault == PairFault::none) return;  // before any text is made
  const InputError::Where where{{}, fmt::format("{} {}", kind, p.pair)};
  switch (p.fault) {
    case PairFault::none:
      return;
    case PairFault::reference:
      throw InputError(where, fmt::format("names reference {} of {}", p.value, p.limit),
                       "number references from 0");
    case PairFault::no_reference:
      throw InputError(where, fmt::format("names reference {}, which is empty", p.value),
                       kind == "pair" ? "give it elements; write_references stores a reference as "
                                        "empty if its scan or one of its viewpoints does not exist"
                                      : "give it at least one element");
    case PairFault::length:
      throw InputError(where, fmt::format("has a query of length {}", p.value),
                       "give at least one element, or leave it out by `active`");
    case PairFault::too_long:
      throw InputError(where, fmt::format("has a query of length {}", p.value),
                       fmt::format("max_length says that none has more than {}", p.limit));
    case PairFault::viewpoint:
      throw InputError(where,
                       fmt::format("names viewpoint {} of {}, at position {} of its query", p.value,
                                   p.limit, p.at),
                       "number viewpoints from 0, by scan");
  }
}

void report(const EpisodeProblem& p, std::string_view kind) {
  const InputError::Where where{{}, fmt::format("{} {}", kind, p.episode)};
  switch (p.fault) {
    case EpisodeFault::none:
      return;
    case EpisodeFault::episode:
      throw InputError(where, fmt::format("does not exist: there are {}", p.limit),
                       "number episodes from 0");
    case EpisodeFault::twice:
      throw InputError(where, "is named twice", "name each episode once");
    case EpisodeFault::never_reset:
      throw InputError(where, "was not reset", "call reset for it first");
    case EpisodeFault::reference:
      throw InputError(where, fmt::format("names reference {} of {}", p.value, p.limit),
                       "number references from 0");
    case EpisodeFault::size:
      throw InputError(where, fmt::format("has a reference of {} points", p.value),
                       fmt::format("give from 1 to max_length, which is {}", p.limit));
    case EpisodeFault::length:
      throw InputError(where, fmt::format("has a continuation of length {}", p.value),
                       fmt::format("give lengths from 0 to max_length, which is {}", p.limit));
    case EpisodeFault::viewpoint:
      throw InputError(where, fmt::format("names viewpoint {} of {}", p.value, p.limit),
                       "number viewpoints from 0, by scan");
    case EpisodeFault::coordinate:
      throw InputError(where,
                       fmt::format("has the coordinate {} at point {}",
                                   std::bit_cast<float>(static_cast<std::uint32_t>(p.value)), p.at),
                       "give metres, at most 1e12");
  }
}

void check_given(const void* array, const char* field) {
  if (array == nullptr) throw InputError({{}, {}, field}, "is null", "give an array");
}

std::uint32_t check_group_size(std::uint32_t group_size, std::uint32_t count) {
  if (count % group_size == 0) return count / group_size;
  throw InputError({{}, {}, "group_size"},
                   fmt::format("is {}, which does not divide {} rollouts", group_size, count),
                   "give whole groups; `active` leaves rollouts out");
}

namespace {

// Returns how many references rows without numbers have.
std::uint32_t unnumbered_references(const Batch& batch) {
  return batch.group_size != 0 ? check_group_size(batch.group_size, batch.count) : batch.count;
}

void check_one_numbering(const Batch& batch) {
  if (batch.reference.data == nullptr || batch.group_size == 0) return;
  throw InputError({{}, {}, "group_size"},
                   fmt::format("is {}, and reference is given", batch.group_size),
                   "give one of them");
}

}  // namespace

void check_reference_given(const Batch& batch, std::size_t references) {
  check_one_numbering(batch);
  if (batch.reference.data != nullptr || batch.count == 0) return;
  const std::uint32_t rows = unnumbered_references(batch);
  if (rows == references) return;
  if (batch.group_size != 0) {
    throw InputError({{}, {}, "group_size"},
                     fmt::format("is {} for {} rollouts of {} references", batch.group_size,
                                 batch.count, references),
                     "give a group for each reference, or the number of each rollout's reference");
  }
  throw InputError({{}, {}, "reference"},
                   fmt::format("is not given for {} rows of {} references", rows, references),
                   "give the number of each row's reference, or one row for each reference");
}

std::uint32_t point_references(const Batch& batch) {
  check_one_numbering(batch);
  return batch.reference.data != nullptr ? batch.reference_count : unnumbered_references(batch);
}

void check_no_groups(const Batch& batch) {
  if (batch.group_size == 0) return;
  throw InputError({{}, {}, "group_size"},
                   fmt::format("is {}, and scores know no groups", batch.group_size),
                   "give the number of each query's reference");
}

void check_integers(const Integers& integers, const char* field) {
  const std::size_t width = integers.bytes;
  if (width != 1 && width != 2 && width != 4 && width != 8) {
    throw InputError({{}, {}, field}, fmt::format("has integers of {} bytes", width),
                     "give 1, 2, 4 or 8");
  }
  if (reinterpret_cast<std::uintptr_t>(integers.data) % width != 0) {
    throw InputError({{}, {}, field}, fmt::format("is not aligned to its {} bytes", width),
                     "give an address that is a multiple of them");
  }
}

void check_layout(const Layout& layout, const char* field) {
  const InputError::Where where{{}, {}, field};
  check_integers(layout.offsets, field);
  check_integers(layout.lengths, field);
  if (layout.max_length == 0) {
    throw InputError(where, "has a max_length of 0", "give the length of the longest path");
  }
  if (layout.offsets.data != nullptr) return;
  if (layout.lengths.data == nullptr) {
    throw InputError(where, "has neither offsets nor lengths", "give one of them");
  }
  if (layout.pitch < layout.max_length) {
    throw InputError(where,
                     fmt::format("has rows of {} elements and a max_length of {}", layout.pitch,
                                 layout.max_length),
                     "give rows that hold the longest path");
  }
}

namespace {

constexpr std::uint32_t max_count = 0x7ffffffe;  // the toolkit's sorts count with int

}  // namespace

void check_count(std::uint32_t count) {
  if (count <= max_count) return;
  throw InputError({{}, {}, "count"}, fmt::format("is {}", count),
                   fmt::format("score at most {} pairs at a time", max_count));
}

void check_threshold_between_points(const Convention& convention, std::string_view remedy) {
  if (points_fit_single_precision(convention)) return;
  if (convention.cls_length != ClsLength::edges) {
    throw InputError(
        {{}, {}, "cls_length"},
        "asks for lengths in viewpoints, which between points only double precision has",
        fmt::format("set it to edges{}", remedy));
  }
  const double of_ndtw = convention.ndtw_threshold;
  throw InputError(
      {{}, {}, "convention"},
      fmt::format("single precision does not reach a threshold of {} m between points{}",
                  convention.threshold,
                  of_ndtw == 0.0 ? "" : fmt::format(", or {} m of nDTW", of_ndtw)),
      fmt::format("give thresholds from 1e-6 to 1e15{}", remedy));
}

void check_kind(bool tracker_of_points, const void* points, const void* viewpoints,
                const char* call) {
  if ((tracker_of_points ? viewpoints : points) == nullptr) return;
  constexpr const char* kinds[]{"viewpoints", "points"};
  throw InputError({{}, {}, call},
                   fmt::format("is given {}, and the tracker is one of {}",
                               kinds[points != nullptr], kinds[tracker_of_points]),
                   "TrackerOptions::max_reference_length makes one of points");
}

ReferenceArrays view_of(const Integers& prefix, const float* spl_length) {
  return {view_of(prefix), spl_length};
}

void check_prefix(const Integers& prefix, const RewardSettings& settings) {
  if (prefix.data == nullptr) return;
  check_integers(prefix, "prefix");
  const InputError::Where where{{}, {}, "prefix"};
  if (settings.ndtw_weight != 0.0 || settings.cls_weight != 0.0 || settings.dtw_weight != 0.0) {
    throw InputError(where, "is given, and moves earn gains of nDTW, CLS or DTW",
                     "set ndtw_weight, cls_weight and dtw_weight to 0, or give no prefix");
  }
  if (settings.stop_path == StopPath::repeats_last) {
    throw InputError(where, "is given, and a stop is scored with the last viewpoint once more",
                     "set stop_path to query, or give no prefix");
  }
}

void check_numbers(const ReferenceArrays& of_reference, std::uint32_t count) {
  constexpr std::int64_t max_prefix = 0x7fffffff;
  const auto where = [](const char* field, std::uint32_t i) {
    return InputError::Where{{}, fmt::format("{} {}", field, i)};
  };
  for (std::uint32_t i = 0; i < count && of_reference.prefix.exist(); ++i) {
    const std::int64_t prefix = of_reference.prefix.exact(i);
    if (prefix >= 0 && prefix <= max_prefix) continue;
    throw InputError(where("prefix", i), fmt::format("is {}", prefix),
                     "give the number of elements that nDTW and CLS leave out, from 0 to 2^31 - 1");
  }
  for (std::uint32_t i = 0; i < count && of_reference.spl_length != nullptr; ++i) {
    const float length = of_reference.spl_length[i];
    if (length >= 0.0f && length <= max_coordinate) continue;
    throw InputError(where("spl_length", i), fmt::format("is {}", length),
                     "give metres, from 0 to 1e12");
  }
}

void check_max_reference_length(std::uint32_t points) {
  constexpr std::uint32_t max_length = 1 << 20;
  if (points >= 1 && points <= max_length) return;
  throw InputError({{}, {}, "max_reference_length"}, fmt::format("is {}", points),
                   fmt::format("give a number from 1 to {}", max_length));
}

ReturnsView view_of(const ReturnsBatch& batch) {
  check_count(batch.count);
  if (batch.count > 0) check_layout(batch.layout, "layout");
  if (batch.count > 0) check_given(batch.reward, "reward");
  const auto check_factor = [](double factor, const char* field) {
    if (factor >= 0.0 && factor <= 1.0) return;
    throw InputError({{}, {}, field}, fmt::format("is {}", factor), "give a number from 0 to 1");
  };
  check_factor(batch.discount, "discount");
  check_factor(batch.decay, "decay");
  return {.count = batch.count,
          .layout = view_of(batch.layout),
          .active = batch.active,
          .reward = batch.reward,
          .value = batch.value,
          .bootstrap = batch.bootstrap,
          .discount = static_cast<float>(batch.discount),
          .decay = static_cast<float>(batch.decay),
          .returns = batch.returns,
          .advantage = batch.advantage};
}

namespace {

// Returns the number of groups.
std::uint32_t check_groups(const GroupBatch& batch) {
  const InputError::Where where{{}, {}, "group_size"};
  if (batch.groups.data != nullptr) {
    if (batch.group_size != 0) {
      throw InputError(where, fmt::format("is {}, and groups are given", batch.group_size),
                       "give one of them");
    }
    check_integers(batch.groups, "groups");
    if (batch.group_count >= 1 && batch.group_count <= batch.count) return batch.group_count;
    throw InputError({{}, {}, "group_count"},
                     fmt::format("is {} for {} rollouts", batch.group_count, batch.count),
                     "give from 1 to as many groups as rollouts");
  }
  if (batch.group_size == 0) {
    throw InputError(where, "is 0, and groups are not given", "give one of them");
  }
  return check_group_size(batch.group_size, batch.count);
}

}  // namespace

GroupsView view_of(const GroupBatch& batch) {
  check_count(batch.count);
  if (batch.count > 0) check_given(batch.reward, "reward");
  if (batch.count > 0) check_given(batch.advantage, "advantage");
  if (batch.ddof > 1) {
    throw InputError({{}, {}, "ddof"}, fmt::format("is {}", batch.ddof), "give 0 or 1");
  }
  if (!(batch.epsilon >= 0.0 && std::isfinite(batch.epsilon))) {
    throw InputError({{}, {}, "epsilon"}, fmt::format("is {}", batch.epsilon),
                     "give a number from 0 on");
  }
  return {.count = batch.count,
          .group_count = batch.count > 0 ? check_groups(batch) : 0,
          .group_size = batch.group_size,
          .groups = view_of(batch.groups),
          .active = batch.active,
          .reward = batch.reward,
          .baseline = batch.baseline,
          .scale = batch.scale,
          .ddof = batch.ddof,
          .epsilon = batch.epsilon,
          .advantage = batch.advantage,
          .mean = batch.mean,
          .std = batch.std,
          .spread = batch.spread};
}

}  // namespace warpath::batch
