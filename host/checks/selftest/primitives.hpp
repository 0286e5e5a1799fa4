#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

// Checks each operation of every lane policy against plain scalar code. This header is the
// interface between the units compiled for one instruction set each, which apply the operations,
// and the code that checks them: plain data only.

namespace warpath::selftest {

/// Names the operations; those that return a real come first.
enum Primitive : int {
  lane_load,
  lane_real,
  lane_select,
  lane_min,
  lane_min3,
  lane_max,
  lane_arithmetic,
  lane_fma,
  lane_sqrt,
  lane_to_real,
  lane_pow2,
  lane_exp,
  lane_sum,
  lane_shift_up,
  lane_from_last,
  lane_last,
  lane_gather,
  lane_border,
  lane_beside_border,
  lane_compare,
  lane_integers,
  lane_bits,
  lane_shift_up_bits,
  lane_rank,
  lane_highest,
  lane_load_transposed,
  lane_philox,
  lane_multiply,
  lane_any,
  lane_gather_words,
  lane_choose,
  primitive_count
};
inline constexpr int real_primitives = lane_compare, max_lanes = 32, gather_size = 64;

struct Arguments {
  float a[max_lanes], b[max_lanes], c[max_lanes];
  float not_positive[max_lanes];         ///< operands of exp
  float integer_in_low_bits[max_lanes];  ///< operands of 2^k
  std::int32_t i[max_lanes], j[max_lanes], mask[max_lanes];
  std::uint32_t u[max_lanes], v[max_lanes];
  float table[gather_size];
};

/// load_transposed reads this many values for each lane, from every third entry of the table.
inline constexpr int transposed_rows = 12, transposed_pitch = 3, transposed_ids = 16;

/// Results of every lane, as bits.
struct Results {
  std::uint32_t word[primitive_count][max_lanes];
};

/// Describes a policy's shape: W lanes per pair, of `lanes` in a register.
struct PrimitiveShape {
  int w, lanes;
  void (*apply)(const Arguments&, Results&);
};

struct PrimitiveUnit {
  const char* isa;
  PrimitiveShape shapes[4];
};
extern const PrimitiveUnit avx512_primitives, avx2_primitives, portable_primitives;

/// Holds the result of one operation over all rounds, shapes and lanes of one instruction set.
struct PrimitiveCheck {
  Primitive primitive;
  const char* name;
  std::size_t lanes, wrong;
};
std::vector<PrimitiveCheck> check_primitives(const PrimitiveUnit& unit, std::uint64_t seed);

/// Returns the largest relative error of the kernels' exp against double, and its bound.
double exp_error(std::uint64_t seed);
inline constexpr double exp_error_allowed = 0x1p-22;

}  // namespace warpath::selftest
