#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "host/formats/json_file.hpp"

namespace warpath {

/// The keys under which entries of predictions have their id and their path, by precedence.
inline constexpr std::array<std::string_view, 3> prediction_id_keys{"instr_id", "inst_idx",
                                                                    "instruction_id"};
inline constexpr std::array<std::string_view, 3> prediction_path_keys{"trajectory", "path",
                                                                      "pred_path"};

/// The first of the keys that the object has, or nothing.
std::optional<std::string_view> first_key(json::object object,
                                          const std::array<std::string_view, 3>& keys);

/// Whether an entry without id and path holds numbers only: means, which some tools write first.
bool is_summary(json::object entry);

/// The key of the one list of predictions within an object that holds nothing else to score.
/// @throws InputError where there are several such lists.
std::optional<std::string> wrapping_key(json::object root, const std::string& file);

/// Where the value of an id is a list of candidates with a trajectory each, the first of them.
std::optional<json::element> first_candidate(json::element value);

/// Whether a trajectory is an object with a path, or a list of such, as SOON's submissions have it.
bool is_soon_trajectory(json::element trajectory);

}  // namespace warpath
