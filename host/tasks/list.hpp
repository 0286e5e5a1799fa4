#pragma once

#include "host/tasks/task.hpp"

// Declares each task for its own folder, which defines it, and for tasks.cpp.

namespace warpath::drones {
extern const tasks::Task aerialvln_task;  ///< Liu et al. 2023
extern const tasks::Task openuav_task;    ///< Wang et al. 2024 (TravelUAV)
extern const tasks::Task citynav_task;    ///< Lee et al. 2024
extern const tasks::Task openfly_task;    ///< Gao et al. 2025
extern const tasks::Task indooruav_task;  ///< Liu et al. 2025, its long flights
}  // namespace warpath::drones
namespace warpath::ivlnce {
extern const tasks::Task ivlnce_task;  ///< Krantz et al. 2023, continuous environments
}
namespace warpath::ndh {
extern const tasks::Task ndh_task;  ///< Thomason et al. 2019
}
namespace warpath::r2r {
extern const tasks::Task r2r_task;  ///< Anderson et al. 2018
extern const tasks::Task r4r_task;  ///< Jain et al. 2019
/// Annotations of R2R, R4R or others with an entry for each instruction, as *_enc.jsonl has them.
extern const tasks::Task one_an_entry_task;
}  // namespace warpath::r2r
namespace warpath::reverie {
extern const tasks::Task reverie_task;  ///< Qi et al. 2020
}
namespace warpath::rxr {
extern const tasks::Task rxr_task;  ///< Ku et al. 2020
}
namespace warpath::soon {
extern const tasks::Task soon_task;  ///< Zhu et al. 2021
}
namespace warpath::touchdown {
extern const tasks::Task touchdown_task;  ///< Chen et al. 2019 (Touchdown), Schumann et al. 2021
}
namespace warpath::vlnce {
extern const tasks::Task vlnce_task;  ///< Krantz et al. 2020; RxR-CE, too
}
