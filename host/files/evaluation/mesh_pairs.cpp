#include "host/files/evaluation/mesh_pairs.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

using Point = std::array<double, 3>;

// Holds the distances of one pair.
class PairTable {
 public:
  PairTable(const navmesh::Search& search, std::span<const Point> reference,
            std::span<const Point> query) {
    for (const Point& point : reference) reference_.push_back(node_of(search, point));
    for (const Point& point : query) query_.push_back(node_of(search, point));
    distances_.assign(snapped_.size() * snapped_.size(), unmeasured);
    for (Node n = 0; n < snapped_.size(); ++n) between(n, n) = 0.0;
    for (const Node from : query_) {
      for (const Node to : reference_) measure(search, from, to);
    }
    for (const std::vector<Node>* path : {&reference_, &query_}) {
      for (std::size_t k = 1; k < path->size(); ++k) measure(search, (*path)[k - 1], (*path)[k]);
    }
    measure(search, reference_.front(), reference_.back());
    std::ranges::replace(distances_, unmeasured, std::numeric_limits<double>::infinity());
  }

  Scan scan() && {
    std::vector<std::string> ids(snapped_.size());
    for (std::size_t n = 0; n < ids.size(); ++n) ids[n] = fmt::format("{}", n);
    return {"", std::move(ids), {}, {}, std::move(distances_), true};
  }
  std::span<const Node> reference() const { return reference_; }
  std::span<const Node> query() const { return query_; }

 private:
  Node node_of(const navmesh::Search& search, const Point& point) {
    const auto [place, is_new] = nodes_.emplace(point, static_cast<Node>(snapped_.size()));
    if (is_new) snapped_.push_back(search.snap(navmesh::single(point)));
    return place->second;
  }

  static constexpr double unmeasured = -1.0;

  double& between(Node from, Node to) { return distances_[from * snapped_.size() + to]; }
  // Paths come back to a position, and an agent that turns stays there: each search is made once.
  void measure(const navmesh::Search& search, Node from, Node to) {
    double& metres = between(from, to);
    if (metres == unmeasured) metres = search.distance(snapped_[from], snapped_[to]).metres;
  }

  std::map<Point, Node> nodes_;
  std::vector<navmesh::Snapped> snapped_;  // by node
  std::vector<Node> reference_, query_;
  std::vector<double> distances_;  // [nodes][nodes]
};

void add_path(std::span<const Node> path, PathSet& paths) {
  paths.elements.insert(paths.elements.end(), path.begin(), path.end());
  paths.end_path();
}

}  // namespace

MeshPairs measure_pairs(const MeshDistances& meshes, const formats::Dataset& dataset,
                        const PackedEpisodes& run, std::size_t first, std::size_t last) {
  constexpr std::size_t max_table = std::size_t{1} << 26;  // 8,192 positions
  for (std::size_t k = first; k < last; ++k) {
    if (table_size(run, k) <= max_table) continue;
    throw InputError({dataset.file, dataset.items[run.sources[k].item].id},
                     "has more positions, with those of its prediction, than --geodesic all takes",
                     "leave it out, or say --geodesic goal");
  }
  std::vector<std::optional<PairTable>> tables(last - first);
  tbb::parallel_for(std::size_t{0}, tables.size(), [&](std::size_t k) {
    const PointPair& pair = run.batch.pairs[first + k];
    const navmesh::Search search = meshes.search(dataset.items[run.sources[first + k].item].scan);
    tables[k].emplace(search, run.batch.references[pair.reference], run.batch.queries[pair.query]);
  });
  MeshPairs pairs;
  pairs.scans.reserve(tables.size());
  for (std::uint32_t k = 0; k < tables.size(); ++k) {
    add_path(tables[k]->reference(), pairs.batch.references);
    add_path(tables[k]->query(), pairs.batch.queries);
    pairs.scans.push_back(std::move(*tables[k]).scan());
    pairs.batch.pairs.push_back({.scan = k, .reference = k, .query = k});
  }
  for (const Scan& scan : pairs.scans) pairs.batch.scans.push_back(&scan);
  const auto& success = run.batch.task_success;
  if (success.empty()) return pairs;
  pairs.batch.task_success.assign(success.begin() + static_cast<std::ptrdiff_t>(first),
                                  success.begin() + static_cast<std::ptrdiff_t>(last));
  return pairs;
}

void for_each_mesh_part(const MeshDistances& meshes, const formats::Dataset& dataset,
                        const PackedEpisodes& run,
                        const std::function<void(const MeshPairs& part, std::size_t first)>& use) {
  constexpr std::size_t max_pairs = 256, max_distances = std::size_t{1} << 25;
  const std::size_t count = run.batch.pairs.size();
  for (std::size_t first = 0, last = 0; first < count; first = last) {
    std::size_t distances = 0;
    while (last < count && last < first + max_pairs && distances < max_distances)
      distances += table_size(run, last++);
    use(measure_pairs(meshes, dataset, run, first, last), first);
  }
}

}  // namespace warpath::evaluation
