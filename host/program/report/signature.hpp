#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/evaluate.hpp"

// A signature says in one line where the numbers of a table come from, so that its reader can make
// them again, or see why others differ:
//
//   preset:r2r|threshold:2|dataset:208a43d2|graphs:0b6e4452|items:1020|statuses:not_scored=1|warpath:1.0.0
//
// It is a list of named parts, which the report of each command gives in signature_of(). It names
// no agent and no file. Its short form has one letter for each name but those of settings.

namespace warpath::report {

enum class SignatureForm { full, shorter };

/// One part of a signature, with its name of the full form.
struct SignaturePart {
  std::string name, value;

  bool operator==(const SignaturePart&) const = default;
};

/// Holds what a signature says: parts, in their order.
struct Signature {
  std::vector<SignaturePart> parts;

  /// Adds a part, unless its value is empty.
  void add(std::string_view name, std::string value);
  /// Adds the first digits of a hash, or of each hash in "hash+hash".
  /// @param before stands before them, where there is a hash
  void add_hash(std::string_view name, std::string_view hash, std::string_view before = {});
  /// Adds settings of a convention that differ from another's.
  void add_settings(const Convention& convention, const Convention& from,
                    std::initializer_list<std::string_view> without = {});
  /// Adds the preset of a convention, and settings that differ from it.
  void add_convention(const Convention& convention,
                      std::initializer_list<std::string_view> without = {});
  /// Adds the dataset and how it is read. @param reference of NDH, or empty
  void add_dataset(const InputDescription& inputs, const std::string& reference);
  /// Adds the scans that were used.
  void add_graphs(const InputDescription& inputs);
  void add_distances(const std::optional<PositionDistances>& distances);
  /// Adds how many items there are, and how many have a status other than `ok`.
  void add_counts(const ItemStatistics& counts);
  void add_statuses(const ItemStatistics& counts);
  void add_version();

  /// Returns the value of a part, or an empty string.
  std::string value_of(std::string_view name) const;
  /// Returns the signature in one line.
  std::string text(SignatureForm form = SignatureForm::full) const;
};

/// Reads a signature of either form. Preset and settings of `warpath eval` come first, as this
/// version spells them.
/// @throws UsageError that names the part that is none
Signature parse_signature(std::string_view text);

/// Returns the convention that a signature of `warpath eval` names.
/// @throws UsageError if it has no preset; if it is of another command, which the error names
Convention convention_of(const Signature& signature);

/// A part in which two signatures differ; the value is empty where a signature lacks the part.
struct SignatureDifference {
  std::string name, of_first, of_second;
};

/// Returns the parts in which two signatures differ, the version and metrics of callers aside.
std::vector<SignatureDifference> differences(const Signature& first, const Signature& second);

/// The signature of an agent's numbers.
struct AgentSignature {
  std::string agent;
  Signature signature;
};

/// Returns lines for the notes of a report: one signature, or one for each group of agents.
std::vector<std::string> signature_notes(const std::vector<AgentSignature>& signatures,
                                         SignatureForm form);

}  // namespace warpath::report
