#include "host/core/batch/kept_tables.hpp"

#include <tbb/task_arena.h>

#include "host/files/formats/graph_store_state.hpp"

namespace warpath::batch {

KeptTables& KeptTables::of(const GraphStore& graphs) {
  GraphStore::State& state = graphs.state();
  const std::lock_guard lock(state.mutex);
  if (state.tables == nullptr) state.tables = std::make_shared<KeptTables>();
  return *state.tables;
}

DistanceTables KeptTables::get(const GraphStore& graphs, std::span<const Scan* const> scans,
                               const Convention& convention) {
  {
    const std::lock_guard lock(mutex_);
    Kept& kept = kept_({convention.distance, convention.threshold});
    if (has_all(kept, graphs, scans, convention)) {
      std::vector<std::uint32_t> numbers;
      numbers.reserve(scans.size());
      for (const Scan* scan : scans) numbers.push_back(kept.number.at(scan));
      return {kept.tables, numbers};
    }
  }
  return {scans, convention};
}

bool KeptTables::has_all(Kept& kept, const GraphStore& graphs, std::span<const Scan* const> scans,
                         const Convention& convention) {
  std::vector<const Scan*> all = kept.scans;
  auto number = kept.number;
  for (const Scan* scan : scans) {
    if (number.contains(scan)) continue;
    if (!graphs.state().has(*scan)) return false;
    number.emplace(scan, static_cast<std::uint32_t>(all.size()));
    all.push_back(scan);
  }
  if (all.size() == kept.scans.size()) return true;
  if (!DistanceTables::fit(all)) return false;
  // While the lock is held, this thread must take up no task that may wait for it.
  tbb::this_task_arena::isolate(
      [&] { kept.tables = DistanceTables(all, convention, kept.tables); });
  kept.scans = std::move(all);
  kept.number = std::move(number);
  return true;
}

}  // namespace warpath::batch
