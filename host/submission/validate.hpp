#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/evaluation/inputs.hpp"

namespace warpath {

/// What can be wrong with a submission, in the order of reports.
enum class Problem {
  container,
  id_key,
  path_key,
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

/// What the official server of R2R makes of it: Matterport3DSimulator's tasks/R2R/eval.py, the
/// preset r2r.
enum class Outcome {
  rejected,  ///< the whole submission gets no score
  misread,   ///< it gets a score, of other paths than were meant
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

/// One kind of problem in one submission.
struct Finding {
  Problem problem;
  std::uint64_t count = 0;            ///< entries, or ids, that have it
  std::vector<std::string> examples;  ///< up to three: "id: detail"
};

/// Every problem of an agent's file. Only what the server would read is judged: the first copy of
/// an id, of a path's first three instructions, and of each inner list the first viewpoint.
/// @pre the inputs were read without `merge`, for a submission is one file, and with documents.
/// @throws InputError
std::vector<Finding> validate(Inputs& inputs, std::size_t agent);

/// The worst of the findings.
Outcome outcome(std::span<const Finding> findings);

/// A submission in the server's form, repaired as far as the agent's path is known.
struct FixedSubmission {
  std::string text;
  std::uint64_t entries = 0;
  /// Viewpoints put into gaps. They leave PL, NE, SR and SPL as every evaluator that accepts gaps
  /// has them; metrics of the viewpoints passed, as OSR and nDTW, see them.
  std::uint64_t filled = 0;
  std::uint64_t left_out = 0;      ///< entries whose path is empty or can't be read
  std::uint64_t nulls = 0;         ///< numbers that are not finite and became null
  std::vector<Finding> remaining;  ///< what is still wrong with it
};

/// Puts the container and the keys right, flattens inner lists, turns objects into lists and fills
/// gaps with a shortest path. Every other key of every entry stays, and what the server ignores
/// stays in its place; an entry that it would reject and that can't be repaired is left out.
/// Headings and elevations are kept, 0 where a trajectory written anew has no finite number. Wrong
/// starts and unknown viewpoints stay as they are.
/// @pre as for `validate`
FixedSubmission fixed_submission(Inputs& inputs, std::size_t agent);

}  // namespace warpath
