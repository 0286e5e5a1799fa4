#pragma once

#include <cstdint>

#include "kernels/bodies/point_rows.hpp"
#include "kernels/host_device.hpp"
#include "kernels/sweep/layout.hpp"
#include "kernels/sweep/quantities.hpp"
#include "kernels/views/pairs.hpp"
#include "kernels/views/points.hpp"

// Gives distances to the sweep on the device (see Rows and Query in sweep.hpp). This code has no
// device instruction, so the tests run it on the host. The CPU has its own rows
// (host/core/cpu/kernel_rows.hpp): a register there holds as many pairs or columns as it has lanes,
// so paths are staged side by side and a look-up is a gather, while a thread here reads a path as
// it was uploaded.

namespace warpath::kernels {

/// Asks for the line of an address to be brought nearer, without waiting for it. The host does not.
WARPATH_HD void prefetch([[maybe_unused]] const void* address) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
#endif
}

/// Looks distances up in a scan's table in global memory: at(row(a) + column(b)) is d(a, b). Each
/// table chooses the unit of its rows and columns: here bytes, which take the fewest instructions.
struct PlainTable {
  const float* first;
  std::int32_t pitch;

  WARPATH_HD std::uint32_t column(std::uint32_t node) const { return 4 * node; }
  WARPATH_HD std::uint32_t row(std::uint32_t node) const { return 4 * node * pitch; }
  WARPATH_HD const float* address(std::uint32_t offset) const {
    return reinterpret_cast<const float*>(reinterpret_cast<const char*>(first) + offset);
  }
  WARPATH_HD float at(std::uint32_t offset) const { return *address(offset); }
};

WARPATH_HD PlainTable plain_table(const BatchView& batch, std::uint32_t scan) {
  const ScanTable place = batch.scans[scan];
  return {batch.distance + place.base, place.pitch};
}

/// Reads the reference of one lane of a tile, which is stored padded and aligned.
struct TileReference {
  const std::uint16_t* ids;
  WARPATH_HD std::uint32_t node(int, int i) const { return ids[i * tile_pairs]; }
};

/// Reads a reference where the caller has it, for a group of lanes.
struct PathReference {
  IntegerArray ids;
  int pad;
  WARPATH_HD std::uint32_t node(int first, int i) const {
    return first + i < 0 ? pad : ids.small(static_cast<std::uint32_t>(first + i));
  }
};

/// Takes distances from a scan's table: one look-up per cell.
template <class L, int K, class Table, class Reference>
struct TableRows {
  Table table;
  Reference reference;
  std::uint32_t column_of[K];

  WARPATH_HD void load(int first, int) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      column_of[i] = table.column(reference.node(first, i));
    }
  }
  WARPATH_HD void column(std::uint32_t node, float (&d)[K]) const {
    const std::uint32_t row = table.row(node);
    WARPATH_UNROLL for (int i = 0; i < K; ++i) d[i] = table.at(row + column_of[i]);
  }
  // Only the last rank's sum is used.
  WARPATH_HD float between(std::uint32_t a, std::uint32_t b) const {
    return L::rank() == L::W - 1 ? table.at(table.row(a) + table.column(b)) : 0.0f;
  }
};

struct alignas(16) Quad {
  float value[4];
};

/// Takes distances from a reference's own table, whose row v is its K distances to viewpoint v. One
/// load of 16 bytes replaces four look-ups.
///
///   K = 12:  v = 0   d(0, r0) … d(0, r11)          3 units of 16 bytes each
///            v = 1   d(1, r0) … d(1, r11)
template <int K>
struct ReferenceRows {
  static constexpr std::uint32_t units = own_table_pitch(K);

  const Quad* own;
  PlainTable table;  // for steps of the query

  WARPATH_HD void load(int, int) {}
  WARPATH_HD void column(std::uint32_t node, float (&d)[K]) const {
    static_assert(K % 4 == 0);
    WARPATH_UNROLL for (int u = 0; u < K / 4; ++u) {
      const Quad quad = own[node * units + u];
      WARPATH_UNROLL for (int i = 0; i < 4; ++i) d[4 * u + i] = quad.value[i];
    }
  }
  WARPATH_HD float between(std::uint32_t a, std::uint32_t b) const {
    return table.at(table.row(a) + table.column(b));
  }
};

