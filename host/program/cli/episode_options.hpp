#pragma once

#include "host/program/cli/command_line.hpp"
#include "warpath/evaluate.hpp"

// Options of continuous episodes, in the group Files.

namespace warpath::cli {

/// Adds --navmesh, which is returned, and --habitat.
Option& add_navmesh_options(Command& command, EvalFiles& files);
/// Adds the references and the distances of episodes: --ground-truth, --distances, --navmesh and
/// --grid, which is returned, with what belongs to them.
Option& add_episode_options(Command& command, EvalFiles& files);

}  // namespace warpath::cli
