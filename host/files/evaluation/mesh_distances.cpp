#include "host/files/evaluation/mesh_distances.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <span>

#include "host/core/base/progress.hpp"
#include "host/files/evaluation/matching.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/navmesh/mesh_folder.hpp"
#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

using navmesh::Geodesic, navmesh::NoWay, navmesh::Search, navmesh::Snapped;
using Point = std::array<double, 3>;

navmesh::Position single(const Point& point) {
  return {static_cast<float>(point[0]), static_cast<float>(point[1]), static_cast<float>(point[2])};
}

std::string counted_causes(std::span<const std::size_t> counts) {
  constexpr std::string_view causes[navmesh::no_way_count]{"", "off the mesh", "to another island",
                                                           "over more than 256 polygons",
                                                           "whose search ends on the way"};
  std::vector<std::string> parts;
  for (std::size_t c = 1; c < counts.size(); ++c) {
    if (counts[c] > 0) parts.push_back(fmt::format("{} {}", counts[c], causes[c]));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

MeshDistances::MeshDistances(const std::string& path, navmesh::Habitat habitat,
                             const formats::Dataset& dataset, const io::Reading& reading)
    : path_(path), habitat_(habitat) {
  std::string hashes;
  base::Progress progress("reading", dataset.scans.size(), "meshes");
  for (const std::string& name : navmesh::find_meshes(path, dataset.scans)) {
    const navmesh::NavMeshFile file = navmesh::read_navmesh_file(name, reading);
    if (meshes_.empty()) {
      agent_height_ = file.agent_height;
      agent_radius_ = file.agent_radius;
    }
    have_one_agent_ =
        have_one_agent_ && agent_height_ == file.agent_height && agent_radius_ == file.agent_radius;
    meshes_.emplace_back(file);
    hashes += file.hash;
    progress.add();
  }
  hash_ = meshes_.size() == 1 ? hashes : io::content_hash(hashes);
}

std::string MeshDistances::description() const {
  return fmt::format("habitat-sim {}'s, {}, {}", navmesh::name(habitat_),
                     meshes_.size() == 1 ? "1 mesh" : fmt::format("{} meshes", meshes_.size()),
                     have_one_agent_
                         ? fmt::format("agent {:.4g} x {:.4g} m", agent_height_, agent_radius_)
                         : "of different agents");
}

// Measures the distances of one agent.
class MeshDistances::Measuring {
 public:
  Measuring(const MeshDistances& all, const formats::Dataset& dataset,
            const formats::Predictions& predictions)
      : all_(all),
        dataset_(dataset),
        predictions_(predictions),
        matching_(dataset, predictions),
        distances_(predictions.positions->points.elements.size(),
                   std::numeric_limits<double>::quiet_NaN()) {}

  std::vector<double> run() {
    std::vector<std::vector<std::uint32_t>> entries(dataset_.scans.size());
    for (std::uint32_t e = 0; e < predictions_.entries.size(); ++e) {
      const std::uint32_t item = matching_.item_of(e);
      if (item != Matching::no_item) entries[dataset_.items[item].scan].push_back(e);
    }
    base::Progress progress("measuring", predictions_.entries.size(), "paths");
    for (std::size_t scan = 0; scan < entries.size(); ++scan) {
      tbb::enumerable_thread_specific<Search> searches(
          [&] { return Search(all_.meshes_[scan], all_.habitat_); });
      tbb::parallel_for(std::size_t{0}, entries[scan].size(), [&](std::size_t k) {
        measure(entries[scan][k], searches.local());
        progress.add();
      });
    }
    refuse_all_off();
    return std::move(distances_);
  }

  std::array<std::size_t, navmesh::no_way_count> counts() const {
    std::array<std::size_t, navmesh::no_way_count> numbers{};
    for (std::size_t c = 0; c < numbers.size(); ++c) numbers[c] = counts_[c];
    return numbers;
  }

 private:
  void measure(std::uint32_t entry, const Search& search) {
    const auto& points = predictions_.positions->points;
    const formats::Trajectory& trajectory = predictions_.entries[entry].trajectory;
    if (trajectory.malformed) return;
    const std::uint32_t path = trajectory.path;
    const std::span<const Point> positions = points[path];
    std::vector<Snapped> goals;
    for (const Point& goal : dataset_.episodes->goals[matching_.item_of(entry)]) {
      goals.push_back(search.snap(single(goal)));
      if (goals.back().polygon != 0) ++goals_on_a_mesh_;
    }
    for (std::size_t k = 0; k < positions.size(); ++k) {
      const std::size_t place = points.offsets[path] + k;
      if (k > 0 && positions[k] == positions[k - 1]) {
        distances_[place] = distances_[place - 1];
        continue;
      }
      const Snapped from = search.snap(single(positions[k]));
      if (from.polygon != 0) ++positions_on_a_mesh_;
      ++positions_;
      const Geodesic least = to_nearest(search, from, goals);
      ++counts_[static_cast<std::size_t>(least.why)];
      distances_[place] = least.metres;
    }
  }

  Geodesic to_nearest(const Search& search, const Snapped& from,
                      std::span<const Snapped> goals) const {
    Geodesic least{std::numeric_limits<float>::infinity(), NoWay::off_the_mesh};
    for (const Snapped& goal : goals) {
      const Geodesic way = search.distance(from, goal);
      if (goal.polygon == 0 && all_.habitat_ == navmesh::Habitat::v0_1_7) return way;
      if (way.metres < least.metres || (least.why == NoWay::off_the_mesh && goal.polygon != 0))
        least = way;
    }
    return least;
  }

  void refuse_all_off() const {
    if (positions_ == 0 || positions_on_a_mesh_ > 0 || goals_on_a_mesh_ > 0) return;
    throw InputError(
        {predictions_.file},
        fmt::format("no position, and no goal, is within 2 m aside and 4 m up or down of "
                    "a mesh of {}",
                    all_.path_),
        "name the meshes of these scenes; positions are [x, y, z] in metres with y up");
  }

  const MeshDistances& all_;
  const formats::Dataset& dataset_;
  const formats::Predictions& predictions_;
  const Matching matching_;
  std::vector<double> distances_;
  std::array<std::atomic<std::size_t>, navmesh::no_way_count> counts_{};
  std::atomic<std::size_t> goals_on_a_mesh_ = 0, positions_ = 0, positions_on_a_mesh_ = 0;
};

void MeshDistances::measure(const formats::Dataset& dataset,
                            formats::Predictions& predictions) const {
  Measuring measuring(*this, dataset, predictions);
  formats::PositionData& data = *predictions.positions;
  data.distances.elements = measuring.run();
  data.distances.offsets = data.points.offsets;
  predictions.hash += "+" + hash_;
  const auto counts = measuring.counts();
  std::size_t infinite = 0;
  for (std::size_t c = 1; c < counts.size(); ++c) infinite += counts[c];
  if (infinite == 0) return;
  predictions.notes.push_back(fmt::format("no way to the goal from {} of {} that were measured: {}",
                                          infinite, io::counted(infinite + counts[0], "position"),
                                          counted_causes(counts)));
}

}  // namespace warpath::evaluation
