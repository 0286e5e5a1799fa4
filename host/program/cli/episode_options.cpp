#include "host/program/cli/episode_options.hpp"

#include "host/program/cli/options.hpp"

namespace warpath::cli {

static constexpr const char* episode_group = "Files";

Option& add_navmesh_options(Command& command, EvalFiles& files) {
  Option& navmesh =
      command
          .add_option("--navmesh", files.navmesh,
                      "VLN-CE: navigation mesh of habitat-sim, or folder with <scan>.navmesh, over "
                      "which distances to the goal go")
          .put_in(episode_group)
          .check(not_empty());
  command
      .add_option("--habitat", files.habitat,
                  "version of habitat-sim whose distances --navmesh gives, to the last bit")
      .name_value("0.1.7|0.3.4")
      .put_in(episode_group)
      .show_default();
  return navmesh;
}

// Adds grids, which give paths of points viewpoints and all distances.
static Option& add_grid_options(Command& command, EvalFiles& files) {
  Option& grid =
      command
          .add_option(
              "--grid", files.grid,
              "VLN-CE and pairs of points: grid of free cells, or folder with <scan>.json; each "
              "point stands for its nearest cell, and all distances go over the grid")
          .name_value("PATH")
          .put_in(episode_group)
          .check(not_empty());
  command
      .add_option("--connect", files.connect,
                  "neighbours of a cell of --grid; fmm: distances by fast marching")
      .name_value("4|8|fmm")
      .put_in(episode_group)
      .show_default();
  command.add_option("--snap", files.snap, "how far a point may be from its cell of --grid, metres")
      .name_value("METRES")
      .put_in(episode_group)
      .show_default();
  return grid;
}

static void add_ground_truth_option(Command& command, std::string& ground_truth) {
  command
      .add_option("--ground-truth", ground_truth,
                  "VLN-CE: dense references, {episode: {locations}} (default: reference_path)")
      .put_in(episode_group)
      .check(not_empty());
}

// Adds the distances to the goals of continuous episodes.
static void add_distance_options(Command& command, EvalFiles& files) {
  command
      .add_option(
          "--distances", files.distances,
          "VLN-CE: distances to the goal, {episode: [one for each position]}; once, or once "
          "for each agent (default: Euclidean)")
      .put_in(episode_group)
      .take_single_values()
      .check(not_empty());
  add_navmesh_options(command, files).exclude("--distances");
  command
      .add_option("--geodesic", files.geodesic,
                  "which distances go over the meshes: those to the goal, or all of the metrics")
      .name_value("goal|all")
      .put_in(episode_group)
      .show_default();
}

Option& add_episode_options(Command& command, EvalFiles& files) {
  add_ground_truth_option(command, files.ground_truth);
  add_distance_options(command, files);
  return add_grid_options(command, files).exclude("--navmesh").exclude("--distances");
}

}  // namespace warpath::cli
