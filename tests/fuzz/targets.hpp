#pragma once

#include <cstdint>
#include <span>
#include <string_view>

// The bodies of the fuzz targets. Each takes any bytes, and throws where the library breaks a
// promise: a Violation, or whatever the library lets escape.

namespace warpath::fuzz {

using Bytes = std::span<const std::uint8_t>;

void fuzz_connectivity(Bytes input);
void fuzz_plain_graph(Bytes input);
void fuzz_edge_list(Bytes input);
void fuzz_street_graph(Bytes input);
void fuzz_dataset(Bytes input);
void fuzz_predictions(Bytes input);
void fuzz_positions(Bytes input);
void fuzz_flights(Bytes input);
void fuzz_pairs(Bytes input);
void fuzz_task_success(Bytes input);
void fuzz_tours(Bytes input);
void fuzz_objects(Bytes input);
void fuzz_coordinates(Bytes input);
void fuzz_result_dumps(Bytes input);
void fuzz_program_dumps(Bytes input);
void fuzz_gzip(Bytes input);
void fuzz_navmesh(Bytes input);
void fuzz_grid(Bytes input);
void fuzz_scores(Bytes input);
void fuzz_commands(Bytes input);

struct Target {
  std::string_view name;  ///< of its folders of inputs, and in WARPATH_FUZZ_TARGET
  void (*run)(Bytes input);
};

inline constexpr Target targets[] = {
    {"connectivity", fuzz_connectivity},
    {"plain_graph", fuzz_plain_graph},
    {"edge_list", fuzz_edge_list},
    {"street_graph", fuzz_street_graph},
    {"dataset", fuzz_dataset},
    {"predictions", fuzz_predictions},
    {"positions", fuzz_positions},
    {"flights", fuzz_flights},
    {"pairs", fuzz_pairs},
    {"task_success", fuzz_task_success},
    {"tours", fuzz_tours},
    {"objects", fuzz_objects},
    {"coordinates", fuzz_coordinates},
    {"result_dumps", fuzz_result_dumps},
    {"program_dumps", fuzz_program_dumps},
    {"gzip", fuzz_gzip},
    {"navmesh", fuzz_navmesh},
    {"grid", fuzz_grid},
    {"scores", fuzz_scores},
    {"commands", fuzz_commands},
};

}  // namespace warpath::fuzz
