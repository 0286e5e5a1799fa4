#include "host/tasks/soon/box_hits.hpp"

#include <cmath>

#include "host/files/evaluation/exact_sum.hpp"

namespace warpath::soon {
namespace {

// A point whose x is a sum that need not be a double: the heading, and whole turns to add.
struct Pixel {
  double heading, turns, y;
};

Pixel point_of(const formats::Direction& direction, const formats::Direction& centre,
               Angles angles) {
  double turns = 0.0;
  if (angles == Angles::wrap) turns = std::round(centre.heading - direction.heading);
  return {direction.heading, turns, direction.elevation};
}

// Adds factor · p.x · y.
void add(evaluation::ExactSum& sum, const Pixel& p, double y, double factor = 1.0) {
  sum.add(factor * p.heading, y);
  sum.add(factor * p.turns, y);
}

// Returns the sign of (b - a) × (p - a): 1 if p is to the left of the way from a to b.
int side_of(const Pixel& p, const Pixel& a, const Pixel& b) {
  evaluation::ExactSum sum;
  add(sum, b, p.y);
  add(sum, b, a.y, -1.0);
  add(sum, a, p.y, -1.0);
  add(sum, p, b.y, -1.0);
  add(sum, a, b.y);
  add(sum, p, a.y);
  return sum.sign();
}

int compare_x(const Pixel& a, const Pixel& b) {
  evaluation::ExactSum sum;
  add(sum, a, 1.0);
  add(sum, b, -1.0);
  return sum.sign();
}

bool is_between(double y, double a, double b) {
  return (a <= y && y <= b) || (b <= y && y <= a);
}

// Tells whether p, which lies on the line through a and b, lies between them.
bool is_on_side(const Pixel& p, const Pixel& a, const Pixel& b) {
  return is_between(p.y, a.y, b.y) && compare_x(p, a) * compare_x(p, b) <= 0;
}

}  // namespace

bool is_inside(const formats::TargetBox& box, const formats::Direction& direction, Angles angles) {
  if (!std::isfinite(direction.heading) || !std::isfinite(direction.elevation)) return false;
  const Pixel p = point_of(direction, box.centre, angles);
  bool is_inside = false;
  for (std::size_t k = 0; k < box.corners.size(); ++k) {
    const Pixel a = point_of(box.corners[k], box.centre, angles);
    const Pixel b = point_of(box.corners[(k + 1) % box.corners.size()], box.centre, angles);
    const int side = side_of(p, a, b);
    if (side == 0 && is_on_side(p, a, b)) return false;
    const bool crosses_height = (a.y > p.y) != (b.y > p.y);
    if (crosses_height && (side > 0) == (b.y > a.y)) is_inside = !is_inside;
  }
  return is_inside;
}

DirectionErrors errors_of(const formats::TargetBox& box, const formats::Direction& direction,
                          Angles angles) {
  double heading = box.centre.heading - direction.heading;
  if (angles == Angles::wrap) heading -= std::round(heading);
  const double elevation = box.centre.elevation - direction.elevation;
  return {std::abs(heading), std::abs(elevation), std::hypot(heading, elevation)};
}

}  // namespace warpath::soon
