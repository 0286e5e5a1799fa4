#include <cmath>
#include <numbers>
#include <optional>

#include "host/files/generators/item_words.hpp"
#include "warpath/baseline_agents.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr int headings = 12;  // multiples of 30 degrees in a full turn
constexpr double turn = std::numbers::pi / 6.0;
constexpr double half_view = 40.0 * std::numbers::pi / 180.0;
constexpr int max_actions = 30, max_moves = 5;

// Rounds an angle to a billionth of a radian. Libraries differ in the last bits of atan2, and
// neighbours on both sides of a heading should be equally far from it.
double rounded(double angle) {
  return std::round(angle * 1e9) * 1e-9;
}

// Returns the multiple of 30 degrees nearest to a heading, as a number of turns.
int snapped(double heading) {
  const double whole = std::fmod(heading, 2.0 * std::numbers::pi);
  return (static_cast<int>(std::lround(whole / turn)) + headings) % headings;
}

// Returns the neighbour to which a move forward leads, if there is one.
std::optional<Node> ahead(const Scan& scan, Node from, int heading) {
  std::optional<Node> nearest;
  double least = 0.0;
  const auto& here = scan.positions()[from];
  for (const Node to : scan.neighbours(from)) {
    const auto& there = scan.positions()[to];
    const double east = there[0] - here[0], north = there[1] - here[1], up = there[2] - here[2];
    const double across = std::hypot(east, north);
    if (across == 0.0) continue;
    const double aside =
        rounded(std::remainder(std::atan2(east, north) - heading * turn, 2.0 * std::numbers::pi));
    if (std::abs(aside) > rounded(half_view)) continue;
    const double off_centre = rounded(std::hypot(aside, rounded(std::atan2(up, across))));
    if (!nearest || off_centre < least) {
      nearest = to;
      least = off_centre;
    }
  }
  return nearest;
}

}  // namespace

std::vector<Pose> random_heading(const Scan& scan, Node start, double heading,
                                 std::uint32_t right_turns) {
  if (!scan.has_positions()) {
    throw InputError({{}, "scan " + scan.id()}, "its viewpoints have no positions",
                     "random-heading needs them: choose another agent");
  }
  Node at = start;
  int facing = snapped(heading);
  std::vector<Pose> poses{{at, facing * turn}};
  for (int actions = 0, moves = 0; actions < max_actions && moves < max_moves; ++actions) {
    std::optional<Node> next;
    if (right_turns > 0) {
      --right_turns;
    } else {
      next = ahead(scan, at, facing);
    }
    if (next) {
      at = *next;
      ++moves;
    } else {
      facing = (facing + 1) % headings;
    }
    poses.push_back({at, facing * turn});
  }
  return poses;
}

std::uint32_t draw_right_turns(std::uint64_t seed, std::uint64_t item) {
  return generators::ItemWords(seed, item, generators::Draws::right_turns).below(headings);
}

}  // namespace warpath
