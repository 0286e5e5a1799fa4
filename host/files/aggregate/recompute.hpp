#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/files/formats/result_dump.hpp"
#include "host/files/io/counted_ids.hpp"
#include "warpath/convention.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::aggregate {

/// Compares what the files have for a measure with what was recomputed, entry by entry.
struct ComparedMeasure {
  std::string name;
  std::uint64_t compared = 0;           ///< entries with a number in the files that were recomputed
  std::uint64_t different = 0;          ///< of these, beyond rounding in single precision
  std::uint64_t finite = 0;             ///< of these, finite in the files and recomputed
  double given_mean = 0.0, mean = 0.0;  ///< over the finite ones
  double max_difference = 0.0;          ///< of the finite ones
  std::string max_episode{};            ///< the id of the first that has it
};

/// Says how the measures of a run were recomputed.
struct Recomputed {
  InputDescription inputs;
  Convention convention;    ///< its missing, invalid and duplicates are those that score each entry
  std::string predictions;  ///< how the paths were read, and which distances they were scored by
  std::optional<PositionDistances> distances{};
  std::vector<ComparedMeasure> measures{};  ///< that were recomputed
  std::vector<std::string> kept{};          ///< measures that are as the files give them
  std::array<io::CountedIds, status_count> statuses{};  ///< of the entries, with their ids
  io::CountedIds unscored{};  ///< entries without a value: "12 (unreachable)"
  std::string first_fault{};  ///< place and problem of the first malformed path; empty: none is
};

/// Refuses a convention that asks for what positions do not have: hops, goal sets, given positions,
/// recorded outcomes, endings, and over grids horizontal distances.
/// @throws UsageError whose remedies `warpath aggregate` has
void check_recomputing(const Convention& convention, const EvalFiles& files);

/// Replaces measures of a run's episodes by those of their positions: SR, OSR, SPL, NE and PL,
/// further ones that the files have, and nDTW and SDTW where `files` names the ground truth. Each
/// entry is scored by itself, as Evaluator scores it. Where it leaves NE, ONE or PL without a value
/// because no way leads there, they are infinite. An entry that cannot be scored, such as one over
/// a grid that has no way (`unreachable`), has no values.
/// @param dump with paths, which are used up
/// @param files the dataset and the source of distances; without one, they are those that the
/// entries give, or straight lines
/// @pre check_recomputing() takes the convention
/// @throws InputError also for a dataset of flights or tours; for an entry without an id, of an
/// episode that the dataset lacks, or of another scene than its episode; if two paths of an id
/// share a list of `distances`; UsageError
Recomputed recompute(formats::ResultDump& dump, EvalFiles files, Convention convention);

}  // namespace warpath::aggregate
