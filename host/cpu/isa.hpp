#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/finish.hpp"
#include "warpath/graph.hpp"

// The border between the back end, compiled for any CPU, and the kernels, compiled once for each
// instruction set. Plain data only: nothing inline here may be emitted by an AVX unit and then be
// linked into code that runs without AVX.

namespace warpath::cpu {

/// Where a scan's distances lie: entry (a, b) is at base + a * pitch + b; column `pad` is +inf.
struct ScanTable {
  std::int32_t base, pitch, pad;
};

/// Pairs in the order in which they are scored, an array per field, so that a group of lanes loads
/// its fields as registers. `slack` entries behind the last are valid too: they repeat it.
struct Tasks {
  const Node **reference, **query;
  std::int32_t *n, *m;
  std::int32_t *base, *pitch, *pad;  ///< of the pair's scan table
  float *reference_length, *start_to_goal, *task_success;
  float *cls_query_length, *cls_reference_length;
};

/// Two continuous paths: coordinates one axis after the other, metres, relative to a common origin.
/// What the host has measured in double takes the place of the sweep's own value.
struct PointTask {
  const float *reference[3], *query[3];
  /// Equal where coordinates are identical in double; read only where the edit distance is swept.
  const std::int32_t *reference_id, *query_id;
  std::int32_t n, m;
  std::int32_t edits;           ///< ED where it is known, else −1: the sweep counts
  float goal, nearest, first;   ///< to the goal from the query's last, nearest and first point
  float query_length, reference_length, start_to_goal, task_success;
};

/// Where entry p's results go: column[metric][p], or nowhere where the column is null. A group
/// writes a whole register: `slack` entries behind the last are overwritten.
struct Outputs {
  float* column[metric_count];
  std::uint32_t* flags;
};
inline constexpr std::size_t slack = 16;

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

struct Job {
  const float* distance;  ///< all scans' tables
  kernels::Rules rules;
  unsigned want;          ///< bits of kernels::Want
};

/// A reference's own table holds its distances to every viewpoint of its scan: row i of the
/// reference and viewpoint v at v * shared_pitch + shared_shape(|R|) − |R| + i, +inf in front.
inline constexpr int shared_pitch = 16;
constexpr int shared_shape(int n) { return n <= 8 ? 8 : n <= 12 ? 12 : 16; }

/// The kernels of one instruction set. Each scores pairs from number p on and writes their results
/// from entry p on.
struct Isa {
  const char* name;
  int lanes;  ///< pairs in a group
  /// A group of pairs side by side.
  void (*score_group)(const Job&, const Tasks&, std::size_t p, Workspace&, const Outputs&);
  /// A group whose pairs all have the reference of `table`, |R| <= shared_pitch; or null.
  void (*score_shared)(const Job&, const Tasks&, std::size_t p, const float* table, Workspace&,
                       const Outputs&);
  /// One pair with all lanes on it.
  void (*score_long)(const Job&, const Tasks&, std::size_t p, Workspace&, const Outputs&);
  void (*score_points)(const Job&, const PointTask&, std::size_t p, Workspace&, const Outputs&);
};

extern const Isa avx512, avx2, portable;

/// The best that this CPU has, or what the environment variable WARPATH_ISA names.
/// @throws UsageError where it names none, or one that this CPU has not.
const Isa& chosen_isa();

}  // namespace warpath::cpu
