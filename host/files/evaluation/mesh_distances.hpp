#pragma once

#include <string>
#include <vector>

#include "host/files/formats/dataset.hpp"
#include "host/files/io/input_file.hpp"
#include "host/files/navmesh/navmesh.hpp"

namespace warpath::evaluation {

/// Measures the distances of predicted positions to the goals of their episodes over navigation
/// meshes, as habitat-sim would.
class MeshDistances {
 public:
  /// Reads the meshes of all scans of a dataset.
  /// @param path a file or a folder, see navmesh::find_meshes
  /// @pre the dataset has episodes
  /// @throws InputError, UsageError
  MeshDistances(const std::string& path, navmesh::Habitat habitat, const formats::Dataset& dataset,
                const io::Reading& reading);

  /// Gives each position of an agent its distance, the least to a goal, and notes how many are
  /// infinite and why. By the rules of 0.1.7 there is no way where one of several goals is off
  /// the mesh (habitat-sim up to 0.2.3); by those of 0.3.4 such a goal is left out. Malformed
  /// paths get no distance.
  /// @throws InputError if neither a position nor a goal is on a mesh
  void measure(const formats::Dataset& dataset, formats::Predictions& predictions) const;

  /// Describes the meshes: "habitat-sim 0.1.7's, 8 meshes, agent 1.5 x 0.1 m".
  std::string description() const;

 private:
  class Measuring;

  std::string path_;
  navmesh::Habitat habitat_;
  std::vector<navmesh::NavMesh> meshes_;  // by scan
  float agent_height_ = 0.0f, agent_radius_ = 0.0f;
  bool have_one_agent_ = true;
  std::string hash_;
};

}  // namespace warpath::evaluation
