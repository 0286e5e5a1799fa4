#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/metrics/quick_sums.hpp"
#include "kernels/views/pairs.hpp"
#include "kernels/views/points.hpp"
#include "kernels/views/rules.hpp"
#include "kernels/walks/walk.hpp"
#include "warpath/graph.hpp"
#include "warpath/histogram.hpp"

// Separates the back end, compiled for any CPU, from the kernels, compiled once for each
// instruction set. It has no inline function that could be compiled in an AVX unit and then be
// linked into code that runs without AVX.

namespace warpath::cpu {

using kernels::PointTask;
using kernels::ResultView;
using kernels::ScanTable;

/// Viewpoint as the kernels read it. Scans above batch::DistanceTables::max_viewpoints are scored
/// elsewhere.
using StagedNode = std::uint16_t;

inline constexpr int max_lanes = 16;

/// Describes a group of pairs, one per lane. Their viewpoints are PairGroupData::ids[..][lane].
struct Group {
  std::size_t references;  ///< offset of the rows' viewpoints; the first in a row, padding in front
  std::size_t queries;     ///< offset of the columns' viewpoints; the last one is repeated
  std::int32_t shape;      ///< index of row_shapes, shape_strips or shape_single_pair
  std::int32_t rows;       ///< rows of the shape, or of all strips
  std::int32_t columns;    ///< viewpoints of the longest query
};

/// Holds the pairs' data in the order of scoring: an array per field, so that a group loads its
/// fields as registers. The last group is filled up with its last pair.
struct PairGroupData {
  const Group* groups;
  const StagedNode* ids;
  std::int32_t *n, *m;
  std::int32_t *base, *pitch;  ///< of the pair's scan table
  float* task_success;
  float *cls_query_length, *cls_reference_length;
};

/// Holds a pair that all lanes score together.
struct LongTask {
  const Node *reference, *query;
  ScanTable table;
  kernels::PairInputs<kernels::ScalarOps> inputs;
};

/// Paths of a group, one per lane, and how they are placed among `positions`: `front` fillers, the
/// path, then fillers up to the end.
struct Paths {
  const Node* const* path;
  const std::int32_t *length, *front;
  const Node* filler;
  const Node* viewpoints;  ///< of each lane's scan
  std::int32_t positions;
};

/// Owns working memory that grows to the longest pair; one object per thread.
class Workspace {
 public:
  Workspace() = default;
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  ~Workspace();

  /// Returns at least that many bytes, 64-byte aligned. The contents are lost when it grows.
  void* rows(std::size_t bytes);
  void* query(std::size_t bytes);
  void* border(std::size_t bytes);

 private:
  void* grow(int use, std::size_t bytes);

  void* memory_[3] = {};
  std::size_t bytes_[3] = {};
};

struct KernelArguments {
  const float* distance;  ///< tables of all scans
  kernels::Rules rules;
};

/// Numbers of rows that kernels are compiled for. Common lengths have an exact match, since a
/// padded row costs as much as a real one. Longer references are cut into strips of the last
/// number.
#ifdef WARPATH_FEW_SHAPES  // a quick build, see WARPATH_QUICK
inline constexpr int row_shapes[] = {6, 10, 14, 20};
#else
inline constexpr int row_shapes[] = {4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20};
#endif
inline constexpr int shape_strips = sizeof row_shapes / sizeof *row_shapes;
inline constexpr int shape_single_pair = -1;  ///< no group kernel: each pair is scored alone

/// Views a reference's own table: its distances to every viewpoint of its scan. The entry of its
/// viewpoint i and of viewpoint v is v * pitch + pitch − |R| + i, with +inf in front.
struct ReferenceTable {
  const float* distance;
  int pitch;  ///< a multiple of shared_unit
};
inline constexpr int shared_unit = 8;
/// Returns the floats that the table of a scan of so many viewpoints takes.
WARPATH_CONSTEXPR std::size_t shared_entries(int viewpoints, int pitch) {
  return static_cast<std::size_t>((viewpoints + max_lanes - 1) / max_lanes * max_lanes) * pitch;
}

/// Pitch of the tables that score_shared reads: the viewpoints that their references may have.
inline constexpr int shared_pitch = 16;
WARPATH_CONSTEXPR int shared_shape(int n) {
  return n <= 8 ? 8 : n <= 12 ? 12 : 16;
}

/// Describes random walks of one reference that are scored together.
struct WalkTask {
  kernels::WalkGraph graph;
  const kernels::StepTable* steps;
  kernels::WalkNumbers<kernels::ScalarLanes> walks;  ///< seed and upper half; `low` is not read
  const std::uint32_t* numbers;                      ///< lower halves, filled up to whole groups
  std::uint32_t start;                               ///< see kernels::WalkGraph::next
  ReferenceTable reference;                          ///< of walk_pitch(inputs.n)
  kernels::PairInputs<kernels::ScalarOps> inputs;    ///< `m` is not read
};

/// Numbers of rows that kernels of walks are compiled for, as row_shapes.
#ifdef WARPATH_FEW_SHAPES  // a quick build, see WARPATH_QUICK
inline constexpr int walk_shapes[] = {8, 12, 18};
#else
inline constexpr int walk_shapes[] = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18};
#endif
inline constexpr int walk_shape_count = sizeof walk_shapes / sizeof *walk_shapes;
inline constexpr int walk_strip = walk_shapes[walk_shape_count - 1];
WARPATH_CONSTEXPR int walk_pitch(int n) {
  // Whole quads are loaded, so that the first strip reads entries in front of its rows.
  constexpr int in_front = (walk_strip + 3) / 4 * 4 - walk_strip;
  const int rows = in_front + (n + walk_strip - 1) / walk_strip * walk_strip;
  return (rows + shared_unit - 1) / shared_unit * shared_unit;
}

