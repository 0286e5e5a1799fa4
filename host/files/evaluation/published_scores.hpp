#pragma once

#include <string>

#include "host/files/evaluation/pack.hpp"
#include "warpath/scores.hpp"

namespace warpath::evaluation {

/// Compares scores with the metrics that an RxR follower file gives of its entries.
/// @return a sentence: that they agree to single precision, or by how much each metric differs at
/// most, and where. Empty if the file gives none.
std::string compare_published(const formats::Predictions& predictions, const PackedRun& run,
                              const Scores& scores);

}  // namespace warpath::evaluation
