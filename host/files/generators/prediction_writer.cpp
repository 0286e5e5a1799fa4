#include "host/files/generators/prediction_writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <numbers>
#include <utility>

#include "host/files/io/json_writer.hpp"

namespace warpath::generators {
namespace {

// Maps an angle to [0, 2 pi), in four decimals: libraries differ in the last bits of atan2.
double rounded_heading(double angle) {
  constexpr double whole = 2.0 * std::numbers::pi;
  const double turned = std::fmod(angle, whole);
  const double rounded = std::round((turned < 0.0 ? turned + whole : turned) * 1e4) / 1e4;
  return rounded < whole ? rounded + 0.0 : 0.0;  // + 0.0: never -0
}

}  // namespace

void PredictionWriter::add(std::string_view id, const Scan& scan, std::span<const Pose> poses) {
  open(id);
  for (const Pose& pose : poses) step(scan.viewpoint(pose.viewpoint), pose.heading);
  close();
}

void PredictionWriter::add(std::string_view id, std::span<const std::string_view> viewpoints,
                           bool malformed) {
  open(id);
  for (const std::string_view viewpoint : viewpoints) step(viewpoint, 0.0);
  if (malformed) text_ += is_first_step_ ? "null" : ", null";
  close();
}

void PredictionWriter::open(std::string_view id) {
  fmt::format_to(std::back_inserter(text_), R"({}{{"instr_id": {}, "trajectory": [)",
                 size_++ == 0 ? "[\n" : ",\n", io::json_string(id));
  is_first_step_ = true;
}

void PredictionWriter::step(std::string_view viewpoint, double heading) {
  fmt::format_to(std::back_inserter(text_), "{}[{}, {}, 0]", is_first_step_ ? "" : ", ",
                 io::json_string(viewpoint), heading);
  is_first_step_ = false;
}

void PredictionWriter::close() {
  text_ += "]}";
}

std::string PredictionWriter::take() {
  if (size_ == 0) text_ = "[";
  size_ = 0;
  return std::exchange(text_, {}) + "\n]\n";
}

std::vector<Pose> with_headings(const Scan& scan, std::span<const Node> path, double heading) {
  std::vector<Pose> poses;
  double direction = rounded_heading(heading);
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (k > 0) {
      const auto &from = scan.positions()[path[k - 1]], &to = scan.positions()[path[k]];
      const double east = to[0] - from[0], north = to[1] - from[1];
      if (east != 0.0 || north != 0.0) direction = rounded_heading(std::atan2(east, north));
    }
    poses.push_back({path[k], direction});
  }
  return poses;
}

}  // namespace warpath::generators
