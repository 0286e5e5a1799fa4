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
