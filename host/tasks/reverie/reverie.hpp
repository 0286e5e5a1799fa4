#pragma once

#include "host/tasks/task.hpp"

namespace warpath {

/// REVERIE (Qi et al. 2020).
extern const Task reverie_task;

}  // namespace warpath
