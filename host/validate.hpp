#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/inputs.hpp"

namespace warpath {

/// What can be wrong with a submission, in the order of reports. The names are those of `Status`
/// where the two mean the same.
enum class Problem {
  container, id_key, path_key, plain, malformed, empty_path, wrong_start, unknown_viewpoint,
  non_adjacent, unreachable, spl_undefined, missing, nested, duplicate_id, unknown_id, not_scored,
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

inline const ProblemInfo& info(Problem p) { return problem_table()[static_cast<std::size_t>(p)]; }

/// One kind of problem in one submission.
struct Finding {
  Problem problem;
  std::uint64_t count = 0;            ///< entries, or ids, that have it
  std::vector<std::string> examples;  ///< up to three: "id: detail"
};

/// Every problem of an agent's file. Only what the server would read is judged: the first copy of
/// an id, of a path's first three instructions, and of each inner list the first viewpoint.
/// @pre the inputs were read without `merge`: a submission is one file.
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
  std::uint64_t left_out = 0;      ///< known ids whose path is empty or can't be read
  std::vector<Finding> remaining;  ///< what is still wrong with it
};

/// Inner lists are flattened, keys and container put right, only first copies of known ids kept,
/// and gaps filled with a shortest path. Headings and elevations are kept, 0 where there was no
/// finite number. Wrong starts and unknown viewpoints stay as they are.
/// @pre as for `validate`
FixedSubmission fixed_submission(Inputs& inputs, std::size_t agent);

}  // namespace warpath
