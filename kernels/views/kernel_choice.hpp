#pragma once

#include <cstdint>

#include "kernels/views/shapes.hpp"

// Chooses the kernel of a pair from its lengths and its scan's size, and numbers the kernels.

namespace warpath::kernels {

/// Names the kernels that a pair may go to, in the order of their numbers.
enum class KernelId : std::uint32_t {
  shared_table,
  plain_table,
  shared_reference,
  replicated_reference,
  lanes_4,
  lanes_8,
  lanes_32,
  chain,
  lanes_8_shared_table,
  lanes_32_shared_table
};
WARPATH_CONSTEXPR bool in_tiles(KernelId t) {
  return t <= KernelId::replicated_reference;
}
static_assert(static_cast<int>(KernelId::replicated_reference) ==
                  static_cast<int>(TileKernel::replicated_reference) &&
              static_cast<int>(KernelId::plain_table) == static_cast<int>(TileKernel::plain_table));
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
/// Longest reference of a tile, of which only the goal's kernel takes one above 32.
inline constexpr int max_tile_reference = 65535;

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
  /// The largest K whose replicated rows fit into a block for every scan; 0 if references have too
  /// few queries for them.
  int max_replicated_rows = 0;
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
  const bool short_query = m <= max_tile_query && n <= max_tile_reference;
  if (s.set == QuantitySet::goal && short_query) return {KernelId::plain_table, 1, 0};
  // Indices that are known when this is compiled keep the policy out of a thread's local memory.
  static_assert(scan_sizes == 3);
  const int size = viewpoints <= s.max_viewpoints[0]   ? 0
                   : viewpoints <= s.max_viewpoints[1] ? 1
                   : viewpoints <= s.max_viewpoints[2] ? 2
                                                       : scan_sizes;
  TileKernel kernel = s.by_reference      ? TileKernel::shared_reference
                      : size < scan_sizes ? TileKernel::shared_table
                                          : TileKernel::plain_table;
  const int rows = tile_rows(kernel, s.set, n);
  if (s.by_reference && rows <= s.max_replicated_rows) kernel = TileKernel::replicated_reference;
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
inline constexpr std::uint32_t kernel_numbers = scan_sizes * FineRows::size + 3 * CoarseRows::size +
                                                1 + 4 + 2 * scan_sizes,
                               invalid_number = 62, inactive_number = 63;
static_assert(kernel_numbers <= invalid_number);

/// The first numbers of each kind:
///
///   0: shared_table     plain_numbers:       reference_numbers: shared_,    group_numbers:
///   by size, then rows  rows, then the goal  replicated_reference, by rows  lanes_4 … chain, then
///                                                                           … shared_table by size
inline constexpr int plain_numbers = scan_sizes * FineRows::size,
                     reference_numbers = plain_numbers + CoarseRows::size + 1,
                     group_numbers = reference_numbers + 2 * CoarseRows::size;

WARPATH_CONSTEXPR std::uint32_t number_of(const KernelChoice& choice) {
  constexpr int plain = plain_numbers, reference = reference_numbers, groups = group_numbers;
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
    case KernelId::replicated_reference:
      number = reference + CoarseRows::size + CoarseRows::index_of(choice.rows);
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
  constexpr std::uint32_t plain = plain_numbers, reference = reference_numbers,
                          groups = group_numbers;
  if (number < plain) return FineRows::at(number % FineRows::size);
  if (number + 1 == reference) return 1;  // the goal
  if (number < reference) return CoarseRows::at(number - plain);
  return number < groups ? CoarseRows::at((number - reference) % CoarseRows::size) : 0;
}

/// Tells whether the pairs of a number lie in tiles.
WARPATH_CONSTEXPR bool in_tiles(std::uint32_t number) {
  return rows_of(number) > 0;
}
/// Tells whether the pairs of a number are scored in slices, each for a table of its own.
WARPATH_CONSTEXPR bool in_slices(std::uint32_t number) {
  return in_tiles(number) ||
         (number < kernel_numbers && number >= number_of({KernelId::lanes_8_shared_table, 0, 0}));
}
/// Tells whether the pairs of a slice share a reference, and not only a scan.
WARPATH_CONSTEXPR bool by_reference(std::uint32_t number) {
  constexpr std::uint32_t first = reference_numbers, end = group_numbers;
  return number >= first && number < end;
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
