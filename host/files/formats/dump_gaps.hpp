#pragma once

#include <span>
#include <string>
#include <vector>

namespace warpath::formats {

/// Returns the names of files that are missing among the ranks or chunks of a run. Names end with
/// the number of chunks and the chunk's own ("_3-0.json", NaVILA), or with rank and number of ranks
/// ("_r0_w4.json", VLN-CE and its descendants).
std::vector<std::string> missing_chunks(std::span<const std::string> files);

/// Returns a sentence on files of the same run by other numbers of ranks or chunks, of which some
/// are left from before; or nothing.
std::string mixed_runs(std::span<const std::string> files);

/// Returns a sentence on the ids that are missing between the smallest and the largest, or nothing
/// if none is, if ids are no whole numbers, or if more are missing than there.
std::string missing_ids(const std::vector<std::string>& ids);

}  // namespace warpath::formats
