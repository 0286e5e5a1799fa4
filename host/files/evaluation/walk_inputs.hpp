#pragma once

#include <cstdint>
#include <vector>

#include "host/files/evaluation/inputs.hpp"
#include "warpath/paths.hpp"
#include "warpath/random_walks.hpp"

namespace warpath::evaluation {

/// Holds the references of random walks as indices.
struct WalkReferences {
  std::vector<const Scan*> scans;      ///< by scan of the dataset
  PathSet paths;                       ///< in the order of the file, see RandomBaseline
  std::vector<std::uint32_t> scan_of;  ///< by path
  std::vector<std::uint32_t> item_of;  ///< by path: the first item that it is the reference of
};

/// Counts the edges of the references of all items.
/// @throws InputError if there are no items, a reference is empty or very long, or every one has
///   just one viewpoint
StepCounts count_steps(const formats::Dataset& dataset);

/// Collects the references that walks begin at, in the order of the file, and reads the graphs of
/// their scans. A dataset whose entries list the instructions of a path (R2R, R4R, REVERIE) has one
/// for each entry that lists any, even where two entries have the same path. In any other dataset,
/// items with the same path in the same scan share one.
/// @param may_move walks take steps, so each reference must begin at a viewpoint with neighbours
/// @throws InputError that names the item and the viewpoint at fault
WalkReferences collect_references(Inputs& inputs, bool may_move);

/// Returns the paths with a viewpoint that no path of the graph joins with the first. Their walks
/// have no values, and those of all other paths have.
std::vector<std::uint32_t> unreachable_paths(const WalkReferences& references);

}  // namespace warpath::evaluation
