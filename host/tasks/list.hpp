#pragma once

#include "host/tasks/task.hpp"

// Declares each task for its own folder, which defines it, and for tasks.cpp.

namespace warpath {

extern const Task r2r_task;      ///< Anderson et al. 2018
extern const Task r4r_task;      ///< Jain et al. 2019
extern const Task reverie_task;  ///< Qi et al. 2020
extern const Task ndh_task;      ///< Thomason et al. 2019
extern const Task rxr_task;      ///< Ku et al. 2020
/// Annotations of R2R, R4R or others with an entry for each instruction, as *_enc.jsonl has them.
extern const Task one_an_entry_task;
extern const Task soon_task;   ///< Zhu et al. 2021
extern const Task vlnce_task;  ///< Krantz et al. 2020; RxR-CE, too

}  // namespace warpath
