#include <cmath>
#include <concepts>
#include <limits>

#include "src/opcodes/register_opcodes.hpp"

// Conversions between types.

namespace ptx {
namespace {

template <class From, class To>
Opcode convert() {
  return unary<From, To>([](From a) { return static_cast<To>(a); });
}

// Rounds towards zero and saturates at the type's limits. A NaN gives 0, or 2^63 in 64 bits.
template <std::integral To, std::floating_point From>
To truncate(From x) {
  using Limits = std::numeric_limits<To>;
  if (x != x) return sizeof(To) == 8 ? static_cast<To>(u64{1} << 63) : 0;
  if (x <= static_cast<From>(Limits::min())) return Limits::min();
  if (x >= static_cast<From>(Limits::max())) return Limits::max();
  return static_cast<To>(x);
}

}  // namespace

void add_conversion_opcodes(OpcodeTable& table) {
  table["cvt.u32.u64"] = convert<u64, u32>();
  table["cvt.u64.u32"] = convert<u32, u64>();
  table["cvt.s64.s32"] = convert<s32, s64>();
  table["cvt.u32.u16"] = convert<u16, u32>();
  table["cvt.u16.u32"] = convert<u32, u16>();
  table["cvt.u16.u64"] = convert<u64, u16>();
  table["cvt.u64.u16"] = convert<u16, u64>();
  table["cvt.rn.f32.s32"] = convert<s32, float>();
  table["cvt.rn.f32.u32"] = convert<u32, float>();
  table["cvt.f64.f32"] = convert<float, double>();
  table["cvt.rn.f32.f64"] = convert<double, float>();
  table["cvt.rn.f64.u32"] = convert<u32, double>();
  table["cvt.rzi.s32.f32"] = unary<float, s32>([](float a) { return truncate<s32>(a); });
  table["cvt.rmi.s32.f32"] =
      unary<float, s32>([](float a) { return truncate<s32>(std::floor(a)); });
  table["cvt.rzi.u64.f64"] = unary<double, u64>([](double a) { return truncate<u64>(a); });
}

}  // namespace ptx
