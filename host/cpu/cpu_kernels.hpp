#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/views.hpp"
#include "warpath/graph.hpp"

// The border between the back end, compiled for any CPU, and the kernels, compiled once for each
// instruction set. Plain data only: nothing inline here may be emitted by an AVX unit and then be
// linked into code that runs without AVX.

namespace warpath::cpu {

using kernels::PointTask;
using kernels::ResultView;
using kernels::ScanTable;

/// Viewpoints as the kernels read them; scans above batch::DistanceTables::max_viewpoints are
/// scored elsewhere.
using StagedNode = std::uint16_t;

inline constexpr int max_lanes = 16;

/// As many pairs as there are lanes, side by side. Their viewpoints lie in PairGroupData::ids,
/// [..][lane].
struct Group {
  std::size_t references;  ///< from here: the first viewpoints; the rows, padding in front
  std::size_t queries;     ///< from here: the columns, the last viewpoint repeated
  std::int32_t shape;      ///< index of row_shapes; shape_strips; shape_single_pair
  std::int32_t rows;       ///< those of the shape, or of all strips
  std::int32_t columns;    ///< of the longest query
};

/// Pairs in the order in which they are scored. An array per field, so that a group loads its
/// fields as registers; the last group is filled up with its last pair.
struct PairGroupData {
  const Group* groups;
  const StagedNode* ids;
  std::int32_t *n, *m;
  std::int32_t *base, *pitch;  ///< of the pair's scan table
  float* task_success;
  float *cls_query_length, *cls_reference_length;
};

/// A pair that has all lanes to itself.
struct LongTask {
  const Node *reference, *query;
  ScanTable table;
  kernels::PairInputs<kernels::ScalarOps> inputs;
};

/// A group's paths, one per lane, and where they lie among `positions`: `front` fillers, the path,
/// fillers up to the end.
struct Paths {
  const Node* const* path;
  const std::int32_t *length, *front;
  const Node* filler;
  const Node* viewpoints;  ///< of each lane's scan
  std::int32_t positions;
};

/// Memory that grows to the longest pair seen; one per thread.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  /// At least that many bytes for each use, 64-byte aligned; contents are lost when it grows.
  void* rows(std::size_t bytes) { return grow(0, bytes); }
  void* query(std::size_t bytes) { return grow(1, bytes); }
  void* border(std::size_t bytes) { return grow(2, bytes); }

 private:
  void* grow(int use, std::size_t bytes);

  void* memory_[3] = {};
  std::size_t bytes_[3] = {};
};

struct KernelArguments {
  const float* distance;  ///< all scans' tables
  kernels::Rules rules;
};

/// Numbers of rows that kernels take: exact where lengths are common, since a row too many costs as
/// much as one that counts. What is longer goes in strips of the last.
inline constexpr int row_shapes[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20};
inline constexpr int shape_strips = sizeof row_shapes / sizeof *row_shapes;
inline constexpr int shape_single_pair = -1;  ///< no group kernel: each pair alone

/// A reference's own table holds its distances to every viewpoint of its scan: row i of the
/// reference and viewpoint v at v * shared_pitch + shared_shape(|R|) − |R| + i, +inf in front.
inline constexpr int shared_pitch = 16;
constexpr int shared_shape(int n) {
  return n <= 8 ? 8 : n <= 12 ? 12 : 16;
}
constexpr std::size_t shared_entries(int viewpoints) {
  return static_cast<std::size_t>((viewpoints + max_lanes - 1) / max_lanes * max_lanes) *
         shared_pitch;
}

/// The kernels of one instruction set.
struct CpuKernels {
  const char* name;
  int lanes;  ///< pairs in a group
  /// Lays paths side by side, [position][lane]. Returns whether each path is of viewpoints that its
  /// scan has.
  bool (*stage_paths)(const Paths&, StagedNode* out);
  /// Group number g.
  void (*score_group)(const KernelArguments&, const PairGroupData&, std::size_t g, Workspace&,
                      const ResultView&);
  /// Fills a reference's own table (see shared_pitch) from its rows of the scan's table. @pre The
  /// scan's table is symmetric. `table` has shared_entries(viewpoints) floats.
  void (*fill_shared)(const float* const* rows, int n, int viewpoints, float* table);
  /// A group whose pairs all have the reference of `table`, |R| <= shared_pitch; or null.
  void (*score_shared)(const KernelArguments&, const PairGroupData&, std::size_t g,
                       const float* table, Workspace&, const ResultView&);
  /// One pair with all lanes on it; the result is entry p.
  void (*score_long)(const KernelArguments&, const LongTask&, std::size_t p, Workspace&,
                     const ResultView&);
  void (*score_points)(const KernelArguments&, const PointTask&, std::size_t p, Workspace&,
                       const ResultView&);
};

/// The first two exist where the build has WARPATH_HAS_AVX (cmake/instruction_sets.cmake).
extern const CpuKernels avx512, avx2, portable;

/// Lists those of this build that this CPU has, the best first.
std::vector<const CpuKernels*> usable_kernels();

/// Returns the best that this CPU has, or what the environment variable WARPATH_ISA names.
/// @throws UsageError where it names none that this CPU has.
const CpuKernels& chosen_kernels();

}  // namespace warpath::cpu
