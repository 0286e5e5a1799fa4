#include "host/files/evaluation/mesh_distances.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>
#include <span>

#include "host/core/base/progress.hpp"
#include "host/core/definitions/enum_names.hpp"
#include "host/files/evaluation/matching.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/navmesh/mesh_folder.hpp"
#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

using navmesh::Geodesic, navmesh::NoWay, navmesh::Search, navmesh::single, navmesh::Snapped;
using Point = std::array<double, 3>;
constexpr std::size_t no_item = ~std::size_t{0};
constexpr std::array<definitions::EnumName<OverMeshes>, 2> over_meshes_names{
    {{OverMeshes::goal, "goal"}, {OverMeshes::all, "all"}}};

// How far positions lie from the mesh. Sums are of whole micrometres, so that their order does not
// matter.
struct Snaps {
  std::size_t positions = 0, on_a_mesh = 0;
  std::uint64_t micrometres = 0;
  double max = 0.0;

  void add(const Snapped& snapped) {
    ++positions;
    if (snapped.polygon == 0) return;
    ++on_a_mesh;
    const double metres =
        std::hypot(snapped.on_mesh[0] - snapped.given[0], snapped.on_mesh[1] - snapped.given[1],
                   snapped.on_mesh[2] - snapped.given[2]);
    micrometres += static_cast<std::uint64_t>(std::llround(metres * 1e6));
    max = std::max(max, metres);
  }
  void add(const Snaps& more) {
    positions += more.positions;
    on_a_mesh += more.on_a_mesh;
    micrometres += more.micrometres;
    max = std::max(max, more.max);
  }
  SnapSummary summary() const {
    const double mean =
        on_a_mesh == 0 ? 0.0
                       : static_cast<double>(micrometres) * 1e-6 / static_cast<double>(on_a_mesh);
    return {.n = positions, .placed = on_a_mesh, .mean = mean, .max = max};
  }
  std::string text() const {
    const SnapSummary of = summary();
    return fmt::format("{:.2f} m on average, {:.2f} m at most", of.mean, of.max);
  }
};

// What measuring found, of one path or of all.
struct Found {
  std::array<std::size_t, navmesh::no_way_count> ways{};  // by NoWay, of positions to the goal
  Snaps positions, goals;
  std::size_t goals_off = 0, first_item_off = no_item;  // paths with a goal off the mesh

  void add(const Found& more) {
    for (std::size_t c = 0; c < ways.size(); ++c) ways[c] += more.ways[c];
    positions.add(more.positions);
    goals.add(more.goals);
    goals_off += more.goals_off;
    first_item_off = std::min(first_item_off, more.first_item_off);
  }
  std::size_t count_of(NoWay why) const { return ways[static_cast<std::size_t>(why)]; }
  MeasuredWays counted() const {
    return {.n = std::accumulate(ways.begin(), ways.end(), std::uint64_t{0}),
            .off_mesh = count_of(NoWay::off_the_mesh),
            .other_island = count_of(NoWay::another_island),
            .too_long = count_of(NoWay::too_long),
            .search_ended = count_of(NoWay::out_of_nodes)};
  }
};

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

OverMeshes find_over_meshes(const std::string& name) {
  return definitions::find_in(over_meshes_names, "--geodesic", name);
}

MeshDistances::MeshDistances(const std::string& path, navmesh::Habitat habitat, OverMeshes which,
                             const formats::Dataset& dataset, const io::Reading& reading)
    : path_(path), habitat_(habitat), which_(which) {
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
  return fmt::format(
      "habitat-sim {}'s, {} ({}), {}", navmesh::name(habitat_),
      meshes_.size() == 1 ? "1 mesh" : fmt::format("{} meshes", meshes_.size()), hash_,
      have_one_agent_ ? fmt::format("agent {:.4g} x {:.4g} m", agent_height_, agent_radius_)
                      : "of different agents");
}

// Measures the distances of one agent.
class MeshDistances::Measuring {
 public:
  Measuring(const MeshDistances& all, const formats::Dataset& dataset,
            formats::Predictions& predictions)
      : all_(all),
        dataset_(dataset),
        predictions_(predictions),
        data_(*predictions.positions),
        matching_(dataset, predictions) {}

  Found run() {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    for (PathStore<double>* values : {&data_.distances, &data_.steps}) {
      if (values == &data_.steps && all_.which_ == OverMeshes::goal) continue;
      values->elements.assign(data_.points.elements.size(), unknown);
      values->offsets = data_.points.offsets;
    }
    std::vector<std::vector<std::uint32_t>> entries(dataset_.scans.size());
    for (std::uint32_t e = 0; e < predictions_.entries.size(); ++e) {
      const std::uint32_t item = matching_.item_of(e);
      if (item != Matching::no_item) entries[dataset_.items[item].scan].push_back(e);
    }
    base::Progress progress("measuring", predictions_.entries.size(), "paths");
    for (std::uint32_t scan = 0; scan < entries.size(); ++scan) {
      tbb::enumerable_thread_specific<Search> searches([&] { return all_.search(scan); });
      tbb::parallel_for(std::size_t{0}, entries[scan].size(), [&](std::size_t k) {
        const Found of_path = measure(entries[scan][k], searches.local());
        const std::lock_guard lock(mutex_);
        found_.add(of_path);
        progress.add();
      });
    }
    return found_;
  }

