#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/graphs.hpp"
#include "host/files/grid/grid_folder.hpp"
#include "host/files/io/input_file.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::evaluation {

/// Holds the grids of a dataset's scans, and snaps positions to their cells.
class GridPaths {
 public:
  /// Reads the grids of all scans, and adds each as a scan to the graphs.
  /// @pre the dataset has positions
  /// @throws InputError, UsageError
  GridPaths(const EvalFiles& files, const formats::Dataset& dataset, formats::Graphs& graphs,
            const io::Reading& reading);

  /// Gives a dataset and its agents paths of cells beside their positions, and items with goals
  /// the cells of these. A position that is too far from every cell becomes a viewpoint that no
  /// scan has.
  void snap(formats::Dataset& dataset, std::vector<formats::Predictions>& agents,
            formats::StringTable& viewpoints);

  /// Refuses paths of the dataset and of an agent that have a position too far from every cell,
  /// unless the convention leaves such items out or counts them as failures.
  /// @throws InputError that names the first of them with their distances
  void refuse_far(std::size_t agent, const Convention& convention) const;

  /// Says how an agent's positions were snapped: "positions snapped to cells (8 neighbours) by up
  /// to 0.512 m, 0.0387 m on average".
  std::string description(std::size_t agent) const;
  /// Says the same in numbers.
  PositionDistances distances(std::size_t agent) const;

 private:
  // A position that is too far from every cell.
  struct Far {
    std::string id, place;
    double metres;
    std::uint32_t item;
  };
  // What was snapped of one file.
  struct Snaps {
    std::string file;
    std::size_t paths = 0, positions = 0;  // without those that are too far
    std::size_t far_positions = 0;
    double max = 0.0, sum = 0.0;  // metres
    std::vector<Far> far{};       // the first of each path

    SnapSummary summary() const;
  };
  // Paths of positions, each of an item, or of none and left out.
  struct Source {
    const PointSet& points;
    const char* what;
    std::vector<std::optional<std::uint32_t>> items;  // by path
  };
  class Snapping;

  void snap_dataset(Snapping& snapping, formats::Dataset& dataset);
  std::string far_paths(const Snaps& snaps) const;

  std::string connect_;
  double max_snap_;
  std::size_t grid_count_ = 0;
  std::string hash_;                   // of all grids
  std::vector<grid::GridFile> grids_;  // by scan of the dataset
  Snaps of_dataset_;
  std::vector<Snaps> of_agents_;
  std::vector<std::vector<bool>> predicted_;  // by agent and item
};

}  // namespace warpath::evaluation
