#include "kernels/launch/for_each.cuh"
#include "kernels/launch/tiles.cuh"

namespace warpath::kernels {

int score_tiles(const TileView& view, TileKernel kernel, QuantitySet set, int rows, Stream stream) {
  switch (set) {
    case QuantitySet::goal:
      return score_tiles_goal(view, kernel, rows, stream);
    case QuantitySet::dtw:
      return score_tiles_dtw(view, kernel, rows, stream);
    case QuantitySet::alignment:
      return score_tiles_alignment(view, kernel, rows, stream);
    case QuantitySet::all_edges:
      return score_tiles_all_edges(view, kernel, rows, stream);
    case QuantitySet::all_viewpoints:
      return score_tiles_all_viewpoints(view, kernel, rows, stream);
    case QuantitySet::edits_edges:
    case QuantitySet::edits_viewpoints:
      break;
  }
  return cudaErrorInvalidValue;
}

/// Packs paths into tiles.
///
/// Mapping: a thread takes slots.
/// Memory: reads are scattered, one path per thread; writes are consecutive.
/// Preconditions: as PackView says.
/// Cost: a read and a write for each id.
int pack_tiles(const PackView<std::uint8_t>& view, Stream stream) {
  return start_for_each<pack_slot<std::uint8_t>>(view, view.slots, stream);
}
int pack_tiles(const PackView<std::uint16_t>& view, Stream stream) {
  return start_for_each<pack_slot<std::uint16_t>>(view, view.slots, stream);
}

int max_shared_floats(unsigned& floats) {
  int device = 0, bytes = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) {
    code = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  }
  floats = static_cast<unsigned>(bytes) / sizeof(float);
  return code;
}

}  // namespace warpath::kernels
