#pragma once

#include <optional>
#include <string_view>

#include "host/files/io/file_kind.hpp"
#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

/// Recognises well-known navigation files that cannot be scored, by the object that the file is or
/// by its first entry.
std::optional<io::FileKind> foreign_dataset(json::Object object);
std::optional<io::FileKind> foreign_predictions(json::Object object);
/// Recognises what stands in the place of a path of positions by the first entry of a file.
std::optional<io::FileKind> foreign_positions(json::Object object);

/// Recognises a path of positions in space, which is not a path of viewpoints.
std::optional<io::FileKind> foreign_path(json::Value path);

}  // namespace warpath::formats
