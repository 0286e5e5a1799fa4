#include <algorithm>
#include <array>

#include "host/validate.hpp"

namespace warpath {
namespace {

using enum Problem;
using enum Outcome;

constexpr std::string_view fix_does = "--fix does";

constexpr std::array<ProblemInfo, 17> table{{
    {container, "container", "the file is a dict by id, not a list",
     "TypeError, it takes the keys for entries", rejected, fix_does},
    {id_key, "id_key", "the id has another key than instr_id", "KeyError 'instr_id'", rejected,
     fix_does},
    {path_key, "path_key", "the path has another key than trajectory", "KeyError 'trajectory'",
     rejected, fix_does},
    {plain, "plain", "a viewpoint stands without a list of its own",
     "takes its first letter for the viewpoint: AssertionError or KeyError", rejected,
     "write [[viewpoint, heading, elevation], ...]; --fix does"},
    {malformed, "malformed", "the trajectory is no list of viewpoints",
     "TypeError, IndexError or KeyError", rejected,
     "write [[viewpoint, heading, elevation], ...]; --fix only drops empty inner lists"},
    {empty_path, "empty_path", "the path is empty", "IndexError", rejected,
     "write at least the start viewpoint"},
    {wrong_start, "wrong_start", "the path does not begin where the reference does",
     "AssertionError 'Result trajectories should include the start position'", rejected,
     "put the start viewpoint first"},
    {unknown_viewpoint, "unknown_viewpoint", "the scan's graph has no such viewpoint", "KeyError",
     rejected, "check the ids, and that scan and graphs are those of the dataset"},
    {non_adjacent, "non_adjacent", "a step leads between viewpoints that share no edge",
     "KeyError, 'the navigation graph contains no edge between these viewpoints'", rejected,
     "write every viewpoint passed; --fix flattens inner lists and fills gaps by shortest paths"},
    {unreachable, "unreachable", "no path of the graph leads from a viewpoint to the goal",
     "KeyError", rejected, "leave out viewpoints without an edge"},
    {spl_undefined, "spl_undefined", "start and goal are the same and the agent does not move",
     "ZeroDivisionError, its SPL is 0/0", rejected, "none: the server can't score this item"},
    {missing, "missing", "an id has no prediction; expected are <path_id>_0, _1 and _2",
     "AssertionError 'Trajectories not provided'", rejected,
     "predict them; is the file of this split?"},
    {nested, "nested", "an inner list names several viewpoints, as DUET's dumps do",
     "reads only the first of each inner list, so viewpoints are lost", misread,
     "write each viewpoint in a list of its own; --fix does"},
    {duplicate_id, "duplicate_id", "an id is predicted again", "scores the first copy", harmless,
     "keep one; --fix keeps the first"},
    {unknown_id, "unknown_id", "the dataset has no such id", "ignores the entry", harmless,
     "check that the file is of this split; --fix drops them"},
    {not_scored, "not_scored", "a path's fourth or later instruction", "ignores the entry",
     harmless, "none needed"},
    {not_finite, "not_finite", "NaN or Infinity among headings and elevations",
     "reads them, as Python does; a strict JSON reader rejects the file", harmless,
     "write 0; --fix does"},
}};

}  // namespace

std::span<const ProblemInfo> problem_table() { return table; }

Outcome outcome(std::span<const Finding> findings) {
  Outcome worst = harmless;
  for (const Finding& f : findings) worst = std::min(worst, info(f.problem).outcome);
  return worst;
}

}  // namespace warpath
