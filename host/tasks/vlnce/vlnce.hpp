#pragma once

#include "host/tasks/task.hpp"

namespace warpath {

/// VLN-CE (Krantz et al. 2020) and RxR-CE.
extern const Task vlnce_task;

}  // namespace warpath
