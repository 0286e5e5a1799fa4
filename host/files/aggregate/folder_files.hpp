#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/aggregate/rules.hpp"

namespace warpath::aggregate {

/// Returns what lies in a folder, by name; nothing if it is none.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Returns the one folder of a request.
/// @throws UsageError if the request has another number of words, InputError if it is no folder
std::filesystem::path only_folder(const DumpRequest& request, std::string_view rule,
                                  std::string_view remedy);

}  // namespace warpath::aggregate
