#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/formats/dataset.hpp"
#include "host/submission/findings.hpp"

namespace warpath {

/// Holds predictions in the form that a server takes.
struct Conversion {
  std::string text;
  std::uint64_t entries = 0;
  std::vector<std::string> notes{};  ///< what was changed, added or left out
};

/// Writes paths of viewpoints as a submission to R2R's server, a list of {instr_id, trajectory:
/// [[viewpoint, heading, elevation], …]}, or to REVERIE's, with predObjId. Every entry keeps its
/// other keys, its path and its place; angles that are not given are 0.
/// @param dataset whose ids are written where it has them; null: none
/// @pre the predictions keep their document
/// @throws InputError if a path cannot be read
Conversion convert_viewpoints(const Predictions& predictions, Server server,
                              const Dataset* dataset);

/// Says how paths of positions are written.
struct PositionForm {
  bool is_rxr = false;        ///< RxR-Habitat's lines instead of VLN-CE's object
  bool assumes_stop = false;  ///< a path that says nothing of stops ends with one
};

/// Writes paths of positions as a submission to VLN-CE's server, {episode: [{position, heading,
/// stop}, …]} in the order of the predictions, where a heading that is not given is 0; or to
/// RxR-Habitat's, lines of instruction_id and path in the order of the numbers, without a position
/// that repeats the one before. Numbers read back as the same doubles.
/// @param dataset which says what instruction an episode is of; null: the predictions must name
///   what the form asks for
/// @pre the predictions keep their document
/// @throws InputError if a path or an id cannot be written in that form, or an id is there twice
Conversion convert_positions(const Predictions& predictions, const PositionForm& form,
                             const Dataset* dataset);

}  // namespace warpath