 private:
  Found measure(std::uint32_t entry, const Search& search) {
    Found found;
    const formats::Trajectory& trajectory = predictions_.entries[entry].trajectory;
    if (trajectory.malformed) return found;
    const std::uint32_t item = matching_.item_of(entry);
    std::vector<Snapped> goals;
    for (const Point& goal : dataset_.episodes->goals[item]) {
      goals.push_back(search.snap(single(goal)));
      found.goals.add(goals.back());
    }
    if (found.goals.on_a_mesh < goals.size()) {
      found.goals_off = 1;
      found.first_item_off = item;
    }
    const std::span<const Point> positions = data_.points[trajectory.path];
    const std::size_t begin = data_.points.offsets[trajectory.path];
    Snapped before;
    for (std::size_t k = 0; k < positions.size(); ++k) {
      const std::size_t place = begin + k;
      if (k > 0 && positions[k] == positions[k - 1]) {
        data_.distances.elements[place] = data_.distances.elements[place - 1];
        if (data_.steps.size() > 0) data_.steps.elements[place] = 0.0;
        continue;
      }
      const Snapped from = search.snap(single(positions[k]));
      found.positions.add(from);
      const Geodesic least = search.distance_to_nearest(from, goals);
      ++found.ways[static_cast<std::size_t>(least.why)];
      data_.distances.elements[place] = least.metres;
      if (data_.steps.size() > 0) {
        data_.steps.elements[place] = k == 0 ? 0.0 : search.distance(before, from).metres;
      }
      before = from;
    }
    return found;
  }

  const MeshDistances& all_;
  const formats::Dataset& dataset_;
  const formats::Predictions& predictions_;
  formats::PositionData& data_;
  const Matching matching_;
  std::mutex mutex_;
  Found found_;
};

PositionDistances MeshDistances::source() const {
  PositionDistances source{.source = "navmesh",
                           .of = which_ == OverMeshes::all ? "all" : "goal",
                           .files = meshes_.size(),
                           .hash = hash_,
                           .habitat = std::string(navmesh::name(habitat_))};
  if (have_one_agent_) source.agent = {agent_height_, agent_radius_};
  return source;
}

void MeshDistances::measure(const formats::Dataset& dataset, formats::Predictions& predictions) {
  const Found found = Measuring(*this, dataset, predictions).run();
  PositionDistances& measured = of_agents_.emplace_back(source());
  measured.ways = found.counted();
  measured.positions = found.positions.summary();
  measured.goals = found.goals.summary();
  predictions.hash += "+" + hash_;
  if (found.positions.positions == 0) return;
  if (found.positions.on_a_mesh == 0 && found.goals.on_a_mesh == 0) {
    throw InputError(
        {predictions.file},
        fmt::format("no position, and no goal, is within 2 m aside and 4 m up or down of "
                    "a mesh of {}",
                    path_),
        "name the meshes of these scenes; positions are [x, y, z] in metres with y up");
  }
  std::vector<std::string>& notes = predictions.notes;
  if (found.positions.on_a_mesh == 0) {
    notes.push_back("no position is on a mesh, but goals are: are positions [x, y, z], y up?");
  }
  notes.push_back(fmt::format("distance to the mesh: positions {}; goals {}",
                              found.positions.text(), found.goals.text()));
  if (found.goals_off > 0) {
    notes.push_back(fmt::format(
        "off the mesh, 2 m aside or 4 m up or down: a goal of {}, the first of episode {}",
        io::counted(found.goals_off, "path"), dataset.items[found.first_item_off].id));
  }
  const std::size_t all = measured.ways->n, infinite = all - found.count_of(NoWay::none);
  if (infinite > 0) {
    notes.push_back(fmt::format("no way to the goal from {} of {} that were measured: {}", infinite,
                                io::counted(all, "position"), counted_causes(found.ways)));
  }
  note_other_agent(dataset, notes);
}

std::vector<navmesh::Position> MeshDistances::way_to_goal(const formats::Dataset& dataset,
                                                          std::uint32_t item,
                                                          const Point& position) const {
  const Search by_rules = search(dataset.items[item].scan);
  const Snapped from = by_rules.snap(single(position));
  std::vector<Snapped> goals;
  for (const Point& goal : dataset.episodes->goals[item])
    goals.push_back(by_rules.snap(single(goal)));
  const Geodesic least = by_rules.distance_to_nearest(from, goals);
  if (least.why != NoWay::none) return {};
  for (const Snapped& goal : goals) {
    if (by_rules.distance(from, goal).metres == least.metres) return by_rules.path(from, goal);
  }
  return {};
}

void MeshDistances::note_other_agent(const formats::Dataset& dataset,
                                     std::vector<std::string>& notes) const {
  const auto is_of = [&](float height, float radius) {
    return have_one_agent_ && agent_height_ == height && agent_radius_ == radius;
  };
  const bool have_instruction_ids = std::ranges::any_of(
      dataset.episodes->instruction_ids, [](const std::string& id) { return !id.empty(); });
  if (have_instruction_ids && !is_of(0.88f, 0.18f)) {
    notes.push_back(
        "RxR-CE's evaluators build meshes anew for an agent of 0.88 x 0.18 m, and these are of "
        "another: save theirs by sim.pathfinder.save_nav_mesh");
  }
  if (!have_instruction_ids && !is_of(1.5f, 0.1f)) {
    notes.push_back(
        "VLN-CE's evaluator takes meshes of an agent of 1.5 x 0.1 m, and these are of another");
  }
}

}  // namespace warpath::evaluation
