#pragma once

#include <span>
#include <string_view>

#include "warpath/metrics.hpp"

namespace warpath::formats {

/// Describes a measure that evaluators of continuous environments write, under any of its keys.
struct KnownMeasure {
  std::string_view name;
  Unit unit;
  Better better;
  std::string_view keys;  ///< in files, separated by spaces; empty: none
};

/// Returns all of them, in the order of the columns of a report.
std::span<const KnownMeasure> known_measures();

/// Returns the measure that has a key; null if none has.
const KnownMeasure* find_known(std::string_view key);

/// Returns the measure of a name of ours; null if none has it.
const KnownMeasure* find_known_name(std::string_view name);

}  // namespace warpath::formats
