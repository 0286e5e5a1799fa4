#pragma once

#include <string>

#include "host/files/formats/dataset.hpp"

namespace warpath::vlnce {

/// Tells whether a file holds continuous episodes: {"episodes": [...]}, or a list of them.
bool is_episodes(const formats::JsonFile& document);

/// Reads a dataset of continuous episodes. Its references are each episode's
/// reference_path; items of one trajectory share the number of their reference.
/// @param keep_instructions keep their texts
/// @throws InputError that names the episode and the key at fault
void read_episodes(const formats::JsonFile& document, bool keep_instructions,
                   formats::Dataset& dataset);

/// Replaces the references by those of a file of ground truth: {episode: {"locations": [...]}}.
/// @throws InputError if an episode has none
void read_ground_truth(const std::string& file, formats::Dataset& dataset,
                       const io::Reading& reading);

}  // namespace warpath::vlnce
