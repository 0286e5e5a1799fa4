#pragma once

#include <array>

#include "host/files/submission/server.hpp"

// R2R's server takes a list of paths of viewpoints, as others do.

namespace warpath::r2r {

/// Matterport3DSimulator's tasks/R2R/eval.py, EvalAI 97. It reads the first copy of an id, a path's
/// first three instructions, and the first viewpoint of each inner list.
extern const submission::Server r2r_server;
inline constexpr std::array<const submission::Server*, 1> r2r_servers{&r2r_server};

/// The problems of lists, and how a script of R2R's kind takes them.
extern const std::array<submission::ProblemInfo, 20> problems_of_lists;

/// Checks a list by the rules of a server; see Server::check.
std::vector<submission::Finding> check_list(const submission::Server& server,
                                            evaluation::Inputs& inputs, std::size_t agent);

/// Repairs a list: corrects the container and the keys, flattens inner lists, turns objects into
/// lists and fills gaps with a shortest path. Every other key of every entry is kept, and so is
/// what the server ignores. An entry that it would reject and that cannot be repaired is left out.
/// Headings and elevations are kept; they are 0 if a rewritten trajectory has no finite number.
/// Wrong starts and unknown viewpoints are left as they are.
submission::FixedSubmission fix_list(const submission::Server& server, evaluation::Inputs& inputs,
                                     std::size_t agent);

}  // namespace warpath::r2r
