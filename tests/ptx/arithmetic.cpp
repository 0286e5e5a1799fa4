#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "tests/ptx/table.hpp"

// What a thread does alone, in its registers.

namespace warpath::testing::ptx {
namespace {

template <class T, class R = T, class F>
Form unary(F) {
  return {.execute = [](Thread& t, I i) { t.set<R>(i.to[0], F{}(t.get<T>(i.from[0]))); },
          .results = 1,
          .operands = 1};
}

template <class T, class R = T, class F>
Form binary(F) {
  return {.execute = [](Thread& t,
                        I i) { t.set<R>(i.to[0], F{}(t.get<T>(i.from[0]), t.get<T>(i.from[1]))); },
          .results = 1,
          .operands = 2};
}

template <class T, class F>
Form ternary(F) {
  return {.execute =
              [](Thread& t, I i) {
                t.set<T>(i.to[0],
                         F{}(t.get<T>(i.from[0]), t.get<T>(i.from[1]), t.get<T>(i.from[2])));
              },
          .results = 1,
          .operands = 3};
}

// By a distance of 32 bits, whatever is shifted.
template <class T, class F>
Form shift(F) {
  return {
      .execute = [](Thread& t,
                    I i) { t.set<T>(i.to[0], F{}(t.get<T>(i.from[0]), t.get<u32>(i.from[1]))); },
      .results = 1,
      .operands = 2};
}

template <class T>
Form move() {
  return unary<T>([](T a) { return a; });
}

// {a, b} = c, or c = {a, b}, or one to one.
template <class Whole, class Half>
Form move_halves() {
  constexpr int bits = 8 * sizeof(Half);
  return {.execute =
              [](Thread& t, I i) {
                if (i.to[1] >= 0) {
                  const Whole whole = t.get<Whole>(i.from[0]);
                  t.set<Half>(i.to[0], static_cast<Half>(whole));
                  t.set<Half>(i.to[1], static_cast<Half>(whole >> bits));
                } else if (i.vector == 2) {
                  t.set<Whole>(i.to[0], static_cast<Whole>(t.get<Half>(i.from[1])) << bits |
                                            t.get<Half>(i.from[0]));
                } else {
                  t.set<Whole>(i.to[0], t.get<Whole>(i.from[0]));
                }
              },
          .results = 2,
          .operands = 1};
}

template <class T>
Form select() {
  return {.execute = [](Thread& t,
                        I i) { t.set<T>(i.to[0], t.get<T>(i.from[t.holds(i.from[2]) ? 0 : 1])); },
          .results = 1,
          .operands = 3};
}

template <class T>
void add_comparisons(Table& table, const std::string& type) {
  const auto add = [&](const char* name, auto compare) {
    table[std::string("setp.") + name + "." + type] = binary<T, u64>(compare);
  };
  add("eq", [](T a, T b) -> u64 { return a == b; });
  add("lt", [](T a, T b) -> u64 { return a < b; });
  add("le", [](T a, T b) -> u64 { return a <= b; });
  add("gt", [](T a, T b) -> u64 { return a > b; });
  add("ge", [](T a, T b) -> u64 { return a >= b; });
  if constexpr (std::is_floating_point_v<T>) {
    // Without a u behind it, a comparison with a NaN is false; with it, true.
    add("ne", [](T a, T b) -> u64 { return a < b || a > b; });
    add("equ", [](T a, T b) -> u64 { return !(a < b || a > b); });
    add("neu", [](T a, T b) -> u64 { return a != b; });
    add("ltu", [](T a, T b) -> u64 { return !(a >= b); });
    add("leu", [](T a, T b) -> u64 { return !(a > b); });
    add("gtu", [](T a, T b) -> u64 { return !(a <= b); });
    add("geu", [](T a, T b) -> u64 { return !(a < b); });
    add("num", [](T a, T b) -> u64 { return a == a && b == b; });
    add("nan", [](T a, T b) -> u64 { return a != a || b != b; });
  } else {
    add("ne", [](T a, T b) -> u64 { return a != b; });
  }
}

// What there is of every type.
template <class T>
void add_type(Table& table, const std::string& type) {
  table["mov." + type] = move<T>();
  table["selp." + type] = select<T>();
  add_comparisons<T>(table, type);
}

// By 0, which no kernel does, all ones.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
    return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}

template <class T>
void add_integers(Table& table, const std::string& type) {
  add_type<T>(table, type);
  using U = std::make_unsigned_t<T>;
  table["add." + type] = binary<U>([](U a, U b) -> U { return a + b; });
  table["sub." + type] = binary<U>([](U a, U b) -> U { return a - b; });
  table["mul.lo." + type] = binary<U>([](U a, U b) -> U { return u64{a} * b; });
  table["mad.lo." + type] = ternary<U>([](U a, U b, U c) -> U { return u64{a} * b + c; });
  table["neg." + type] = unary<U>([](U a) -> U { return 0 - a; });
  table["min." + type] = binary<T>([](T a, T b) { return std::min(a, b); });
  table["max." + type] = binary<T>([](T a, T b) { return std::max(a, b); });
  table["shr." + type] = shift<T>([](T a, u32 n) -> T {
    constexpr u32 bits = 8 * sizeof(T);
    if constexpr (std::is_unsigned_v<T>) return n < bits ? a >> n : 0;
    return a >> (n < bits ? n : bits - 1);  // copies of the sign come in
  });
  table["div." + type] = binary<T>([](T a, T b) { return quotient(a, b); });
  table["rem." + type] =
      binary<T>([](T a, T b) -> T { return static_cast<T>(a - quotient(a, b) * b); });
}

template <class T>
void add_bits(Table& table, const std::string& type) {
  add_type<T>(table, type);
  table["and." + type] = binary<T>([](T a, T b) -> T { return a & b; });
  table["or." + type] = binary<T>([](T a, T b) -> T { return a | b; });
  table["xor." + type] = binary<T>([](T a, T b) -> T { return a ^ b; });
  table["not." + type] = unary<T>([](T a) -> T { return ~a; });
  table["shl." + type] = shift<T>([](T a, u32 n) -> T { return n < 8 * sizeof(T) ? a << n : 0; });
  table["shr." + type] = shift<T>([](T a, u32 n) -> T { return n < 8 * sizeof(T) ? a >> n : 0; });
  table["clz." + type] = unary<T, u32>([](T a) -> u32 { return std::countl_zero(a); });
  table["popc." + type] = unary<T, u32>([](T a) -> u32 { return std::popcount(a); });
  table["brev." + type] = unary<T>([](T a) {
    T reversed = 0;
    for (unsigned k = 0; k < 8 * sizeof(T); ++k)
      reversed |= (a >> k & 1) << (8 * sizeof(T) - 1 - k);
    return reversed;
  });
  table["bfi." + type] = {
      .execute =
          [](Thread& t, I i) {
            const u32 at = t.get<u32>(i.from[2]) & 255, n = t.get<u32>(i.from[3]) & 255;
            const u64 ones = n < 64 ? (u64{1} << n) - 1 : ~u64{0};
            const T mask = static_cast<T>(at < 64 ? ones << at : 0);
            const u64 bits = at < 64 ? u64{t.get<T>(i.from[0])} << at : 0;
            t.set<T>(i.to[0], static_cast<T>((bits & mask) | (t.get<T>(i.from[1]) & ~mask)));
          },
      .results = 1,
      .operands = 4};
}

void add_predicates(Table& table) {
  using P = u64;
  table["and.pred"] = binary<P>([](P a, P b) -> P { return a != 0 && b != 0; });
  table["or.pred"] = binary<P>([](P a, P b) -> P { return a != 0 || b != 0; });
  table["xor.pred"] = binary<P>([](P a, P b) -> P { return (a != 0) != (b != 0); });
  table["not.pred"] = unary<P>([](P a) -> P { return a == 0; });
  table["mov.pred"] = unary<P>([](P a) -> P { return a != 0; });
}

// Sums of 128 bits in two halves. From a subtraction the carry is a borrow.
template <bool subtracts, bool carries>
void add_half(Thread& t, I i) {
  using u128 = unsigned __int128;
  const u128 a = t.get<u64>(i.from[0]), b = t.get<u64>(i.from[1]), carry = carries && t.carry;
  const u128 result = subtracts ? a - b - carry : a + b + carry;
  t.carry = result >> 64 != 0;
  t.set<u64>(i.to[0], static_cast<u64>(result));
}

void add_carries(Table& table) {
  table["add.cc.s64"] = {.execute = add_half<false, false>, .results = 1, .operands = 2};
  table["addc.cc.s64"] = {.execute = add_half<false, true>, .results = 1, .operands = 2};
  table["sub.cc.s64"] = {.execute = add_half<true, false>, .results = 1, .operands = 2};
  table["subc.cc.s64"] = {.execute = add_half<true, true>, .results = 1, .operands = 2};
}

// Within its documented error, but not always the nearest: kernels must not hang on which it is.
float reciprocal_root(float x) {
  if (std::abs(x) < std::numeric_limits<float>::min()) x = std::copysign(0.f, x);
  const double off = (std::bit_cast<u32>(x) * 2654435761u >> 31 != 0 ? 0.5 : -0.5) * 0x1p-23;
  return static_cast<float>(1 / std::sqrt(static_cast<double>(x)) * (1 + off));
}

// −0 is less than +0; of a number and a NaN both take the number.
float least(float a, float b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
float greatest(float a, float b) {
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}

void add_floats(Table& table) {
  add_type<float>(table, "f32");
  add_type<double>(table, "f64");
  table["add.rn.f32"] = binary<float>([](float a, float b) { return a + b; });
  table["sub.rn.f32"] = binary<float>([](float a, float b) { return a - b; });
  table["mul.rn.f32"] = binary<float>([](float a, float b) { return a * b; });
  table["div.rn.f32"] = binary<float>([](float a, float b) { return a / b; });
  table["mul.rn.f64"] = binary<double>([](double a, double b) { return a * b; });
  table["fma.rn.f32"] = ternary<float>([](float a, float b, float c) { return std::fma(a, b, c); });
  table["sqrt.rn.f32"] = unary<float>([](float a) { return std::sqrt(a); });
  table["rsqrt.approx.ftz.f32"] = unary<float>([](float a) { return reciprocal_root(a); });
  table["neg.f32"] = unary<float>([](float a) { return -a; });
  table["abs.f32"] = unary<float>([](float a) { return std::abs(a); });
  table["min.f32"] = binary<float>([](float a, float b) { return least(a, b); });
  table["max.f32"] = binary<float>([](float a, float b) { return greatest(a, b); });
}

// Products as wide as both factors together.
void add_widenings(Table& table) {
  table["mul.wide.u16"] = binary<u16, u32>([](u16 a, u16 b) -> u32 { return u32{a} * b; });
  table["mul.wide.u32"] = binary<u32, u64>([](u32 a, u32 b) -> u64 { return u64{a} * b; });
  table["mul.wide.s32"] = binary<s32, s64>([](s32 a, s32 b) -> s64 { return s64{a} * b; });
}

// Towards zero, at the type's ends where it is beyond them; a NaN is 0, and 2^63 in 64 bits.
template <std::integral To, std::floating_point From>
To truncated(From x) {
  if (x != x) return sizeof(To) == 8 ? static_cast<To>(u64{1} << 63) : 0;
  if (x <= static_cast<From>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  if (x >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

void add_conversions(Table& table) {
  table["cvt.u32.u64"] = unary<u64, u32>([](u64 a) { return static_cast<u32>(a); });
  table["cvt.u64.u32"] = unary<u32, u64>([](u32 a) { return a; });
  table["cvt.s64.s32"] = unary<s32, s64>([](s32 a) { return a; });
  table["cvt.u32.u16"] = unary<u16, u32>([](u16 a) { return a; });
  table["cvt.u16.u32"] = unary<u32, u16>([](u32 a) { return static_cast<u16>(a); });
  table["cvt.u64.u16"] = unary<u16, u64>([](u16 a) { return a; });
  table["cvt.rn.f32.s32"] = unary<s32, float>([](s32 a) { return static_cast<float>(a); });
  table["cvt.rn.f32.u32"] = unary<u32, float>([](u32 a) { return static_cast<float>(a); });
  table["cvt.rn.f64.u32"] = unary<u32, double>([](u32 a) { return static_cast<double>(a); });
  table["cvt.rzi.s32.f32"] = unary<float, s32>([](float a) { return truncated<s32>(a); });
  table["cvt.rzi.u64.f64"] = unary<double, u64>([](double a) { return truncated<u64>(a); });
  // Generic addresses of global memory are its own; of other spaces nothing here takes them.
  table["cvta.to.global.u64"] = move<u64>();
}

}  // namespace

void add_arithmetic(Table& table) {
  add_integers<u16>(table, "u16");
  add_integers<s16>(table, "s16");
  add_integers<u32>(table, "u32");
  add_integers<s32>(table, "s32");
  add_integers<u64>(table, "u64");
  add_integers<s64>(table, "s64");
  add_bits<u16>(table, "b16");
  add_bits<u32>(table, "b32");
  add_bits<u64>(table, "b64");
  add_floats(table);
  add_predicates(table);
  add_carries(table);
  add_widenings(table);
  add_conversions(table);
  table["mov.b32"] = move_halves<u32, u16>();
  table["mov.b64"] = move_halves<u64, u32>();
}

}  // namespace warpath::testing::ptx
