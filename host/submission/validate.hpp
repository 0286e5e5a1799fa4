#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/evaluation/inputs.hpp"

namespace warpath {

/// Names what can be wrong with a submission, in the order of reports.
enum class Problem {
  container,
  id_key,
  path_key,
  object_key,
  objects,
  plain,
  malformed,
  empty_path,
  wrong_start,
  unknown_viewpoint,
  non_adjacent,
  unreachable,
  spl_undefined,
  missing,
  candidates,
  nested,
  duplicate_id,
  unknown_id,
  not_scored,
  not_finite
};

/// Says what the official server does with a submission: Matterport3DSimulator's
/// tasks/R2R/eval.py, the preset r2r; or REVERIE's tasks/REVERIE/eval_release.py, the preset
/// reverie.
enum class Outcome {
  rejected,  ///< the whole submission gets no score
  misread,   ///< it gets a score, but of other paths than intended
  harmless,
};

struct ProblemInfo {
  Problem problem;
  std::string_view name;
  std::string_view what;
  std::string_view server;  ///< what the server does
  Outcome outcome;
  std::string_view remedy;
};

std::span<const ProblemInfo> problem_table();

inline const ProblemInfo& info(Problem p) {
  return problem_table()[static_cast<std::size_t>(p)];
}

/// Describes one kind of problem in one submission.
struct Finding {
  Problem problem;
  std::uint64_t count = 0;            ///< number of entries or ids that have it
  std::vector<std::string> examples;  ///< up to three: "id: detail"
};

/// Finds every problem of an agent's file. Judges only what the server would read: the first copy
/// of an id, a path's first three instructions, and the first viewpoint of each inner list. For a
/// REVERIE dataset it judges by REVERIE's rules: every instruction is read, a jump is allowed, and
/// predObjId is wanted.
/// @pre the inputs were read with documents and without `merge`, since a submission is one file.
/// @throws InputError
std::vector<Finding> validate(Inputs& inputs, std::size_t agent);

/// Returns the worst outcome of the findings.
Outcome outcome(std::span<const Finding> findings);

/// Holds a submission in the server's form, repaired as far as the agent's path is known.
struct FixedSubmission {
  std::string text;
  std::uint64_t entries = 0;
  /// Viewpoints inserted into gaps. PL, NE, SR and SPL are then those of every evaluator that
  /// accepts gaps; metrics of the viewpoints passed, such as OSR and nDTW, include the inserted
  /// ones.
  std::uint64_t filled = 0;
  std::uint64_t left_out = 0;      ///< entries whose path is empty or cannot be read
  std::uint64_t nulls = 0;         ///< numbers that are not finite and became null
  std::vector<Finding> remaining;  ///< problems that remain
};

/// Repairs a submission: corrects the container and the keys, flattens inner lists, turns objects
/// into lists and fills gaps with a shortest path. Every other key of every entry is kept, and so
/// is what the server ignores. An entry that it would reject and that cannot be repaired is left
/// out. Headings and elevations are kept; they are 0 if a rewritten trajectory has no finite
/// number. Wrong starts and unknown viewpoints are left as they are.
/// @pre as for `validate`
FixedSubmission fixed_submission(Inputs& inputs, std::size_t agent);

}  // namespace warpath
