#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/evaluation/inputs.hpp"
#include "host/submission/findings.hpp"

namespace warpath {

/// Returns the server by whose rules submissions for a dataset are judged: REVERIE's, SOON's,
/// RxR-Habitat's for episodes that have instruction ids, VLN-CE's for others, else R2R's.
Server server_of(const Dataset& dataset);

/// Finds every problem of an agent's file by the rules of the dataset's server. Judges only what
/// the server would read. R2R's reads the first copy of an id, a path's first three instructions,
/// and the first viewpoint of each inner list; REVERIE's reads every instruction, allows jumps and
/// wants predObjId; SOON's reads every trajectory and allows jumps.
/// @pre the inputs were read with documents and without `merge`, since a submission is one file.
/// @throws InputError
std::vector<Finding> validate(Inputs& inputs, std::size_t agent);
/// Does the same by the rules of another server of the dataset's kind: VLN-CE's or RxR-Habitat's.
std::vector<Finding> validate(Inputs& inputs, std::size_t agent, Server server);

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
/// @pre as for `validate`; the server is R2R's or REVERIE's
FixedSubmission fixed_submission(Inputs& inputs, std::size_t agent);

// The checks of one server each.
std::vector<Finding> check_r2r(Inputs& inputs, std::size_t agent);
std::vector<Finding> check_soon(Inputs& inputs, std::size_t agent);
std::vector<Finding> check_episodes(Inputs& inputs, std::size_t agent, Server server);

}  // namespace warpath
