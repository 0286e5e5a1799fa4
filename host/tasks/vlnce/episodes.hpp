#pragma once

#include <memory>
#include <string>

#include "host/files/formats/dataset.hpp"
#include "host/tasks/task.hpp"

namespace warpath::vlnce {

/// Tells whether an entry is a continuous episode.
bool is_episode(const json::Object& entry);

/// Returns a reader of continuous episodes. The dataset's references become each episode's
/// reference_path; items of one trajectory share the number of their reference. Errors name the
/// episode and the key at fault.
/// @param dataset has to outlive the reader
/// @param keep_instructions keep their texts
std::unique_ptr<tasks::OwnReader> make_episode_reader(formats::Dataset& dataset,
                                                      bool keep_instructions);

/// Replaces the references by those of a file of ground truth: {episode: {"locations": [...]}}.
/// @throws InputError if an episode has none
void read_ground_truth(const std::string& file, formats::Dataset& dataset,
                       const io::Reading& reading);

}  // namespace warpath::vlnce
