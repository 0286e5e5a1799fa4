#pragma once

#include <cstdint>
#include <variant>

#include "kernels/views/checks.hpp"
#include "kernels/views/kernel_choice.hpp"
#include "kernels/views/packing.hpp"
#include "kernels/views/pairs.hpp"
#include "kernels/views/points.hpp"
#include "kernels/views/rewards.hpp"
#include "kernels/views/statistics.hpp"
#include "kernels/views/walks.hpp"

// Work that a device can be told to do: a struct for each kind of kernel. To add one, add its
// struct to Work; the compiler then names the devices that lack an overload for it.

namespace warpath::cuda {

/// Sorts keys, and pairs along with them.
struct SortPairs {
  kernels::SortView view;
  kernels::Scratch scratch;
};

struct FindRuns {
  kernels::RunsView view;
  kernels::Scratch scratch;
};

struct LengthSum {
  kernels::LengthSumView view;
  kernels::Scratch scratch;
};

struct TileSum {
  kernels::TileSumView view;
  kernels::Scratch scratch;
};

struct ScoreTiles {
  kernels::TileView view;
  kernels::TileKernel kernel;
  kernels::QuantitySet set;
  int rows;
};

struct ScoreGroups {
  kernels::GroupView view;
  kernels::GroupShape shape;
  kernels::QuantitySet set;
};

struct ScoreGroupSlices {
  kernels::GroupSliceView view;
  kernels::GroupShape shape;
  kernels::QuantitySet set;
};

struct ScorePoints {
  kernels::PointView view;
  kernels::GroupShape shape;
  kernels::QuantitySet set;
};

/// Looks for pairs that cannot be scored, and describes the first.
struct CheckPairs {
  kernels::CheckView view;
};

/// Makes random walks and scores them.
struct ScoreWalks {
  kernels::WalkView view;
  bool replicated;
  kernels::QuantitySet set;
  int rows;
};

/// Makes and scores noted walks once more.
struct RepeatWalks {
  kernels::WalkView view;
  kernels::QuantitySet set;
};

/// Rewards rollouts or episodes by the kernel of a shape.
template <class View>
struct RewardWork {
  View view;
  kernels::RewardShape shape;
};
using RewardRollouts = RewardWork<kernels::RolloutsView>;
using ResetEpisodes = RewardWork<kernels::ResetView>;
using StepEpisodes = RewardWork<kernels::StepView>;
using FinishEpisodes = RewardWork<kernels::FinishView>;
using ScoreExtensions = RewardWork<kernels::ExtensionsView>;

/// Holds the parameters of one launch. A view stands for the one kernel that reads it.
/// AggregateView adds up a chunk's results; several streams may add to the same totals.
using Work =
    std::variant<kernels::TermsView, kernels::PreparePointsView, kernels::StoreView, CheckPairs,
                 LengthSum, kernels::KeyView, SortPairs, FindRuns, kernels::PlanView,
                 kernels::PlaceView, TileSum, kernels::PackView, ScoreTiles, ScoreGroups,
                 ScoreGroupSlices, ScorePoints, ScoreWalks, RepeatWalks, kernels::AggregateView,
                 RewardRollouts, ResetEpisodes, StepEpisodes, FinishEpisodes, ScoreExtensions,
                 kernels::CheckEpisodesView, kernels::EpisodeValuesView, kernels::CopyEpisodesView,
                 kernels::ReturnsView, kernels::GroupsView>;

}  // namespace warpath::cuda
