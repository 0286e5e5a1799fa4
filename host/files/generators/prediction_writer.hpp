#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/baseline_agents.hpp"

namespace warpath::generators {

/// Writes generated paths as a submission to EvalAI: a list of {instr_id, trajectory}, an entry on
/// each line, with elevations of 0.
class PredictionWriter {
 public:
  void add(std::string_view id, const Scan& scan, std::span<const Pose> poses);
  /// Adds a path that need not be in any scan, with headings of 0.
  /// @param malformed the path is what could be read of a trajectory that is no list of viewpoints:
  /// a null behind it lets every reader see so
  void add(std::string_view id, std::span<const std::string_view> viewpoints, bool malformed);
  /// Returns the number of predictions added.
  std::size_t size() const { return size_; }
  /// Returns the whole text, which takes it out of the object.
  std::string take();

 private:
  void open(std::string_view id);
  void step(std::string_view viewpoint, double heading);
  void close();

  std::string text_;
  std::size_t size_ = 0;
  bool is_first_step_ = true;  // of the open prediction
};

/// Returns a path with the headings of an agent that looks where it goes: the given one at the
/// start, then the direction of each step, to four decimals; that of the step before, where a step
/// has none.
std::vector<Pose> with_headings(const Scan& scan, std::span<const Node> path, double heading);

}  // namespace warpath::generators
