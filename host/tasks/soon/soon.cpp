#include "host/tasks/soon/soon.hpp"

#include "host/tasks/soon/annotations.hpp"
#include "host/tasks/soon/direction_scores.hpp"
#include "host/tasks/soon/server.hpp"
#include "host/tasks/soon/starts.hpp"
#include "host/tasks/soon/trajectories.hpp"

namespace warpath {

const Task soon_task{
    .form = "soon",
    .title = "SOON",
    .name = "SOON",
    .recognises = is_soon_entry,
    .id_key = soon_id_key,
    .read_entry = read_soon_annotation,
    .has_parts = false,
    .count_entries = count_annotations,
    .has_own_form = is_soon_trajectory,
    .read_trajectories = add_soon_entry,
    .first_trajectory_note = "of each SOON entry the first path is scored, and no object direction",
    .match = match_starts,
    .metrics = direction_metrics,
    .is_scored = names_directions,
    .score = score_direction,
    .servers = soon_servers};

}  // namespace warpath
