// Tests whether a direction lies in a box against integer arithmetic, which does not round, and
// with a ray in the other direction.

#include "host/tasks/soon/box_hits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <random>

#include "host/files/evaluation/exact_sum.hpp"

namespace warpath::testing {
namespace {

__extension__ using Wide = __int128;

// Coordinates of the test are multiples of 2^-60 within (-2, 2): the products of their differences
// have 124 bits.
constexpr int scale = 60;

double rounded(double x) {
  return std::ldexp(std::nearbyint(std::ldexp(x, scale)), -scale);
}

Wide integer(double x) {
  return static_cast<Wide>(static_cast<std::int64_t>(std::ldexp(x, scale)));
}

struct IntegerPoint {
  Wide x, y;
};

IntegerPoint integer_point(const formats::Direction& d) {
  return {integer(d.heading), integer(d.elevation)};
}

Wide cross(const IntegerPoint& a, const IntegerPoint& b, const IntegerPoint& p) {
  return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

bool is_within(Wide a, Wide b, Wide value) {
  return std::min(a, b) <= value && value <= std::max(a, b);
}

// A ray upwards from the point crosses the sides of the box that are above it.
bool is_inside_by_integers(const formats::TargetBox& box, const formats::Direction& direction) {
  const IntegerPoint p = integer_point(direction);
  bool is_inside = false;
  for (std::size_t k = 0; k < 4; ++k) {
    const IntegerPoint a = integer_point(box.corners[k]);
    const IntegerPoint b = integer_point(box.corners[(k + 1) % 4]);
    const Wide side = cross(a, b, p);
    if (side == 0 && is_within(a.x, b.x, p.x) && is_within(a.y, b.y, p.y)) return false;
    if ((a.x > p.x) != (b.x > p.x) && (side < 0) == (b.x > a.x)) is_inside = !is_inside;
  }
  return is_inside;
}

class Boxes : public ::testing::Test {
 protected:
  std::mt19937_64 random{20250711};

  double uniform(double low, double high) {
    return rounded(std::uniform_real_distribution<double>(low, high)(random));
  }
  // Chooses one of few numbers, so that corners, sides and points often coincide.
  double coarse() { return std::uniform_int_distribution<int>(0, 4)(random) / 4.0; }

  formats::TargetBox any_box(bool is_coarse) {
    formats::TargetBox box{.viewpoint = 0, .corners = {}, .centre = {0.5, 0.5}};
    for (formats::Direction& corner : box.corners) {
      corner = is_coarse ? formats::Direction{coarse(), coarse()}
                         : formats::Direction{uniform(-0.5, 1.5), uniform(0.2, 0.8)};
    }
    return box;
  }

  // Chooses a corner, a point on or close to a side, one anywhere, or one at a corner's height.
  formats::Direction point_for(const formats::TargetBox& box) {
    const std::size_t k = random() % 4;
    const formats::Direction &a = box.corners[k], &b = box.corners[(k + 1) % 4];
    const double part = uniform(-0.1, 1.1);
    const formats::Direction near{rounded(a.heading + part * (b.heading - a.heading)),
                                  rounded(a.elevation + part * (b.elevation - a.elevation))};
    switch (random() % 6) {
      case 0:
        return a;
      case 1:
        return {rounded((a.heading + b.heading) / 2), rounded((a.elevation + b.elevation) / 2)};
      case 2:
        return near;
      case 3:
        return {rounded(near.heading + 1e-9 * (0.5 - near.heading)),
                rounded(near.elevation - 1e-9 * (0.5 - near.elevation))};
      case 4:
        return {uniform(-0.5, 1.5), a.elevation};
      default:
        return {uniform(-0.5, 1.5), uniform(0.2, 0.8)};
    }
  }
};

TEST_F(Boxes, ContainWhatIntegersSay) {
  int inside = 0, boundary_cases = 0;
  for (int n = 0; n < 200'000; ++n) {
    const formats::TargetBox box = any_box(n % 2 == 0);
    const formats::Direction point =
        n % 4 == 0 ? formats::Direction{coarse(), coarse()} : point_for(box);
    const bool expected = is_inside_by_integers(box, point);
    ASSERT_EQ(soon::is_inside(box, point, Angles::plain), expected)
        << n << ": " << point.heading << ", " << point.elevation;
    inside += expected;
    for (const formats::Direction& c : box.corners)
      boundary_cases += integer(c.heading) == integer(point.heading);
  }
  EXPECT_GT(inside, 10'000);
  EXPECT_GT(boundary_cases, 10'000);
}

// Rounded cross products, as an evaluator in doubles has them, give other answers in this test.
TEST_F(Boxes, DifferFromRoundedProductsNextToASide) {
  int differences = 0;
  for (int n = 0; n < 100'000; ++n) {
    const formats::Direction a{uniform(0, 1), uniform(0.2, 0.8)},
        b{uniform(0, 1), uniform(0.2, 0.8)};
    const formats::Direction p{rounded((a.heading + 2 * b.heading) / 3),
                               rounded((a.elevation + 2 * b.elevation) / 3)};
    evaluation::ExactSum sum;
    const auto add = [&](double x, double y) { sum.add(x, y); };
    add(b.heading, p.elevation);
    add(-b.heading, a.elevation);
    add(-a.heading, p.elevation);
    add(-p.heading, b.elevation);
    add(a.heading, b.elevation);
    add(p.heading, a.elevation);
    const Wide exact = cross(integer_point(a), integer_point(b), integer_point(p));
    ASSERT_EQ(sum.sign(), (exact > 0) - (exact < 0));
    const double rounded_cross = (b.heading - a.heading) * (p.elevation - a.elevation) -
                                 (b.elevation - a.elevation) * (p.heading - a.heading);
    differences += ((rounded_cross > 0) - (rounded_cross < 0)) != sum.sign();
  }
  EXPECT_GT(differences, 100);
}

TEST(ExactSums, NeitherOverflowNorUnderflow) {
  const double tiny = DBL_TRUE_MIN, huge = DBL_MAX;
  evaluation::ExactSum sum;
  EXPECT_EQ(sum.sign(), 0);
  sum.add(huge, huge);
  sum.add(tiny, -tiny);
  EXPECT_EQ(sum.sign(), 1);
  sum.add(-huge, huge);
  EXPECT_EQ(sum.sign(), -1);
  sum.add(tiny, tiny);
  EXPECT_EQ(sum.sign(), 0);
  sum.add(tiny, tiny);
  EXPECT_EQ(sum.sign(), 1);
  for (int n = 0; n < 100'000; ++n) sum.add(huge, -huge);
  EXPECT_EQ(sum.sign(), -1);
}

// A square of half-width 0.05 around a heading, with its corners modulo 1 one by one.
formats::TargetBox square_at(double heading) {
  const auto turn = [](double h) { return h - std::floor(h); };
  const double left = turn(heading - 0.05), right = turn(heading + 0.05);
  return {.viewpoint = 0,
          .corners = {{{left, 0.55}, {right, 0.55}, {right, 0.45}, {left, 0.45}}},
          .centre = {turn(heading), 0.5}};
}

TEST(WrappedBoxes, AreTheSameAcrossHeadingZero) {
  const formats::TargetBox across = square_at(0.01);  // its corners lie at 0.96 and 0.06
  for (const double turns : {-1.0, 0.0, 1.0, 3.0}) {
    EXPECT_TRUE(soon::is_inside(across, {0.02 + turns, 0.5}, Angles::wrap)) << turns;
    EXPECT_TRUE(soon::is_inside(across, {-0.03 + turns, 0.5}, Angles::wrap)) << turns;
    EXPECT_FALSE(soon::is_inside(across, {0.5 + turns, 0.5}, Angles::wrap)) << turns;
    EXPECT_FALSE(soon::is_inside(across, {-0.07 + turns, 0.5}, Angles::wrap)) << turns;
  }
  // As plain numbers the corners are a strip around the rest of the circle.
  EXPECT_FALSE(soon::is_inside(across, {0.02, 0.5}, Angles::plain));
  EXPECT_TRUE(soon::is_inside(across, {0.5, 0.5}, Angles::plain));
}

TEST(WrappedBoxes, HaveTheirCornersOutside) {
  for (const double heading : {0.01, 0.3, 0.97}) {
    const formats::TargetBox box = square_at(heading);
    for (const formats::Direction& corner : box.corners) {
      EXPECT_FALSE(soon::is_inside(box, corner, Angles::wrap)) << heading;
      EXPECT_FALSE(soon::is_inside(box, {corner.heading, 0.5}, Angles::wrap)) << heading;
    }
    EXPECT_TRUE(soon::is_inside(box, box.centre, Angles::wrap)) << heading;
  }
}

TEST(WrappedBoxes, HaveErrorsOfAtMostHalfATurn) {
  const formats::TargetBox box = square_at(0.01);
  EXPECT_NEAR(soon::errors_of(box, {0.98, 0.5}, Angles::plain).heading, 0.97, 1e-15);
  EXPECT_NEAR(soon::errors_of(box, {0.98, 0.5}, Angles::wrap).heading, 0.03, 1e-15);
  EXPECT_NEAR(soon::errors_of(box, {0.98, 0.54}, Angles::wrap).point, 0.05, 1e-15);
  EXPECT_EQ(soon::errors_of(box, {0.01, 0.25}, Angles::wrap).elevation, 0.25);
}

}  // namespace
}  // namespace warpath::testing
