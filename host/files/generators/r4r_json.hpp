#pragma once

#include <span>
#include <string>

#include "host/files/generators/join_paths.hpp"

namespace warpath::generators {

/// Writes the joined paths of all scans as JSON in R4R's form, with the keys of the original script
/// in its order and with its indentation. Entries are numbered throughout, from path_id 0.
std::string r4r_json(const formats::PathAnnotations& annotations,
                     std::span<const JoinedPaths> scans);

}  // namespace warpath::generators
