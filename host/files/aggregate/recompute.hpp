#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/files/formats/result_dump.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::aggregate {

/// Compares what the files have for a measure with what was recomputed.
struct ComparedMeasure {
  std::string name;
  std::uint64_t compared = 0;   ///< episodes with a number in the files that were recomputed
  std::uint64_t different = 0;  ///< of these, beyond rounding in single precision
  std::uint64_t finite = 0;     ///< of these, finite in the files and recomputed
  double given_mean = 0.0, mean = 0.0;  ///< over the finite ones
  double max_difference = 0.0;          ///< of the finite ones
  std::string max_episode{};            ///< the first that has it
};

/// Says how the measures of a run were recomputed.
struct Recomputed {
  InputDescription inputs;
  std::string preset;
  std::string predictions;  ///< how the paths were read, and which distances they were scored by
  std::optional<PositionDistances> distances{};
  std::vector<ComparedMeasure> measures{};  ///< that were recomputed
  std::vector<std::string> kept{};          ///< measures that are as the files give them
  std::uint64_t unscored = 0;               ///< episodes whose path cannot be scored
  std::string first_unscored{};             ///< its id and why
};

/// Replaces measures of a run's episodes by those of their positions, which the same files have:
/// SR, OSR, SPL, NE and PL, further ones that the files have, and nDTW and SDTW where they have
/// them and `files` names the ground truth. A measure without a value is as a simulator gives it:
/// NE is infinite where no way leads to the goal, and SPL is NaN where none leads there from the
/// start. An episode whose path cannot be scored has no values.
/// @param dump read from `paths` with these `duplicates`
/// @param files the dataset and the source of distances
/// @param preset one of continuous episodes
/// @throws InputError also for an episode that the dataset lacks; UsageError
Recomputed recompute(formats::ResultDump& dump, const std::vector<std::string>& paths,
                     formats::DumpDuplicates duplicates, EvalFiles files,
                     const std::string& preset);

}  // namespace warpath::aggregate
