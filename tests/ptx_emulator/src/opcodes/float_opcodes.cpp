#include <bit>
#include <cmath>
#include <limits>

#include "src/opcodes/register_opcodes.hpp"

// Defines the arithmetic of floating-point numbers. The library is compiled without contraction, so
// that products and sums are rounded as PTX says.

namespace ptx {
namespace {

float without_subnormal(float x) {
  return std::abs(x) < std::numeric_limits<float>::min() ? std::copysign(0.f, x) : x;
}

// Results are within the documented error but not always the nearest number: kernels must not
// depend on it. The error differs by operand.
float approximate(float operand, double exact) {
  const bool is_above = std::bit_cast<u32>(operand) * 2654435761u >> 31 != 0;
  return static_cast<float>(exact * (1 + (is_above ? 0.5 : -0.5) * 0x1p-23));
}
float approximate_reciprocal_root(float x) {
  x = without_subnormal(x);
  return approximate(x, 1 / std::sqrt(static_cast<double>(x)));
}
float approximate_reciprocal(float x) {
  x = without_subnormal(x);
  return without_subnormal(approximate(x, 1 / static_cast<double>(x)));
}

// A NaN gives 0.
float saturated(float x) {
  return x > 0 ? std::fmin(x, 1.f) : 0.f;
}

// −0 is less than +0. If one operand is a NaN, both functions return the other.
float minimum(float a, float b) {
  return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
}
float maximum(float a, float b) {
  return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
}

}  // namespace

void add_float_opcodes(OpcodeTable& table) {
  table["add.rn.f32"] = binary<float>([](float a, float b) { return a + b; });
  table["sub.rn.f32"] = binary<float>([](float a, float b) { return a - b; });
  table["mul.rn.f32"] = binary<float>([](float a, float b) { return a * b; });
  table["div.rn.f32"] = binary<float>([](float a, float b) { return a / b; });
  table["add.rn.f64"] = binary<double>([](double a, double b) { return a + b; });
  table["sub.rn.f64"] = binary<double>([](double a, double b) { return a - b; });
  table["fma.rn.f64"] =
      ternary<double>([](double a, double b, double c) { return std::fma(a, b, c); });
  table["mul.rn.f64"] = binary<double>([](double a, double b) { return a * b; });
  table["fma.rn.f32"] = ternary<float>([](float a, float b, float c) { return std::fma(a, b, c); });
  table["sqrt.rn.f32"] = unary<float>([](float a) { return std::sqrt(a); });
  table["div.rn.f64"] = binary<double>([](double a, double b) { return a / b; });
  table["sqrt.rn.f64"] = unary<double>([](double a) { return std::sqrt(a); });
  table["mul.rn.sat.f32"] = binary<float>([](float a, float b) { return saturated(a * b); });
  table["rcp.approx.ftz.f32"] = unary<float>([](float a) { return approximate_reciprocal(a); });
  table["rsqrt.approx.ftz.f32"] =
      unary<float>([](float a) { return approximate_reciprocal_root(a); });
  table["neg.f32"] = unary<float>([](float a) { return -a; });
  table["abs.f32"] = unary<float>([](float a) { return std::abs(a); });
  table["min.f32"] = binary<float>([](float a, float b) { return minimum(a, b); });
  table["max.f32"] = binary<float>([](float a, float b) { return maximum(a, b); });
}

}  // namespace ptx
