#pragma once

#include "host/checks/selftest/primitives.hpp"
#include "kernels/lanes/scalar_lanes.hpp"
#include "kernels/lanes/simd_lanes.hpp"
#include "kernels/sweep/exp.hpp"
#include "kernels/sweep/sum.hpp"
#include "kernels/walks/walk.hpp"

// Defines the body of primitives_SET.cpp.in.

namespace warpath::selftest {
namespace {

using kernels::SimdLanes;

template <class L, class R>
void put(Results& out, Primitive p, const R& value) {
  using T = std::remove_cvref_t<decltype(L::last(value))>;
  T lane[L::Lanes];
  L::store(lane, value);
  __builtin_memcpy(out.word[p], lane, sizeof lane);
}

template <class L>
void apply_borders(const Arguments& in, Results& out) {
  // Three columns, of which the middle one is written.
  float column[3 * L::Lanes];
  for (float& x : column) x = in.c[0];
  L::store_border(column, 1, L::load(in.mask), L::load(in.a));
  put<L>(out, lane_border, L::template border<float>(column, 1));
  put<L>(out, lane_beside_border,
         L::max(L::template border<float>(column, 0), L::template border<float>(column, 2)));
}

template <class L>
void apply_moves(const Arguments& in, Results& out) {
  const auto a = L::load(in.a);
  const auto i = L::load(in.i);
  put<L>(out, lane_load, a);
  put<L>(out, lane_real, L::real(in.b[0]));
  put<L>(out, lane_shift_up, L::shift_up(a, L::real(in.b[0])));
  put<L>(out, lane_shift_up_bits, L::shift_up(L::load(in.u), L::bits(in.v[0])));
  put<L>(out, lane_from_last, L::from_last(a));
  put<L>(out, lane_last, L::real(L::last(a)));
  put<L>(out, lane_gather, L::gather(in.table, i & (gather_size - 1)));
  put<L>(out, lane_rank, L::rank());
  // If all lanes share a pair, its length is the same in each.
  const auto length = L::W > 1 ? L::integer(in.i[0]) : i;
  put<L>(out, lane_highest, L::integer(L::highest(length)));
}

// Folds twelve values of each lane to one.
template <class L>
void apply_transposed(const Arguments& in, Results& out) {
  int id[L::Lanes];
  for (int l = 0; l < L::Lanes; ++l) id[l] = in.i[l] & (transposed_ids - 1);
  typename L::F d[transposed_rows];
  L::template load_transposed<transposed_rows>(in.table, id, transposed_pitch, d);
  std::uint32_t folded[L::Lanes] = {}, lane[L::Lanes];
  for (const auto& row : d) {
    L::store(reinterpret_cast<float*>(lane), row);
    for (int l = 0; l < L::Lanes; ++l) folded[l] = folded[l] * 31 + lane[l];
  }
  __builtin_memcpy(out.word[lane_load_transposed], folded, sizeof folded);
}

template <class L>
void apply_reals(const Arguments& in, Results& out) {
  const auto a = L::load(in.a), b = L::load(in.b), c = L::load(in.c);
  put<L>(out, lane_select, L::select(L::load(in.mask), a, b));
  put<L>(out, lane_min, L::min(a, b));
  put<L>(out, lane_min3, L::min3(a, b, c));
  put<L>(out, lane_max, L::max(a, b));
  put<L>(out, lane_arithmetic, (a + b) * c - a / b);
  put<L>(out, lane_fma, L::fma(a, b, c));
  put<L>(out, lane_sqrt, L::sqrt(a));
  put<L>(out, lane_to_real, L::to_real(L::load(in.i)));
  put<L>(out, lane_pow2, L::shifted_pow2(L::load(in.integer_in_low_bits)));
  put<L>(out, lane_exp, kernels::exp_nonpositive<L>(L::load(in.not_positive)));
  kernels::Sum<L> sum{L::real(0.0f), L::real(0.0f)};
  sum.add(a);
  sum.add(b);
  sum.add(c);
  put<L>(out, lane_sum, sum.high);
}

template <class L>
void apply_words(const Arguments& in, Results& out) {
  const auto a = L::load(in.a), b = L::load(in.b);
  const auto i = L::load(in.i), j = L::load(in.j);
  const auto u = L::load(in.u), v = L::load(in.v);
  put<L>(out, lane_compare,
         ((a < b) & 1) | ((a <= b) & 2) | ((a > b) & 4) | ((a >= b) & 8) | ((a == b) & 16) |
             ((i < j) & 32) | ((i == j) & 64) | ((i >= in.j[0]) & 128));
  put<L>(out, lane_integers, (i + j) * 3 - (j & 255) + L::to_integer(u >> 4));
  put<L>(out, lane_bits, ((u & v) | (u >> 7) | (v << 5)) ^ ~(u + v));
}

// Words of eight bits are drawn again often enough to be seen.
template <class L>
void apply_draws(const Arguments& in, Results& out) {
  const auto u = L::load(in.u), v = L::load(in.v);
  const kernels::PhiloxKey seed{in.u[0], in.v[0]};
  typename L::B words[4] = {u, v, L::bits(in.u[1]), L::bits(in.v[1])};
  L::philox(words, seed);
  put<L>(out, lane_philox, (words[0] * 3 + words[1]) ^ (words[2] * 5 + words[3]));
  typename L::B high, low;
  L::multiply(u, v, high, low);
  put<L>(out, lane_multiply, high * 3 + low);
  put<L>(out, lane_any, L::integer(L::any(L::load(in.mask) & (L::load(in.i) < 0)) ? 1 : 0));
  put<L>(out, lane_gather_words, L::gather(in.u, L::load(in.i) & (L::Lanes - 1)));
  const kernels::ExactChoices<L, kernels::ScalarLanes, 8> choices;
  put<L>(out, lane_choose, choices.choose({u, in.v[2], seed}, in.u[3], v, u & 15));
}

template <class L>
void apply(const Arguments& in, Results& out) {
  apply_moves<L>(in, out);
  apply_borders<L>(in, out);
  apply_transposed<L>(in, out);
  apply_reals<L>(in, out);
  apply_words<L>(in, out);
  apply_draws<L>(in, out);
}

template <int W, int Lanes>
constexpr PrimitiveShape shape() {
  return {W, Lanes, apply<SimdLanes<W, Lanes>>};
}

constexpr PrimitiveUnit make_unit(const char* isa) {
  constexpr int v = kernels::vector_bytes / 4;
  return {isa, {shape<1, v>(), shape<v, v>(), shape<4, 4>(), shape<32, 32>()}};
}

}  // namespace
}  // namespace warpath::selftest
