#include "host/checks/selftest/primitives.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "host/checks/random.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/philox.hpp"
#include "kernels/sweep/exp.hpp"
#include "kernels/sweep/sum.hpp"

namespace warpath::selftest {

using namespace checks;

namespace {

using Word = std::uint32_t;

constexpr const char* names[] = {"load, store",
                                 "real",
                                 "select",
                                 "min",
                                 "min3",
                                 "max",
                                 "+ - * /",
                                 "fma",
                                 "sqrt",
                                 "to_real",
                                 "shifted_pow2",
                                 "exp_nonpositive",
                                 "Sum",
                                 "shift_up",
                                 "from_last",
                                 "last",
                                 "gather",
                                 "border, store_border",
                                 "border's neighbours",
                                 "< <= > >= ==",
                                 "integers",
                                 "bits",
                                 "shift_up of bits",
                                 "rank",
                                 "highest",
                                 "load_transposed",
                                 "philox",
                                 "multiply",
                                 "any",
                                 "gather of words",
                                 "choose"};
static_assert(std::size(names) == primitive_count);

Word word(float x) {
  return std::bit_cast<Word>(x);
}
float real(Word w) {
  return std::bit_cast<float>(w);
}

// ---------------------------------------------------------------- expected results

// The kernels' minimum and maximum return the second operand if both are equal or one is NaN.
float least(float a, float b) {
  return a < b ? a : b;
}
float most(float a, float b) {
  return a > b ? a : b;
}

float expected_sum(float a, float b, float c) {
  kernels::Sum<kernels::ScalarLanes> sum{0.0f, 0.0f};
  for (const float x : {a, b, c}) sum.add(x);
  return sum.high;
}

float expected_calculation(Primitive p, const Arguments& in, int l) {
  const float a = in.a[l], b = in.b[l], c = in.c[l];
  switch (p) {
    case lane_select:
      return in.mask[l] ? a : b;
    case lane_min:
      return least(a, b);
    case lane_min3:
      return least(least(a, b), c);
    case lane_max:
      return most(a, b);
    case lane_arithmetic:
      return (a + b) * c - a / b;
    case lane_fma:
      return std::fma(a, b, c);
    case lane_sqrt:
      return std::sqrt(a);
    case lane_to_real:
      return static_cast<float>(in.i[l]);
    case lane_pow2:
      return std::ldexp(1.0f, static_cast<int>(in.integer_in_low_bits[l] - 0x1.8p23f));
    case lane_exp:
      return kernels::exp_nonpositive<kernels::ScalarLanes>(in.not_positive[l]);
    default:
      return expected_sum(a, b, c);
  }
}

float expected_move(Primitive p, const Arguments& in, const PrimitiveShape& s, int l) {
  const bool one_pair = s.w > 1;
  const float last = in.a[s.lanes - 1];
  switch (p) {
    case lane_load:
      return in.a[l];
    case lane_real:
      return in.b[0];
    case lane_shift_up:
      return one_pair && l > 0 ? in.a[l - 1] : in.b[0];
    case lane_from_last:
      return one_pair ? last : in.a[l];
    case lane_last:
      return last;
    case lane_gather:
      return in.table[in.i[l] & (gather_size - 1)];
    case lane_border:
      if (!one_pair) return in.a[l];
      return in.mask[s.lanes - 1] ? last : in.c[0];
    default:
      return in.c[0];
  }
}

Word expected_comparisons(float a, float b, int i, int j, int j0) {
  const bool is[] = {a<b, a <= b, a> b, a >= b, a == b, i < j, i == j, i >= j0};
  Word bits = 0;
  for (std::size_t k = 0; k < std::size(is); ++k) bits |= Word{is[k]} << k;
  return bits;
}

Word expected_transposed(const Arguments& in, int l) {
  Word folded = 0;
  const float* row = in.table + (in.i[l] & (transposed_ids - 1)) * transposed_pitch;
  for (int k = 0; k < transposed_rows; ++k) folded = folded * 31 + word(row[k]);
  return folded;
}

bool expected_any(const Arguments& in, const PrimitiveShape& s) {
  bool any = false;
  for (int l = 0; l < s.lanes; ++l) any = any || (in.mask[l] != 0 && in.i[l] < 0);
  return any;
}

Word expected_philox(const Arguments& in, int l) {
  const auto words = kernels::philox({in.u[l], in.v[l], in.u[1], in.v[1]}, {in.u[0], in.v[0]});
  return (words[0] * 3 + words[1]) ^ (words[2] * 5 + words[3]);
}

// Draws words of eight bits until one decides without bias, as kernels/walks/walk.hpp says.
Word expected_choice(const Arguments& in, int l) {
  const Word count = in.u[l] & 15;
  if (count == 0) return 0;
  Word word = in.v[l];
  for (Word attempt = 1; (word >> 24) * count % 256 < 256 % count; ++attempt) {
    word = kernels::philox({in.u[l], in.v[2], in.u[3], attempt}, {in.u[0], in.v[0]})[0];
  }
  return (word >> 24) * count / 256;
}

Word expected_word(Primitive p, const Arguments& in, const PrimitiveShape& s, int l) {
  const Word u = in.u[l], v = in.v[l];
  const bool one_pair = s.w > 1;
  switch (p) {
    case lane_compare:
      return expected_comparisons(in.a[l], in.b[l], in.i[l], in.j[l], in.j[0]);
    case lane_integers:
      return static_cast<Word>((in.i[l] + in.j[l]) * 3 - (in.j[l] & 255)) + (u >> 4);
    case lane_bits:
      return ((u & v) | (u >> 7) | (v << 5)) ^ ~(u + v);
    case lane_shift_up_bits:
      return one_pair && l > 0 ? in.u[l - 1] : in.v[0];
    case lane_load_transposed:
      return expected_transposed(in, l);
    case lane_philox:
      return expected_philox(in, l);
    case lane_multiply:
      return static_cast<Word>(std::uint64_t{u} * v >> 32) * 3 + u * v;
    case lane_any:
      return expected_any(in, s);
    case lane_gather_words:
      return in.u[in.i[l] & (s.lanes - 1)];
    case lane_choose:
      return expected_choice(in, l);
    case lane_rank:
      return one_pair ? static_cast<Word>(l) : 0;
    default:
      return static_cast<Word>(one_pair ? in.i[0] : *std::max_element(in.i, in.i + s.lanes));
  }
}

bool is_move(Primitive p) {
  return p == lane_load || p == lane_real || (p >= lane_shift_up && p < real_primitives);
}

bool is_right(Primitive p, Word got, const Arguments& in, const PrimitiveShape& s, int l) {
  if (p >= real_primitives) return got == expected_word(p, in, s, l);
  const float expected = is_move(p) ? expected_move(p, in, s, l) : expected_calculation(p, in, l);
  return got == word(expected) || (std::isnan(expected) && std::isnan(real(got)));
}

// ---------------------------------------------------------------- operands

// Returns a value of any magnitude; one in 16 is special.
float any_real(Random& random) {
  using Limits = std::numeric_limits<float>;
  const float special[] = {0.0f,
                           -0.0f,
                           1.0f,
                           Limits::infinity(),
                           -Limits::infinity(),
                           Limits::quiet_NaN(),
                           Limits::denorm_min(),
                           Limits::max()};
  if (random.below(16) == 0) return special[random.below(std::size(special))];
  const auto exponent = static_cast<int>(random.below(60)) - 30;
  return std::ldexp(static_cast<float>(random.between(-2.0, 2.0)), exponent);
}

Arguments random_arguments(Random& random) {
  Arguments in;
  for (int l = 0; l < max_lanes; ++l) {
    for (float* x : {in.a, in.b, in.c}) x[l] = any_real(random);
    // Equal values are frequent, as among distances.
    if (random.below(4) == 0) in.b[l] = in.a[l];
    in.not_positive[l] =
        random.below(8) == 0 ? -std::abs(in.b[l]) : static_cast<float>(random.between(-100.0, 0.0));
    if (std::isnan(in.not_positive[l])) in.not_positive[l] = -0.0f;
    in.integer_in_low_bits[l] = 0x1.8p23f + static_cast<float>(random.below(253)) - 126.0f;
    in.i[l] = static_cast<std::int32_t>(random.below(1 << 28)) - (1 << 27);
    in.j[l] = random.below(4) == 0 ? in.i[l] : static_cast<std::int32_t>(random.below(1 << 28));
    in.mask[l] = random.below(2) == 0 ? 0 : -1;
    in.u[l] = static_cast<Word>(random.below(std::uint64_t{1} << 32));
    in.v[l] = static_cast<Word>(random.below(std::uint64_t{1} << 32));
  }
  for (float& x : in.table) x = any_real(random);
  if (std::isnan(in.c[0])) in.c[0] = 0.5f;  // values beyond a border are read with max
  return in;
}

}  // namespace

std::vector<PrimitiveCheck> check_primitives(const PrimitiveUnit& unit, std::uint64_t seed) {
  constexpr int rounds = 2000;
  Random random(seed);
  std::vector<PrimitiveCheck> checks;
  for (int p = 0; p < primitive_count; ++p) {
    checks.push_back({static_cast<Primitive>(p), names[p], 0, 0});
  }
  Results got;
  for (int round = 0; round < rounds; ++round) {
    const Arguments in = random_arguments(random);
    for (const PrimitiveShape& shape : unit.shapes) {
      shape.apply(in, got);
      for (PrimitiveCheck& check : checks) {
        for (int l = 0; l < shape.lanes; ++l) {
          ++check.lanes;
          if (!is_right(check.primitive, got.word[check.primitive][l], in, shape, l)) ++check.wrong;
        }
      }
    }
  }
  return checks;
}

double exp_error(std::uint64_t seed) {
  constexpr int rounds = 200'000;
  Random random(seed);
  double worst = 0.0;
  for (int k = 0; k < rounds; ++k) {
    const auto x = static_cast<float>(random.between(-87.0, 0.0));
    const double exact = std::exp(static_cast<double>(x));
    const double got = kernels::exp_nonpositive<kernels::ScalarLanes>(x);
    worst = std::max(worst, std::abs(got - exact) / exact);
  }
  return worst;
}

}  // namespace warpath::selftest
