#pragma once

#include "host/tasks/task.hpp"

namespace warpath {

/// NDH (Thomason et al. 2019).
extern const Task ndh_task;

}  // namespace warpath
