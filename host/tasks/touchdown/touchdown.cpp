#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "host/files/evaluation/goal_measures.hpp"
#include "host/files/formats/entry_reader.hpp"
#include "host/tasks/list.hpp"
#include "host/tasks/r2r/server.hpp"

namespace warpath::touchdown {
namespace {

constexpr const char* route_key = "route_panoids";
constexpr const char* gold_key = "gold_pano_path";  // of VELMA's results

bool is_route(const formats::DatasetEntry& entry) {
  return entry.has(route_key) || entry.has(gold_key);
}

// map2seq has `id`, Touchdown `route_id`, VELMA's results `idx`.
std::string_view route_id_key(const formats::DatasetEntry& entry) {
  if (!entry.has(route_key)) return "idx";
  return entry.has("id") ? "id" : "route_id";
}

void read_route(formats::EntryReader& reader, const formats::DatasetEntry& entry) {
  const char* key = entry.has(route_key) ? route_key : gold_key;
  reader.add(entry, {entry.id, entry.scan, reader.read_reference(entry, key)});
}

std::size_t count_routes(const formats::Dataset& dataset) {
  return dataset.items.size();
}

// Returns KPA where the graph has links by heading.
MetricSet key_point_metrics(const evaluation::Inputs& inputs) {
  const bool have_links = std::ranges::all_of(inputs.dataset.scans, [&](const std::string& scan) {
    return inputs.graphs.heading_links(scan) != nullptr;
  });
  return have_links ? MetricSet{Metric::KPA} : MetricSet();
}

// A move from a crossing; or a viewpoint, with `alone` in the place of where it leads.
using KeyPoint = std::pair<Node, Node>;
constexpr Node alone = ~Node{0};

// Lists the key points of a path as VELMA's vln/evaluate.py does. Its list of the first two
// viewpoints stands for a pair by mistake, but published numbers have it.
std::vector<KeyPoint> key_points(std::span<const Node> path, const formats::HeadingLinks& links,
                                 KpStart start) {
  std::vector<KeyPoint> points;
  if (path.size() < 2) return points;
  if (start == KpStart::nodes) points = {{path[0], alone}, {path[1], alone}};
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    if (links.headings[path[i]] > 2) points.emplace_back(path[i], path[i + 1]);
  }
  return points;
}

// Counts the key points that both paths have. Repeats count once.
std::size_t count_common(std::vector<KeyPoint> a, std::vector<KeyPoint> b) {
  for (std::vector<KeyPoint>* points : {&a, &b}) {
    std::ranges::sort(*points);
    points->erase(std::unique(points->begin(), points->end()), points->end());
  }
  std::vector<KeyPoint> common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return common.size();
}

// Computes KPA of VELMA. Its task completion takes the goal's links in either direction.
void score_key_points(const evaluation::TaskPair& one) {
  const formats::HeadingLinks& links = *one.pairs.heading_links(one.k);
  const KpStart start = one.convention.kp_start;
  const Node last = one.pair.query.back(), goal = one.pair.end();
  const bool is_complete =
      last == goal || links.scan.adjacent(last, goal) || links.scan.adjacent(goal, last);
  auto wanted = key_points(one.pair.reference, links, start);
  const auto points = static_cast<double>(wanted.size() + 1);
  const std::size_t common =
      count_common(std::move(wanted), key_points(one.pair.query, links, start));
  one.set(Metric::KPA, static_cast<double>(common + (is_complete ? 1 : 0)) / points);
}

}  // namespace

const tasks::Task touchdown_task{
    .form = "touchdown",
    .title = "Touchdown or map2seq",
    .name = "Touchdown",
    .scan = "street",
    .values_key = "instances",
    .recognises = is_route,
    .id_key = route_id_key,
    .read_entry = read_route,
    .has_parts = false,
    .count_entries = count_routes,
    .metrics = key_point_metrics,
    .score = score_key_points,
    .servers = r2r::r2r_servers,
    .server_note = "the rules of R2R's server; Touchdown and map2seq have none"};

}  // namespace warpath::touchdown