/// Cell that counts what is no value, or not added up quickly.
inline constexpr int unused_cell = Histogram::max_cells;

/// Holds what was added up of a column: fewer than 2^32 values.
struct ColumnSums {
  kernels::Int128 sum = 0, squares = 0;  ///< in units of the grid
  float minimum = std::numeric_limits<float>::infinity(), maximum = -minimum;
  std::uint32_t cells[4][unused_cell + 1] = {};  ///< four counts for each cell
};
/// Holds how often each small integer occurred. The last counts other values.
struct IntegerCounts {
  std::uint32_t times[4][kernels::small_integers + 1] = {};  ///< four counts for each
};

/// Holds the kernels of random walks of one instruction set. They have units of their own, so that
/// they compile beside the others.
struct WalkKernels {
  /// Chooses the number of steps of `count` walks, whose numbers are filled up to whole groups.
  void (*draw_steps)(const WalkTask&, std::size_t count, std::uint32_t* steps);
  /// Makes and scores groups of walks; walk k of them is entry k. It writes whole groups.
  void (*score)(const KernelArguments&, const WalkTask&, std::size_t groups, Workspace&,
                const ResultView&);
};

/// These exist as those of CpuKernels do.
extern const WalkKernels avx512_walks, avx2_walks, portable_walks;

struct RewardKernels;  // reward_kernels.hpp

/// Holds the kernels of one instruction set.
struct CpuKernels {
  const char* name;
  int lanes;  ///< pairs in a group
  /// Interleaves paths: out[position][lane]. Returns whether all their viewpoints exist in their
  /// scans.
  bool (*stage_paths)(const Paths&, StagedNode* out);
  /// Scores group number g.
  void (*score_group)(const KernelArguments&, const PairGroupData&, std::size_t g, Workspace&,
                      const ResultView&);
  /// Fills a reference's own table (see ReferenceTable) from its rows of the scan's table. @pre The
  /// scan's table is symmetric. `table` has shared_entries(viewpoints, pitch) floats.
  void (*fill_shared)(const float* const* rows, int n, int viewpoints, int pitch, float* table);
  /// Scores a group whose pairs all have the reference of `table`, whose pitch is shared_pitch. May
  /// be null.
  void (*score_shared)(const KernelArguments&, const PairGroupData&, std::size_t g,
                       const float* table, Workspace&, const ResultView&);
  /// Scores one pair with all lanes; the result is entry p.
  void (*score_long)(const KernelArguments&, const LongTask&, std::size_t p, Workspace&,
                     const ResultView&);
  void (*score_points)(const KernelArguments&, const PointTask&, std::size_t p, Workspace&,
                       const ResultView&);
  const WalkKernels* walks;
  const RewardKernels* rewards;
  // The next three return whether all values were added; those that were not are finite or
  // infinite.
  bool (*add_fractions)(const float* values, std::size_t count, ColumnSums&);
  bool (*add_lengths)(const float* values, std::size_t count, ColumnSums&);
  bool (*count_integers)(const float* values, std::size_t count, IntegerCounts&);
};

/// Each exists if the build has it: WARPATH_HAS_AVX512, … (cmake/instruction_sets.cmake).
extern const CpuKernels avx512, avx2, portable;

/// Returns the kernels of this build that this CPU can run, the fastest first.
/// @throws UsageError if there are none
std::vector<const CpuKernels*> usable_kernels();

/// Returns the fastest kernels that this CPU can run, or those that the environment variable
/// WARPATH_ISA names. @throws UsageError if this CPU cannot run what it names.
const CpuKernels& chosen_kernels();

}  // namespace warpath::cpu
