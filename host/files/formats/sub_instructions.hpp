#pragma once

#include <string>
#include <vector>

#include "host/files/formats/json_file.hpp"
#include "host/files/formats/trajectory.hpp"

namespace warpath::formats {

/// Says where the sub-path of a sub-instruction lies: part of a list of viewpoints.
struct SubInstruction {
  std::string suffix;       ///< behind the entry's id: "_1", or "_0_1" of the first instruction
  int instruction = 0;      ///< number of its instruction within the path
  const char* key = "";     ///< of the list, for errors
  json::Value path{};       ///< the list
  std::string_view text{};  ///< empty: that of its instruction
  std::size_t first = 0;    ///< of the sub-path's viewpoints, from 0
  std::size_t count = 0;    ///< number of viewpoints; 0: all
};

/// Returns the sub-instructions of an entry. FGR2R (Hong et al. 2020) has `chunk_view`: for each
/// instruction a list of [first, last], numbers of viewpoints of `path` from 1. Landmark-RxR (He et
/// al. 2021) has `sub_paths`, a list of viewpoints for each of its `sub_instructions`.
/// @throws InputError that names the entry and the key at fault
std::vector<SubInstruction> sub_instructions(json::Object entry, const InputError::Where& where);

/// Keeps a part of the last path. @param count 0: all of it
void keep_last(NamedPaths& paths, std::size_t first, std::size_t count);

}  // namespace warpath::formats
