#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/submission/findings.hpp"
#include "warpath/distances.hpp"

namespace warpath::submission {

/// Checks viewpoints of submissions against graphs that are built from edges, as the servers build
/// them. Keeps distances of each scan.
class GraphChecks {
 public:
  explicit GraphChecks(evaluation::Inputs& inputs) : inputs_(inputs) {}

  Distances& distances_of(const formats::Item& item);

  /// Notes the first viewpoint that the scan does not have, and the first from which no path leads
  /// to the goal.
  void check_nodes(const formats::Item& item, const std::vector<std::string_view>& names,
                   const std::string& goal, FindingList& findings);

 private:
  evaluation::Inputs& inputs_;
  std::map<std::uint32_t, Distances> distances_;  // by scan of the dataset
};

}  // namespace warpath::submission
