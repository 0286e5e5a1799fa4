#pragma once

#include "host/files/formats/direction.hpp"
#include "warpath/convention.hpp"

namespace warpath::soon {

/// Tells whether a direction lies strictly inside a box; its sides and corners are outside. The
/// corners are a polygon in the plane of heading and elevation, whose inside is what a ray crosses
/// its sides an odd number of times from. The answer is exact for the doubles as they are.
/// @param angles wrap: every heading is taken in the turn around the centre's heading, so that
///   neither a box across heading 0 nor a heading one turn away makes a difference
bool is_inside(const formats::TargetBox& box, const formats::Direction& direction, Angles angles);

/// Holds how far a direction is from a box's centre, in turns.
struct DirectionErrors {
  double heading, elevation, point;
};

/// Measures how far a direction is from a box's centre.
/// @param angles wrap: the heading's error is at most half a turn
DirectionErrors errors_of(const formats::TargetBox& box, const formats::Direction& direction,
                          Angles angles);

}  // namespace warpath::soon
