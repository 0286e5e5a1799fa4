#pragma once

#include "host/tasks/task.hpp"

namespace warpath {

/// SOON (Zhu et al. 2021).
extern const Task soon_task;

}  // namespace warpath
