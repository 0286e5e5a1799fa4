#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "host/core/batch/distance_tables.hpp"
#include "kernels/views/checks.hpp"
#include "kernels/views/paths.hpp"
#include "kernels/views/rewards.hpp"
#include "warpath/paths.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/views.hpp"

// Translates what callers view for the kernels, and refuses what no kernel can read. What lies in
// the arrays is checked by kernels::problem_of.

namespace warpath::batch {

kernels::IntegerArray view_of(const Integers& integers);
kernels::PathLayout view_of(const Layout& layout);
kernels::PathArray view_of(const PathsView& paths);
kernels::PositionArray view_of(const PositionsView& positions);

/// Refuses references that are empty, or whose scan or viewpoints do not exist.
/// @throws InputError that names the reference
void check_references(std::span<const Scan* const> scans, const PathSet& references,
                      std::span<const std::uint32_t> scan_of);
/// Refuses scans whose tables of all distances indices do not reach, before these are made.
/// @param remedy follows "give scans of at most … viewpoints": ", or …"
/// @throws InputError that names the largest scan
void check_table_size(std::span<const Scan* const> scans, std::string_view remedy);

/// @param kind what a pair is called: "pair 3", "rollout 3"
/// @throws InputError that says what is wrong with the pair, unless nothing is
void report(const kernels::PairProblem& problem, std::string_view kind = "pair");

/// @param kind what an entry is called: "episode 3", "rollout 3"
/// @throws InputError that says what is wrong with the entry, unless nothing is
void report(const kernels::EpisodeProblem& problem, std::string_view kind = "episode");

/// @throws InputError if an array is null that has to be read or written
void check_given(const void* array, const char* field);

/// Refuses rows without numbers of references where row k is not that of reference k, or groups
/// where it is not that of reference k / group_size.
/// @throws InputError unless there are as many rows, or groups, as references, or none
void check_reference_given(const Batch& batch, std::size_t references);

/// Returns how many references of points a batch brings.
/// @throws InputError if its groups cannot be
std::uint32_t point_references(const Batch& batch);

/// Refuses groups, which only rewards know. @throws InputError
void check_no_groups(const Batch& batch);

/// Returns how many groups there are of that size, which is not 0.
/// @throws InputError if some are not whole
std::uint32_t check_group_size(std::uint32_t group_size, std::uint32_t count);

/// Returns for the kernels which rows are of a reference where none are numbered.
inline kernels::RowsOfReference rows_of_reference(const Batch& batch) {
  return kernels::rows_of_reference(batch.group_size != 0 ? batch.group_size : 1);
}

/// @throws InputError unless kernels can read such integers
void check_integers(const Integers& integers, const char* field);

/// @throws InputError if kernels would read outside of the arrays whatever is in them
void check_layout(const Layout& layout, const char* field);

/// @throws InputError if there are more pairs than kernels can count
void check_count(std::uint32_t count);

/// @param remedy besides another threshold; may be empty
/// @throws InputError if kernels of continuous paths cannot use the threshold
void check_threshold_between_points(const Convention& convention, std::string_view remedy = {});

/// Refuses a call for viewpoints of a tracker of points, or the other way round.
/// @param points,viewpoints what the call is given; null: none @throws InputError
void check_kind(bool tracker_of_points, const void* points, const void* viewpoints,
                const char* call);

/// Translates what a call says of references one by one.
kernels::ReferenceArrays view_of(const Integers& prefix, const float* spl_length);

/// Refuses to leave first elements out where rewards need nDTW or CLS of more than the end.
/// @throws InputError
void check_prefix(const Integers& prefix, const RewardSettings& settings);

/// Refuses what no reference can have. @param count of references, or of entries
/// @throws InputError that names the first
void check_numbers(const kernels::ReferenceArrays& of_reference, std::uint32_t count);

/// Refuses a longest reference of points that there is no room for.
/// @throws InputError unless it has from 1 to 2^20 points
void check_max_reference_length(std::uint32_t points);

/// Translates returns for the kernels. @throws InputError that names a field that cannot be right
kernels::ReturnsView view_of(const ReturnsBatch& batch);

/// Translates groups for the kernels. @throws InputError that names a field that cannot be right
kernels::GroupsView view_of(const GroupBatch& batch);

}  // namespace warpath::batch
