#include "python/bindings/bindings.hpp"
#include "warpath/version.hpp"

NB_MODULE(_core, m) {
  using namespace warpath::python;
  m.doc() = "The C++ library under the package warpath, whose modules are what programs import.";
  // A DataLoader's workers, and the objects at the top level of a script, end with the process.
  nb::set_leak_warnings(false);
  m.def("set_leak_warnings", &nb::set_leak_warnings, "on"_a);  // for tests
  m.attr("version") = WARPATH_VERSION;  // stubs leave names with underscores out
  bind_errors(m);
  bind_tables(m);
  bind_graphs(m);
  bind_grids(m);
  bind_paths(m);
  bind_encode(m);
  bind_navmesh(m);
  bind_statistics(m);
  bind_scorer(m);
  bind_distance_table(m);
  bind_point_warping(m);
  bind_json_text(m);
  bind_held_predictions(m);
  bind_own_metrics(m);
  bind_evaluation(m);
  bind_rewards(m);
  bind_reward_tracker(m);
  bind_random_walks(m);
  bind_generators(m);
  bind_reference_scorer(m);
  bind_cluster_mean(m);
  bind_content_hash(m);
  bind_rating_sets(m);
  bind_dataset_items(m);
  bind_kendall_draws(m);
  bind_resampled_sums(m);
  bind_seen_pixels(m);
  bind_program(m);
}
