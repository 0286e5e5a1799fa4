#pragma once

#include "host/tasks/task.hpp"

namespace warpath {

/// R2R (Anderson et al. 2018).
extern const Task r2r_task;
/// R4R (Jain et al. 2019).
extern const Task r4r_task;
/// Annotations of R2R, R4R or others with an entry for each instruction, as *_enc.jsonl has them.
extern const Task one_an_entry_task;

}  // namespace warpath
