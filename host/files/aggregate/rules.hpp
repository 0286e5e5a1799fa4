#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/formats/result_dump.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"

namespace warpath::aggregate {

/// Holds the mean of a measure under a rule.
struct RuleMean {
  std::string measure;
  /// What the rule's program prints, which may be NaN or infinite; absent: it prints none.
  std::optional<double> mean;
  std::uint64_t n = 0;        ///< what the sum is divided by
  std::uint64_t zeroed = 0;   ///< of these, values that count 0 in place of what the dump has
  std::uint64_t dropped = 0;  ///< values that are left out of sum and n
  /// What the sum is divided by where that is not n: subtasks, steps of references.
  std::optional<double> divisor{};
};

/// Holds the means of a part of a run, such as a type of task.
struct RuleGroup {
  std::string name;
  std::vector<RuleMean> means;
};

struct RuleResult {
  std::vector<RuleMean> means;
  std::vector<RuleGroup> groups{};
  std::string failure;  ///< the exception that ends the rule's program, and why; or empty
  std::optional<InputError> refusal;  ///< why `ours` gives no means; absent for other rules

  bool has_failed() const { return refusal || !failure.empty(); }
  const RuleMean* find(std::string_view measure) const;
};

/// Says what `ours` does where a result is not there.
struct OursOptions {
  Invalid invalid = Invalid::error;     ///< of values that are absent, not finite or out of range
  Missing missing = Missing::error;     ///< of episodes and files that are not there
  std::uint64_t episodes = 0;           ///< that the run has; 0: as many as are there
  std::vector<std::string> measures{};  ///< that are averaged; empty: all
};

/// Names the files of a program that reads files of its own.
struct DumpRequest {
  std::vector<std::string> words;    ///< files and folders, as the user names them
  std::string collision_baseline{};  ///< HA-VLN's file; empty: none
  io::Reading reading{};
  std::string dataset{};  ///< the annotations that a program reads besides; empty: none
};

/// Describes how a program averages per-episode results.
struct AggregateRule {
  std::string_view name;
  std::string_view source;  ///< the program; empty for ours
  std::string_view text;    ///< the rule in a phrase
  RuleResult (*apply)(const formats::ResultDump& dump, const OursOptions& options);
  /// Reads the files that this program alone reads, every entry of them. Null: it averages what
  /// read_result_dumps reads.
  /// @throws InputError if they are other files, UsageError if one is missing in the request
  formats::ResultDump (*read)(const DumpRequest& request) = nullptr;
  /// Tells such files by their content. Null: only the name of the rule tells.
  bool (*recognizes)(const DumpRequest& request) = nullptr;
  std::string_view also = {};  ///< another name
  bool takes_dataset = false;  ///< it reads DumpRequest::dataset
};

/// Returns all rules, ours first.
std::span<const AggregateRule> aggregate_rules();

/// @throws UsageError that lists the names
const AggregateRule& find_aggregate_rule(std::string_view name);

/// Returns the rule whose program reads these files: the one that is named, or, where none is named
/// but `ours`, the one that recognizes them; null: read_result_dumps reads them.
/// @param names of rules; "all" names none
/// @throws UsageError if other rules are named beside one that reads files of its own
const AggregateRule* find_reading_rule(std::span<const std::string> names,
                                       const DumpRequest& request);

/// Returns the rules whose programs read dumps of this form.
std::vector<const AggregateRule*> rules_for(const formats::ResultDump& dump);

/// Averages every value of every episode: an episode that lacks a value, or has one that is not
/// finite or that its measure cannot have, is refused, unless the options say otherwise.
RuleResult average_ours(const formats::ResultDump& dump, const OursOptions& options);

}  // namespace warpath::aggregate
