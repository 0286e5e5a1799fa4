// Navigation meshes beside the calls of Detour that habitat-sim makes. WARPATH_BENCH_NAVMESH names
// a mesh.
#ifdef WARPATH_HAS_NAVMESH

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <recastnavigation/DetourNavMesh.h>
#include <recastnavigation/DetourNavMeshQuery.h>
#include <tbb/global_control.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>

#include "host/files/evaluation/mesh_distances.hpp"
#include "host/files/navmesh/navmesh.hpp"

namespace warpath::bench {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;
using navmesh::Habitat, navmesh::Snapped;

const char* mesh_name() {
  return std::getenv("WARPATH_BENCH_NAVMESH");
}

// Returns positions on the mesh, at random.
std::vector<navmesh::Position> positions_on(const navmesh::NavMeshFile& file, std::size_t count) {
  const navmesh::NavMesh mesh(file);
  const navmesh::Search search(mesh, Habitat::v0_3_4);
  std::mt19937 random(1);
  std::vector<navmesh::Position> found;
  while (found.size() < count) {
    navmesh::Position position;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::uniform_real_distribution<float> within(file.min[axis], file.max[axis]);
      position[axis] = within(random);
    }
    const Snapped snapped = search.snap(position);
    if (snapped.polygon != 0) found.push_back(snapped.on_mesh);
  }
  return found;
}

// What habitat-sim does of a path, by Detour alone.
class PlainDetour {
 public:
  explicit PlainDetour(const navmesh::NavMeshFile& file) {
    dtNavMeshParams parameters;
    std::memcpy(&parameters, file.parameters.data(), sizeof parameters);
    mesh_->init(&parameters);
    for (const navmesh::Tile& tile : file.tiles) {
      auto* const data = static_cast<unsigned char*>(dtAlloc(tile.data.size(), DT_ALLOC_PERM));
      std::memcpy(data, tile.data.data(), tile.data.size());
      mesh_->addTile(data, static_cast<int>(tile.data.size()), DT_TILE_FREE_DATA, tile.reference,
                     nullptr);
    }
    query_->init(mesh_.get(), 2048);
    filter_.setIncludeFlags(1);
    filter_.setExcludeFlags(0);
  }

  float distance(const navmesh::Position& start, const navmesh::Position& end) {
    constexpr float reach[3] = {2.0f, 4.0f, 2.0f};
    dtPolyRef from = 0, to = 0, polygons[256];
    navmesh::Position a{}, b{};
    query_->findNearestPoly(start.data(), reach, &filter_, &from, a.data());
    query_->findNearestPoly(end.data(), reach, &filter_, &to, b.data());
    int count = 0, corners = 0;
    query_->findPath(from, to, a.data(), b.data(), &filter_, polygons, &count, 256);
    query_->findStraightPath(start.data(), end.data(), polygons, count, corners_[0].data(), nullptr,
                             nullptr, &corners, 256);
    float metres = 0.0f;
    for (int k = 1; k < corners; ++k) {
      const float x = corners_[k][0] - corners_[k - 1][0], y = corners_[k][1] - corners_[k - 1][1],
                  z = corners_[k][2] - corners_[k - 1][2];
      metres += std::sqrt(x * x + y * y + z * z);
    }
    return metres;
  }

 private:
  std::unique_ptr<dtNavMesh, void (*)(dtNavMesh*)> mesh_{dtAllocNavMesh(), dtFreeNavMesh};
  std::unique_ptr<dtNavMeshQuery, void (*)(dtNavMeshQuery*)> query_{dtAllocNavMeshQuery(),
                                                                    dtFreeNavMeshQuery};
  dtQueryFilter filter_;
  navmesh::Position corners_[256];
};

constexpr std::size_t mesh_ways = 1000;

void mesh_detour(State& state, const std::string& name) {
  const navmesh::NavMeshFile file = navmesh::read_navmesh_file(name);
  const std::vector<navmesh::Position> positions = positions_on(file, 2 * mesh_ways);
  PlainDetour plain(file);
  for (auto _ : state) {
    for (std::size_t k = 0; k < mesh_ways; ++k)
      DoNotOptimize(plain.distance(positions[k], positions[mesh_ways + k]));
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * mesh_ways));
}

void mesh_search(State& state, const std::string& name) {
  const navmesh::NavMeshFile file = navmesh::read_navmesh_file(name);
  const std::vector<navmesh::Position> positions = positions_on(file, 2 * mesh_ways);
  const navmesh::NavMesh mesh(file);
  const navmesh::Search search(mesh, Habitat::v0_3_4);
  for (auto _ : state) {
    for (std::size_t k = 0; k < mesh_ways; ++k) {
      DoNotOptimize(
          search.distance(search.snap(positions[k]), search.snap(positions[mesh_ways + k])));
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * mesh_ways));
}

// Measures an agent's positions as VLN-CE val_unseen has them, 1,750 paths of 40 positions.
void mesh_episodes(State& state, const std::string& name) {
  constexpr std::size_t paths = 1750, steps = 40;
  const navmesh::NavMeshFile file = navmesh::read_navmesh_file(name);
  const std::vector<navmesh::Position> positions = positions_on(file, paths * (steps + 1));
  formats::Dataset dataset;
  formats::Predictions agent;
  dataset.scans = {"s"};
  dataset.episodes.emplace();
  agent.positions.emplace();
  std::size_t next = 0;
  const auto add = [&](PointSet& set) {
    const navmesh::Position& p = positions[next++];
    set.elements.push_back({p[0], p[1], p[2]});
  };
  for (std::uint32_t k = 0; k < paths; ++k) {
    dataset.items.push_back({.id = fmt::format("{}", k), .scan = 0, .reference = 0});
    add(dataset.episodes->goals);
    dataset.episodes->goals.end_path();
    for (std::size_t s = 0; s < steps; ++s) add(agent.positions->points);
    agent.positions->points.end_path();
    agent.positions->paths.emplace_back();
    agent.entries.push_back({.id = dataset.items.back().id, .trajectory = {}});
    agent.entries.back().trajectory.path = k;
  }
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(state.range(0)));
  evaluation::MeshDistances meshes(name, Habitat::v0_1_7, evaluation::OverMeshes::goal, dataset,
                                   {});
  for (auto _ : state) meshes.measure(dataset, agent);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * paths * steps));
}

[[maybe_unused]] const bool are_registered = [] {
  if (mesh_name() == nullptr) return false;
  const std::string name = mesh_name();
  benchmark::RegisterBenchmark("navmesh/ways/detour", mesh_detour, name)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("navmesh/ways/search", mesh_search, name)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("navmesh/episodes", mesh_episodes, name)
      ->Arg(1)
      ->Arg(2)
      ->UseRealTime()
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace warpath::bench

#endif
