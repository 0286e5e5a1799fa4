#include <bit>
#include <cmath>
#include <limits>

#include "src/opcodes/register_opcodes.hpp"

// Defines the arithmetic of floating-point numbers. The library is compiled without contraction, so
// that products and sums are rounded as PTX says.

namespace ptx {
namespace {

// The result is within the documented error but not always the nearest number: kernels must not
// depend on it.
float approximate_reciprocal_root(float x) {
  if (std::abs(x) < std::numeric_limits<float>::min()) x = std::copysign(0.f, x);
  const bool is_above = std::bit_cast<u32>(x) * 2654435761u >> 31 != 0;
  const double error = (is_above ? 0.5 : -0.5) * 0x1p-23;
  return static_cast<float>(1 / std::sqrt(static_cast<double>(x)) * (1 + error));
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
  table["rsqrt.approx.ftz.f32"] =
      unary<float>([](float a) { return approximate_reciprocal_root(a); });
  table["neg.f32"] = unary<float>([](float a) { return -a; });
  table["abs.f32"] = unary<float>([](float a) { return std::abs(a); });
  table["min.f32"] = binary<float>([](float a, float b) { return minimum(a, b); });
  table["max.f32"] = binary<float>([](float a, float b) { return maximum(a, b); });
}

}  // namespace ptx
