#pragma once

#include "host/files/formats/dataset.hpp"

namespace warpath::soon {

/// Gives every trajectory of a submission the id of an item of a SOON dataset, whose items are the
/// paths of its annotations. Trajectories of an instruction take its paths with their start, in
/// order; one that starts elsewhere takes the first path that no other one takes. If there are more
/// trajectories than paths, paths are taken twice. Entries that name no annotation keep their id.
/// @param predictions read as any form; each of their entries becomes one for each trajectory
void match_starts(const formats::Dataset& dataset, formats::Predictions& predictions);

}  // namespace warpath::soon
