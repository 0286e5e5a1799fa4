#pragma once

#include "host/tasks/task.hpp"

namespace warpath {

/// RxR (Ku et al. 2020).
extern const Task rxr_task;

}  // namespace warpath
