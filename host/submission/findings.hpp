#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/scores.hpp"

namespace warpath {

/// Names the servers whose rules are known, or the scripts that they run.
enum class Server {
  r2r,          ///< Matterport3DSimulator's tasks/R2R/eval.py, EvalAI 97
  reverie,      ///< REVERIE's tasks/REVERIE/eval_release.py
  soon,         ///< evaluation_script/main.py of SOON-EvalAI-Starters
  vlnce,        ///< EvalAI 719, whose script is not public: VLN-CE's exporter, format r2r
  rxr_habitat,  ///< RxR-Habitat, whose script is not public: VLN-CE's exporter, format rxr
};

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

/// Returns the problems that a server knows, in the order of reports.
std::span<const ProblemInfo> rules_of(Server server);

/// Returns how a server takes a problem. @pre it knows the problem
const ProblemInfo& info(Server server, Problem problem);

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
  explicit FindingList(Server server);

  /// Counts a problem of an entry or an id. @pre the server knows the problem
  void note(Problem problem, std::string_view id, std::string_view detail = "");
  /// Returns what was found, in the order of the rules, and leaves nothing.
  std::vector<Finding> take();

 private:
  std::vector<Finding> findings_;  // one for every rule
};

// The rules, a table for each server; R2R and REVERIE share one.
std::span<const ProblemInfo> r2r_rules();
std::span<const ProblemInfo> soon_rules();
std::span<const ProblemInfo> vlnce_rules();
std::span<const ProblemInfo> rxr_habitat_rules();

}  // namespace warpath
