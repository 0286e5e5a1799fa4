#pragma once

#include <cstdint>

#include "kernels/bodies/shapes.hpp"

// Chooses the kernel of a pair from its lengths and its scan's size, and numbers the kernels.

namespace warpath::kernels {

/// Names the kernels that a pair may go to, in the order of their numbers.
enum class KernelId : std::uint32_t {
  shared_table,
  plain_table,
  shared_reference,
  lanes_4,
  lanes_8,
  lanes_32,
  chain,
  lanes_8_shared_table,
  lanes_32_shared_table
};
WARPATH_CONSTEXPR bool in_tiles(KernelId t) {
  return t <= KernelId::shared_reference;
}
constexpr TileKernel tile_kernel(KernelId t) {
  return static_cast<TileKernel>(t);
}
constexpr GroupShape group_shape(KernelId t) {
  if (t == KernelId::lanes_8_shared_table) return GroupShape::lanes_8;
  if (t == KernelId::lanes_32_shared_table) return GroupShape::lanes_32;
  return static_cast<GroupShape>(static_cast<std::uint32_t>(t) -
                                 static_cast<std::uint32_t>(KernelId::lanes_4));
}
WARPATH_CONSTEXPR bool has_scan_sizes(KernelId t) {
  return t == KernelId::shared_table || t >= KernelId::lanes_8_shared_table;
}

/// Scans are told apart by how many of their tables fit into the shared memory of a multiprocessor
/// at once, so that a large scan does not keep blocks of small ones away: four, two or one.
inline constexpr int scan_sizes = 3;

/// Longest query of a tile. Longer ones go to groups, because a tile has as many columns as its
/// longest query.
inline constexpr int max_tile_query = 1023;

/// Shortest reference for which groups load the scan's table into shared memory. Shorter ones go to
/// groups where a batch is small, so that a table would have few pairs.
inline constexpr int min_for_shared_table = 33;

/// Says how the pairs of a chunk are distributed to kernels.
struct DispatchPolicy {
  QuantitySet set;
  bool by_reference;     ///< queries of one reference go together and use its own table
  bool in_small_groups;  ///< too few pairs to fill the device with one thread each
  /// Viewpoints of the largest scan of each size, ascending. The last is that of the largest scan
  /// whose table fits into a block.
  std::uint32_t max_viewpoints[scan_sizes];
};

/// Names a kernel, the rows K of its tiles (0 in groups), and the size of its scans (0 where the
/// scan's table is not in shared memory).
struct KernelChoice {
  KernelId target;
  int rows, scan_size;
  friend constexpr bool operator==(const KernelChoice&, const KernelChoice&) = default;
};

/// Chooses the kernel of a pair by |R|, |Q| and its scan's number of viewpoints.
WARPATH_CONSTEXPR KernelChoice choose_kernel(const DispatchPolicy& s, int n, int m,
                                             std::uint32_t viewpoints) {
  const bool short_query = m <= max_tile_query && n < 65536;
  if (s.set == QuantitySet::goal && short_query) return {KernelId::plain_table, 1, 0};
  int size = 0;
  while (size < scan_sizes && viewpoints > s.max_viewpoints[size]) ++size;
  const TileKernel kernel = s.by_reference      ? TileKernel::shared_reference
                            : size < scan_sizes ? TileKernel::shared_table
                                                : TileKernel::plain_table;
  const int rows = tile_rows(kernel, s.set, n);
  if (rows > 0 && short_query && !s.in_small_groups) {
    return {static_cast<KernelId>(static_cast<std::uint32_t>(kernel)), rows,
            kernel == TileKernel::shared_table ? size : 0};
  }
  const GroupShape shape = group_shape(n, false);
  if (n >= min_for_shared_table && size < scan_sizes && has_shared_table_kernel(shape)) {
    return {shape == GroupShape::lanes_8 ? KernelId::lanes_8_shared_table
                                         : KernelId::lanes_32_shared_table,
            0, size};
  }
  return {static_cast<KernelId>(static_cast<std::uint32_t>(KernelId::lanes_4) +
                                static_cast<std::uint32_t>(shape)),
          0, 0};
}

/// Numbers of kernels, rows and scan sizes together, from 0 on; then those of pairs that no kernel
/// takes.
inline constexpr std::uint32_t kernel_numbers = scan_sizes * FineRows::size + 2 * CoarseRows::size +
                                                1 + 4 + 2 * scan_sizes,
                               invalid_number = 62, inactive_number = 63;
static_assert(kernel_numbers <= invalid_number);

///   shared_table        plain_table           shared_reference   lanes_4 … chain   … shared_table
///   by size, then rows  rows, then the goal   rows                                 by size
WARPATH_CONSTEXPR std::uint32_t number_of(const KernelChoice& choice) {
  constexpr int plain = scan_sizes * FineRows::size, reference = plain + CoarseRows::size + 1,
                groups = reference + CoarseRows::size;
  int number = 0;
  switch (choice.target) {
    case KernelId::shared_table:
      number = choice.scan_size * FineRows::size + FineRows::index_of(choice.rows);
      break;
    case KernelId::plain_table:
      number = plain + (choice.rows == 1 ? CoarseRows::size : CoarseRows::index_of(choice.rows));
      break;
    case KernelId::shared_reference:
      number = reference + CoarseRows::index_of(choice.rows);
      break;
    case KernelId::lanes_8_shared_table:
      number = groups + 4 + choice.scan_size;
      break;
    case KernelId::lanes_32_shared_table:
      number = groups + 4 + scan_sizes + choice.scan_size;
      break;
    default:
      number = groups + static_cast<int>(choice.target) - static_cast<int>(KernelId::lanes_4);
  }
  return static_cast<std::uint32_t>(number);
}

/// Returns the rows K of a number's tiles; 0 if it has none.
WARPATH_CONSTEXPR int rows_of(std::uint32_t number) {
  constexpr int fine[] = {6, 8, 10, 12, 14, 16, 20, 24, 32}, coarse[] = {8, 12, 16, 20, 1};
  constexpr std::uint32_t plain = scan_sizes * FineRows::size,
                          reference = plain + CoarseRows::size + 1,
                          groups = reference + CoarseRows::size;
  if (number < plain) return fine[number % FineRows::size];
  if (number < reference) return coarse[number - plain];
  return number < groups ? coarse[number - reference] : 0;
}

/// Tells whether the pairs of a number lie in tiles, and whether those of a slice share a reference
/// and not only a scan.
WARPATH_CONSTEXPR bool in_tiles(std::uint32_t number) {
  return rows_of(number) > 0;
}
/// Tells whether the pairs of a number are scored in slices, each for a table of its own.
WARPATH_CONSTEXPR bool in_slices(std::uint32_t number) {
  return in_tiles(number) ||
         (number < kernel_numbers && number >= number_of({KernelId::lanes_8_shared_table, 0, 0}));
}
WARPATH_CONSTEXPR bool by_reference(std::uint32_t number) {
  return number >= number_of({KernelId::shared_reference, 8, 0}) && in_tiles(number);
}

/// Returns what a number stands for. @pre number < kernel_numbers
constexpr KernelChoice choice_of(std::uint32_t number) {
  const int rows = rows_of(number);
  for (std::uint32_t target = 0;
       target <= static_cast<std::uint32_t>(KernelId::lanes_32_shared_table); ++target) {
    for (int size = 0; size < scan_sizes; ++size) {
      const KernelChoice choice{static_cast<KernelId>(target), rows, size};
      if (in_tiles(choice.target) != (rows > 0)) continue;
      if (size > 0 && !has_scan_sizes(choice.target)) continue;
      if (choice.target == KernelId::shared_table && !FineRows::has(rows)) continue;
      if (number_of(choice) == number) return choice;
    }
  }
  return {};
}

}  // namespace warpath::kernels
