#include "host/tasks/r2r/server.hpp"

#include <array>

namespace warpath::r2r {
namespace {

using enum submission::Problem;
using enum submission::Outcome;

constexpr std::string_view fix_does = "--fix does";

}  // namespace

const std::array<submission::ProblemInfo, 20> problems_of_lists{{
    {container, "container", "the file is no list of entries",
     "TypeError, it takes an object's keys for entries; JSONDecodeError for JSON Lines", rejected,
     fix_does},
    {id_key, "id_key", "the id has another key than instr_id, or there is none",
     "KeyError 'instr_id'", rejected, fix_does},
    {path_key, "path_key", "the path has another key than trajectory", "KeyError 'trajectory'",
     rejected, fix_does},
    {object_key, "object_key", "an entry does not name its object as predObjId (REVERIE)",
     "KeyError 'predObjId'; it ignores pred_objid", rejected,
     "write predObjId, -1 for none; --fix writes pred_objid under that key"},
    {objects, "objects", "the trajectory, or a step of it, is an object, not a list", "KeyError 0",
     rejected, "write [[viewpoint, heading, elevation], ...]; --fix does"},
    {plain, "plain", "a viewpoint stands without a list of its own",
     "takes its first letter for the viewpoint: AssertionError or KeyError", rejected,
     "write [[viewpoint, heading, elevation], ...]; --fix does"},
    {malformed, submission::as(Status::malformed), "the trajectory is no list of viewpoints",
     "TypeError, IndexError or KeyError", rejected,
     "write [[viewpoint, heading, elevation], ...]; --fix only drops empty inner lists"},
    {empty_path, submission::as(Status::empty_path), "the path is empty", "IndexError", rejected,
     "write at least the start viewpoint"},
    {wrong_start, submission::as(Status::wrong_start),
     "the path does not begin where the reference does",
     "AssertionError 'Result trajectories should include the start position'", rejected,
     "put the start viewpoint first"},
    {unknown_viewpoint, submission::as(Status::unknown_viewpoint),
     "the scan's graph has no such viewpoint", "KeyError", rejected,
     "check the ids, and that scan and graphs are those of the dataset"},
    {non_adjacent, submission::as(Status::non_adjacent),
     "a step leads between viewpoints that share no edge",
     "KeyError, 'the navigation graph contains no edge between these viewpoints'", rejected,
     "write every viewpoint passed; --fix flattens inner lists and fills gaps by shortest paths"},
    {unreachable, submission::as(Status::unreachable),
     "no path of the graph leads from a viewpoint to the goal", "KeyError", rejected,
     "leave out viewpoints without an edge"},
    {spl_undefined, submission::as(Status::spl_undefined),
     "start and goal are the same and the agent does not move", "ZeroDivisionError, its SPL is 0/0",
     rejected, "none: the server can't score this item"},
    {missing, submission::as(Status::missing),
     "an id has no prediction; expected are <path_id>_0, _1 and _2",
     "AssertionError 'Trajectories not provided'", rejected,
     "predict them; is the file of this split?"},
    {candidates, "candidates", "there are several trajectories for one id",
     "KeyError 0; eval scores the first", rejected, "keep one; --fix keeps the first"},
    {nested, "nested", "an inner list names several viewpoints, as DUET's dumps do",
     "reads only the first of each inner list, so viewpoints are lost", misread,
     "write each viewpoint in a list of its own; --fix does"},
    {duplicate_id, submission::as(Status::duplicate_id), "an id is predicted again",
     "scores the first copy", harmless, "keep one"},
    {unknown_id, submission::as(Status::unknown_id), "the dataset has no such id",
     "ignores the entry", harmless, "check that the file is of this split"},
    {not_scored, submission::as(Status::not_scored), "a path's fourth or later instruction",
     "ignores the entry", harmless, "none needed"},
    {not_finite, submission::as(Status::not_finite),
     "NaN or Infinity among headings and elevations",
     "reads them, as Python does; a strict JSON reader rejects the file", harmless,
     "write 0; --fix does"},
}};

const submission::Server r2r_server{.problems = problems_of_lists,
                                    .check = check_list,
                                    .fix = fix_list,
                                    .form = "evalai",
                                    .help = "R2R's list of instr_id and trajectory",
                                    .title = "submission to R2R's server",
                                    .convert = submission::convert_viewpoints,
                                    .instructions = Instructions::first3};

}  // namespace warpath::r2r
