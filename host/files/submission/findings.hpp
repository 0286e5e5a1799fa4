#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/scores.hpp"

namespace warpath::submission {

/// Names what can be wrong with a submission. Each server knows some of them.
enum class Problem {
  container,
  id_key,
  path_key,
  object_key,
  objects,
  plain,
  malformed,
  empty_path,
  wrong_start,
  unknown_viewpoint,
  non_adjacent,
  unreachable,
  spl_undefined,
  missing,
  candidates,
  nested,
  duplicate_id,
  unknown_id,
  not_scored,
  not_finite,
  id_type,
  no_list,
  direction,
  angle_unit,
  starts,
  points,
  heading_key,
  stop_key,
  no_stop,
  early_stop,
  languages,
  repeats,
  order,
};

/// Says what a server does with a submission.
enum class Outcome {
  rejected,  ///< the whole submission gets no score
  misread,   ///< it gets a score, but of other paths than intended
  harmless,
};

/// Describes one problem as a server takes it.
struct ProblemInfo {
  Problem problem;
  std::string_view name;
  std::string_view what;
  std::string_view server;  ///< what the server does
  Outcome outcome;
  std::string_view remedy;
};

/// Returns the name of a problem that is also a status.
inline std::string_view as(Status status) {
  return info(status).name;
}

/// Describes one kind of problem in one submission.
struct Finding {
  const ProblemInfo* info;
  std::uint64_t count = 0;              ///< number of entries or ids that have it
  std::vector<std::string> examples{};  ///< up to three: "id: detail"
};

/// Returns the worst outcome of the findings.
Outcome outcome(std::span<const Finding> findings);

/// Collects the problems of one submission under the rules of one server.
class FindingList {
 public:
  /// @param problems that the server knows
  explicit FindingList(std::span<const ProblemInfo> problems);

  /// Counts a problem of an entry or an id. @pre the server knows the problem
  void note(Problem problem, std::string_view id, std::string_view detail = "");
  /// Returns what was found, in the order of the rules, and leaves nothing.
  std::vector<Finding> take();

 private:
  std::vector<Finding> findings_;  // one for every rule
};

}  // namespace warpath::submission
