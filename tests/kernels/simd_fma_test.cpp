// Tests the fused multiply-add by doubles against the standard library's.

#include "kernels/lanes/simd_fma.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "host/checks/random.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using kernels::VectorOf;

void expect_one_rounding(const float (&a)[4], const float (&b)[4], const float (&c)[4]) {
  VectorOf<float, 4>::type x, y, z;
  for (int l = 0; l < 4; ++l) x[l] = a[l], y[l] = b[l], z[l] = c[l];
  const auto got = kernels::fma_by_doubles(x, y, z);
  for (int l = 0; l < 4; ++l) {
    const float expected = std::fma(a[l], b[l], c[l]), value = got[l];
    if (std::isnan(expected) && std::isnan(value)) continue;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(expected))
        << a[l] << " * " << b[l] << " + " << c[l] << " gives " << value;
  }
}

// The products are halves between two singles, the first above an even one, the second below. The
// addend decides, but is lost where the sum is first rounded to double precision.
TEST(SimdFma, RoundsOnceBesideAHalf) {
  const float a = 1 + 0x1p-12f, b = 1 + 0x3p-12f, c = 0x1p-60f;
  ASSERT_NE(std::fma(a, a, c), static_cast<float>(double{a} * a + c));
  ASSERT_NE(std::fma(a, b, -c), static_cast<float>(double{a} * b - c));
  for (const float scale : {1.0f, 0x1p60f, 0x1p-60f}) {
    expect_one_rounding({a, a, a, a}, {a * scale, a * scale, b * scale, b * scale},
                        {c * scale, -c * scale, c * scale, -c * scale});
    expect_one_rounding({-a, -a, -a, -a}, {a * scale, a * scale, b * scale, b * scale},
                        {c * scale, -c * scale, c * scale, -c * scale});
  }
}

TEST(SimdFma, KeepsSignsOfZeroInfinitiesAndNaN) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const float values[] = {0.0f,    -0.0f, inf,      -inf,      nan,   1e-45f,
                          -1e-45f, 1.5f,  0x1p-75f, -0x1p-75f, 3e38f, -3e38f};
  for (const float a : values) {
    for (const float b : values) {
      for (const float c : values) expect_one_rounding({a, b, c, a}, {b, c, a, a}, {c, a, b, b});
    }
  }
}

TEST(SimdFma, EqualsTheStandardLibraryForRandomBits) {
  checks::Random random(run_seed());
  const auto any = [&] {
    return std::bit_cast<float>(static_cast<std::uint32_t>(random.below(1ull << 32)));
  };
  for (int round = 0; round < 200'000; ++round) {
    float a[4], b[4], c[4];
    for (int l = 0; l < 4; ++l) {
      a[l] = any(), b[l] = any();
      // A sum that nearly cancels, one that is a half of the product's last place, and any.
      const float product = a[l] * b[l];
      c[l] = l == 0 ? -product : l == 1 ? product * 0x1p-24f : l == 2 ? product * 0x1p25f : any();
    }
    expect_one_rounding(a, b, c);
  }
}

}  // namespace
}  // namespace warpath::testing
