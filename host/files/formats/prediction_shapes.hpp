#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

/// Keys of the id and of the path of an entry, by precedence.
inline constexpr std::array<std::string_view, 3> prediction_id_keys{"instr_id", "inst_idx",
                                                                    "instruction_id"};
inline constexpr std::array<std::string_view, 3> prediction_path_keys{"trajectory", "path",
                                                                      "pred_path"};
/// Key of the path of an instance among results.
inline constexpr std::string_view instance_path_key = "agent_pano_path";

/// Returns the first of the keys that the object has, or nothing.
std::optional<std::string_view> first_key(json::Object object,
                                          const std::array<std::string_view, 3>& keys);

/// Tells whether an entry without id and path holds only numbers: means, which some tools write
/// first.
bool is_summary(json::Object entry);

/// Tells whether the value of a key is a list of predictions of different ids, not of candidates
/// for one id. The first three entries decide.
bool is_list_of_predictions(std::string_view key, json::Value value);

/// Returns the key of the only list of predictions within an object that has nothing else to score.
/// @throws InputError if there are several such lists.
std::optional<std::string> wrapping_key(json::Object root, const std::string& file);

/// Returns the object of the instances by id that results hold; nothing for any other object.
std::optional<json::Object> instances_in(json::Object root);

/// Returns the first candidate if the value of an id is a list of candidates with a trajectory
/// each.
std::optional<json::Value> first_candidate(json::Value value);

}  // namespace warpath::formats
