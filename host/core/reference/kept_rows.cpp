#include "host/core/reference/kept_rows.hpp"

#include <tbb/task_arena.h>

#include "host/files/formats/graph_store_state.hpp"

namespace warpath::reference {
namespace {

bool may_keep_rows(const Scan& scan, Distance distance) {
  const bool is_ready = distance != Distance::hops && !scan.distances().empty();
  const bool is_marched = distance != Distance::hops && scan.lattice() != nullptr;
  return scan.size() <= KeptRows::max_viewpoints && !is_ready && !is_marched;
}

}  // namespace

void ScanRows::make(std::span<const Node> sources, std::span<const Node> targets) {
  const std::lock_guard lock(mutex_);
  // While the lock is held, this thread must take up no task that may wait for it.
  tbb::this_task_arena::isolate([&] {
    distances_.make_rows(sources);
    distances_.make_rows_to(targets);
  });
}

KeptRows& KeptRows::of(const GraphStore& graphs) {
  GraphStore::State& state = graphs.state();
  const std::lock_guard lock(state.mutex);
  if (state.rows == nullptr) state.rows = std::make_shared<KeptRows>();
  return *state.rows;
}

std::shared_ptr<ScanRows> KeptRows::get(const GraphStore& graphs, const Scan& scan,
                                        Distance distance) {
  constexpr std::size_t max_bytes = std::size_t{256} << 20;
  if (!may_keep_rows(scan, distance)) return nullptr;
  const std::lock_guard lock(mutex_);
  if (const auto it = kept_.find({&scan, distance}); it != kept_.end()) return it->second;
  const std::size_t directions = scan.is_directed() ? 2 : 1;
  const std::size_t bytes = directions * scan.size() * scan.size() * sizeof(double);
  if (bytes > max_bytes - bytes_ || !graphs.state().has(scan)) return nullptr;
  auto rows = std::make_shared<ScanRows>(scan, distance);
  bytes_ += bytes;
  return kept_.emplace(std::pair(&scan, distance), std::move(rows)).first->second;
}

}  // namespace warpath::reference
