#pragma once

#include <cstdint>
#include <variant>

#include "kernels/bodies/statistics.hpp"
#include "kernels/launch/pack_pairs_launch.hpp"

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

/// Computes sums[i] = counts[0] + … + counts[i − 1] for i = 0 … `count`: count + 1 numbers.
struct ExclusiveSum {
  const std::uint32_t* counts;
  std::uint32_t* sums;
  std::uint32_t count;
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

/// Holds the parameters of one launch. A view stands for the one kernel that reads it.
/// AggregateView adds up a chunk's results; several streams may add to the same totals.
using Work =
    std::variant<kernels::TermsView<std::uint8_t>, kernels::TermsView<std::uint16_t>,
                 kernels::LengthsView, kernels::KeyView, SortPairs, FindRuns, kernels::PlaceView,
                 ExclusiveSum, kernels::PackView<std::uint8_t>, kernels::PackView<std::uint16_t>,
                 ScoreTiles, ScoreGroups, ScoreGroupSlices, ScorePoints, kernels::AggregateView>;

}  // namespace warpath::cuda
