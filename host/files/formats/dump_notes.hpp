#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/files/formats/result_dump.hpp"

namespace warpath::formats {

/// Returns a sentence on episodes that several files have with other values: ids of ranks collide,
/// or runs are mixed.
std::string collision_note(std::size_t count, const std::string& ids);

/// Returns a sentence each: that ids are told apart by their scenes, that files of several runs of
/// ranks are mixed, and that copies of OVON measure other distances.
/// @param is_ovon the files say so; a file's name may, too
std::vector<std::string> run_notes(const ResultDump& dump, bool is_ovon);

}  // namespace warpath::formats
