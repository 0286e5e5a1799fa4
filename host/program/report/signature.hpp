#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/program/report/report.hpp"

// A signature says in one line where the numbers of an agent come from, so that a reader of a table
// can make them again, or see why others differ:
//
//   preset:r2r|threshold:2|dataset:208a43d2|graphs:0b6e4452|items:1020|statuses:not_scored=1|warpath:1.0.0
//
// It names no agent and no file. Its short form has one letter for each name but those of settings.

namespace warpath::report {

enum class SignatureForm { full, shorter };

/// One part of a signature, with its name of the full form.
struct SignaturePart {
  std::string name, value;

  bool operator==(const SignaturePart&) const = default;
};

/// Holds what a signature says.
struct Signature {
  Convention convention;
  std::vector<SignaturePart> parts;  ///< in their order; the first ones are the convention's

  /// Returns the signature in one line.
  std::string text(SignatureForm form = SignatureForm::full) const;
};

/// Returns the signature of an agent's numbers.
/// @param run one of `report.runs`, or of a further preset
Signature signature_of(const EvalReport& report, const AgentResult& run,
                       const Convention& convention);

/// Reads a signature of either form. @throws UsageError that names the part that is none
Signature parse_signature(std::string_view text);

/// A part in which two signatures differ; the value is empty where a signature lacks the part.
struct SignatureDifference {
  std::string name, of_first, of_second;
};

/// Returns the parts in which two signatures differ, the version and metrics of callers aside.
std::vector<SignatureDifference> differences(const Signature& first, const Signature& second);

/// Returns the version that a signature was made by, or an empty string.
std::string version_of(const Signature& signature);

/// Returns the names of a caller's metrics that a signature has, with commas, or an empty string.
std::string own_metrics_of(const Signature& signature);

/// Returns lines for the notes of a report: one signature, or one for each group of agents.
std::vector<std::string> signature_notes(const EvalReport& report, SignatureForm form);

}  // namespace warpath::report
