#pragma once

#include <cstdint>

#include "kernels/views/checks.hpp"
#include "kernels/views/pairs.hpp"
#include "kernels/views/points.hpp"
#include "kernels/views/rewards.hpp"
#include "kernels/views/shapes.hpp"
#include "kernels/views/statistics.hpp"
#include "kernels/views/walks.hpp"

namespace warpath::testing {

/// Do what the kernels do with a view, one lane per pair and one pair after the other, with the
/// bodies of all quantities. bodies_test.cpp tests mappings and shapes.
void run_tiles_plainly(const kernels::TileView& view, kernels::QuantitySet set, int rows);
/// @param strips whether the shape has a border; those without take 16 rows
void run_groups_plainly(const kernels::GroupView& view, bool strips, kernels::QuantitySet set);
/// Reads only the copy of a slice's table; `groups.count` is not read.
void run_group_slices_plainly(const kernels::GroupSliceView& view, kernels::QuantitySet set);
void run_points_plainly(const kernels::PointView& view, kernels::QuantitySet set);

/// Makes walks with any number of blocks on fibers, as the seed decides, and repeats those that are
/// noted. @tparam Bits of a random word that are used: 32, or 8 in tests of what is rare
template <int Bits = 32>
void run_walks_plainly(const kernels::WalkView& view, bool replicated, kernels::QuantitySet set,
                       int rows, std::uint64_t seed);
template <int Bits = 32>
void repeat_walks_plainly(const kernels::WalkView& view, kernels::QuantitySet set);

/// Adds up with any number of blocks and threads in any order, as the seed decides.
void aggregate_plainly(const kernels::AggregateView& view, std::uint64_t seed);

/// Run the bodies of rewards, one element after the other.
void run_rewards_plainly(const kernels::RolloutsView& view, const kernels::RewardShape& shape);
void run_rewards_plainly(const kernels::ResetView& view, const kernels::RewardShape& shape);
void run_rewards_plainly(const kernels::StepView& view, const kernels::RewardShape& shape);
void run_rewards_plainly(const kernels::FinishView& view, const kernels::RewardShape& shape);
void run_rewards_plainly(const kernels::ExtensionsView& view, const kernels::RewardShape& shape);
void run_rewards_plainly(const kernels::CheckEpisodesView& view);
void run_rewards_plainly(const kernels::EpisodeValuesView& view);
void run_rewards_plainly(const kernels::CopyEpisodesView& view);
void run_rewards_plainly(const kernels::ReturnsView& view);
void run_rewards_plainly(const kernels::GroupsView& view);

}  // namespace warpath::testing
