#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;
using namespace nb::literals;  // "name"_a

namespace warpath::python {

// Each part of the extension module is a file of the same name.
void bind_errors(nb::module_& m);
void bind_tables(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_grids(nb::module_& m);
void bind_paths(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_navmesh(nb::module_& m);
void bind_statistics(nb::module_& m);
void bind_scorer(nb::module_& m);
void bind_distance_table(nb::module_& m);
void bind_point_warping(nb::module_& m);
void bind_json_text(nb::module_& m);
void bind_held_predictions(nb::module_& m);
void bind_own_metrics(nb::module_& m);
void bind_evaluation(nb::module_& m);
void bind_rewards(nb::module_& m);
void bind_reward_tracker(nb::module_& m);
void bind_random_walks(nb::module_& m);
void bind_generators(nb::module_& m);
void bind_reference_scorer(nb::module_& m);
void bind_cluster_mean(nb::module_& m);
void bind_content_hash(nb::module_& m);
void bind_rating_sets(nb::module_& m);
void bind_dataset_items(nb::module_& m);
void bind_kendall_draws(nb::module_& m);
void bind_resampled_sums(nb::module_& m);
void bind_seen_pixels(nb::module_& m);
void bind_program(nb::module_& m);

inline nb::str to_str(std::string_view text) {
  return nb::str(text.data(), text.size());
}

}  // namespace warpath::python
