#include "host/tasks/ndh/ndh.hpp"

#include "host/tasks/ndh/annotations.hpp"
#include "host/tasks/ndh/region_scores.hpp"
#include "host/tasks/r2r/server.hpp"

namespace warpath {

const Task ndh_task{.form = "ndh",
                    .title = "NDH",
                    .name = "NDH",
                    .recognises = is_ndh_entry,
                    .id_key = ndh_id_key,
                    .read_entry = read_ndh_entry,
                    .complete_item = read_region,
                    .finish = note_without_planner,
                    .has_references = true,
                    .metrics = region_metrics,
                    .score = score_region,
                    .goals_key = "end_panos",
                    .servers = r2r_servers,
                    .server_note =
                        "the rules of R2R's server; NDH's own wants inst_idx, an "
                        "integer, which --fix keeps but does not make",
                    .keeps_inst_idx = true};

}  // namespace warpath
