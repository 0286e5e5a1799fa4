#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/files/formats/dataset.hpp"

namespace warpath::formats {

/// Tells whether an input is a folder, and no text that stands in for a file.
bool is_folder(const std::string& path, const io::Reading& reading);

/// Returns the files of a folder, and of those below it, in the order of their paths. @throws
/// InputError if it cannot be listed
std::vector<std::string> files_below(const std::string& folder);

/// Returns the last `count` names of a path, with slashes between them.
std::string last_names(std::string_view path, std::size_t count);

/// Reads annotations of which each item has a file of its own, see Task::item_file.
/// @param forced the task; null: it is that of the first file which has the name of one
/// @throws InputError as read_dataset, and if no file has such a name
Dataset read_dataset_folder(const std::string& folder, const tasks::Task* forced,
                            bool keep_instructions, const io::Reading& reading);

}  // namespace warpath::formats
