#include "host/core/cuda/chunk_memory.hpp"

namespace warpath::cuda {

void ChunkArrays::list(ArenaLayout& layout, const ChunkCapacity& capacity) {
  const std::size_t pairs = capacity.packed.room.pairs;
  layout.add(reference_of, pairs);
  layout.add(query_length, pairs * capacity.length_bytes);
  layout.add(nodes, capacity.packed.room.query_nodes * capacity.id_bytes);
  layout.add(task_success, capacity.task_success ? pairs : 0);
  layout.add(cls_query_length, capacity.cls_lengths ? pairs : 0);
  layout.add(query_raw, capacity.query_raw ? pairs : 0);
  layout.add_device(query_offsets, pairs + 1);
  packed.list(layout, capacity.packed);

  const std::size_t values = pairs * capacity.metrics;
  layout.add_device(results.device, values);
  layout.add_device(flags.device, pairs);
  layout.add_pinned(results.host, capacity.are_results_returned ? values : 0);
  layout.add_pinned(flags.host, capacity.are_results_returned ? pairs : 0);
}

}  // namespace warpath::cuda
