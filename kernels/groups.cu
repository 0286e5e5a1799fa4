#include "kernels/groups.cuh"

namespace warpath::kernels {

int score_groups(const GroupView<std::uint16_t>& view, GroupShape shape, Parts parts,
                 Stream stream) {
  switch (shape) {
    case GroupShape::lanes_4:
      return start_groups<4, 4, 1, false>(view, parts, stream);
    case GroupShape::lanes_8:
      return start_groups<8, 8, 1, true>(view, parts, stream);
    case GroupShape::lanes_32:
      return start_groups<32, 16, 2, true>(view, parts, stream);
    case GroupShape::chain:
      return start_chains<16, 2>(view, parts, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace warpath::kernels
