#pragma once

#include <string>
#include <vector>

#include "host/files/formats/dataset.hpp"
#include "host/files/io/input_file.hpp"
#include "host/files/navmesh/navmesh.hpp"
#include "warpath/position_distances.hpp"

namespace warpath::evaluation {

/// Says which distances go over navigation meshes.
enum class OverMeshes {
  goal,  ///< those to the goal, as in VLN-CE
  all    ///< every distance of the metrics: also the steps, and those of query and reference
};
/// Finds one by its name, goal or all. @throws UsageError that lists the names
OverMeshes find_over_meshes(const std::string& name);

/// Measures the distances of predicted positions over navigation meshes, as habitat-sim would.
class MeshDistances {
 public:
  /// Reads the meshes of all scans of a dataset.
  /// @param path a file or a folder, see navmesh::find_meshes
  /// @pre the dataset has episodes
  /// @throws InputError, UsageError
  MeshDistances(const std::string& path, navmesh::Habitat habitat, OverMeshes which,
                const formats::Dataset& dataset, const io::Reading& reading);

  /// Gives each position of an agent its distance, the least to a goal, and notes how many are
  /// infinite and why, and how far positions and goals were snapped. By the rules of 0.1.7 there is
  /// no way where one of several goals is off the mesh (habitat-sim up to 0.2.3); by those of 0.3.4
  /// such a goal is left out. Where all distances go over meshes, it measures the steps, too.
  /// Malformed paths get no distance.
  /// @throws InputError if neither a position nor a goal is on a mesh
  void measure(const formats::Dataset& dataset, formats::Predictions& predictions);

  OverMeshes which() const { return which_; }
  /// Makes a search of a scan's mesh, for one thread at a time. It must not outlive this.
  navmesh::Search search(std::uint32_t scan) const { return {meshes_[scan], habitat_}; }

  /// Returns the corners of the way from a position to the nearest goal of an item; none where no
  /// way leads there.
  std::vector<navmesh::Position> way_to_goal(const formats::Dataset& dataset, std::uint32_t item,
                                             const std::array<double, 3>& position) const;

  /// Describes the meshes with their hash: "habitat-sim 0.1.7's, 8 meshes (…), agent 1.5 x 0.1 m".
  std::string description() const;
  /// Returns what was measured of an agent, by the order of `measure`.
  const PositionDistances& measured(std::size_t agent) const { return of_agents_[agent]; }

 private:
  class Measuring;
  PositionDistances source() const;
  void note_other_agent(const formats::Dataset& dataset, std::vector<std::string>& notes) const;

  std::string path_;
  navmesh::Habitat habitat_;
  OverMeshes which_;
  std::vector<navmesh::NavMesh> meshes_;  // by scan
  float agent_height_ = 0.0f, agent_radius_ = 0.0f;
  bool have_one_agent_ = true;
  std::string hash_;
  std::vector<PositionDistances> of_agents_;
};

}  // namespace warpath::evaluation
