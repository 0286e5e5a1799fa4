#include "host/files/submission/graph_checks.hpp"

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace warpath::submission {
namespace {

constexpr std::size_t max_bytes_of_rows = std::size_t{256} << 20;

// The server's graph is built from edges: a viewpoint without edges is not even near itself.
bool reaches(Distances& distances, Node node, Node goal) {
  const Scan& scan = distances.scan();
  return (scan.is_directed() || !scan.neighbours(node).empty()) &&
         distances.row_to(goal)[node] < std::numeric_limits<double>::infinity();
}

}  // namespace

Distances& GraphChecks::distances_of(const formats::Item& item) {
  auto it = distances_.find(item.scan);
  if (it == distances_.end()) {
    const Scan& scan = inputs_.graphs.scan(inputs_.dataset.scans[item.scan]);
    it = distances_.try_emplace(item.scan, scan, Distance::euclid_3d).first;
  }
  if (it->second.bytes() > max_bytes_of_rows) it->second.clear();
  return it->second;
}

void GraphChecks::check_nodes(const formats::Item& item, const std::vector<std::string_view>& names,
                              const std::string& goal, FindingList& findings) {
  Distances& distances = distances_of(item);
  const Scan& scan = distances.scan();
  const std::optional<Node> end = scan.find(goal);
  std::optional<std::size_t> unknown, cut_off;  // the first one
  for (std::size_t k = names.size(); k-- > 0;) {
    const std::optional<Node> node = scan.find(names[k]);
    if (!node)
      unknown = k;
    else if (end && !reaches(distances, *node, *end))
      cut_off = k;
  }
  auto place = [&](std::size_t k) { return fmt::format("trajectory[{}], {}", k, names[k]); };
  if (unknown) {
    findings.note(Problem::unknown_viewpoint, item.id, place(*unknown));
  } else if (!end) {
    findings.note(Problem::unknown_viewpoint, item.id, "the dataset's goal, " + goal);
  }
  if (cut_off) findings.note(Problem::unreachable, item.id, place(*cut_off));
}

}  // namespace warpath::submission