/// Holds what depends on a reference and a viewpoint of a query alone.
struct alignas(8) KnownColumn {
  float minimum;            ///< of the distances to all rows
  std::uint32_t zero_rows;  ///< bit 32 − K + i is set if row i is that viewpoint
};
static_assert(2 * sizeof(KnownColumn) == sizeof(Quad));

/// Takes distances from a reference's own table in replicated rows (see replicated_units). A load
/// of 16 bytes meets no bank conflicts: four cycles of a warp instead of ten.
///
///   lane        0 1 2 … 7   8 9 … 15   16 … 31
///   quad copy   0 1 2 … 7   0 1 …  7    0 …  7     any rows: 8 lanes read all 32 banks
///   known copy  0 1 2 … 7   8 9 … 15    0 … 15     16 lanes read all 32 banks
template <int K, unsigned Quantities>
struct ReplicatedRows {
  static constexpr int quads = replicated_units(K, false);
  static constexpr int units = replicated_units(K, uses_known_columns(Quantities));

  const Quad* own;
  PlainTable table;  // for steps of the query
  std::uint32_t lane;

  WARPATH_HD void load(int, int) {}
  WARPATH_HD void column(std::uint32_t node, float (&d)[K]) const {
    const Quad* row = own + lane % row_copies + node * (units * row_copies);
    WARPATH_UNROLL for (int u = 0; u < quads; ++u) {
      const Quad quad = row[u * row_copies];
      WARPATH_UNROLL for (int i = 0; i < 4; ++i) d[4 * u + i] = quad.value[i];
    }
  }
  WARPATH_HD KnownColumn known(std::uint32_t node) const {
    static_assert(units > quads);
    const Quad* unit = own + (node * units + quads) * row_copies;
    return reinterpret_cast<const KnownColumn*>(unit)[lane % (2 * row_copies)];
  }
  WARPATH_HD float between(std::uint32_t a, std::uint32_t b) const {
    return table.at(table.row(a) + table.column(b));
  }
};

/// Reads the query of one lane of a tile.
template <int C>
struct TileQuery {
  const std::uint16_t* ids;
  WARPATH_HD std::uint32_t node(int t, int c) const {
    constexpr std::size_t step = C * tile_pairs;
    std::uint32_t node = ids[static_cast<std::uint32_t>(t) * step + c * tile_pairs];
    WARPATH_KEEP(node);
    return node;
  }
};

/// Reads a query where the caller has it; each lane reads its own column.
template <class L, int C>
struct PathQuery {
  IntegerArray ids;
  int m;
  WARPATH_HD std::uint32_t node(int t, int c) const {
    return ids.small(static_cast<std::uint32_t>(query_index((t - L::rank()) * C + c, m)));
  }
};

/// Reads a query of prepared points; each lane reads its own column.
template <class L, int C>
struct PointPathQuery {
  const DevicePoint* points;
  int m;
  WARPATH_HD DevicePoint node(int t, int c) const {
    return points[query_index((t - L::rank()) * C + c, m)];
  }
};

/// Computes distances from the prepared points of a continuous path. Padding rows lie at
/// padding_coordinate and have their own id.
template <class L, int K>
struct DevicePointRows {
  const DevicePoint* path;
  float x[K], y[K], z[K];
  std::int32_t id[K];

  WARPATH_HD void load(int first, int) {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      const bool pad = first + i < 0;
      const DevicePoint p = path[pad ? 0 : first + i];
      x[i] = pad ? padding_coordinate : p.x;
      y[i] = p.y;
      z[i] = p.z;
      id[i] = pad ? -1 : p.id;
    }
  }
  WARPATH_HD void column(const DevicePoint& q, float (&d)[K]) const {
    WARPATH_UNROLL for (int i = 0; i < K; ++i) {
      d[i] = squared_length<L>(x[i] - q.x, y[i] - q.y, z[i] - q.z);
    }
    L::square_roots(d);
  }
  /// Returns a word whose bit i is set if row i is the same point as q, however close others lie.
  WARPATH_HD typename L::B same(const DevicePoint& q) const { return equal_rows<L>(id, q.id); }
};

}  // namespace warpath::kernels
