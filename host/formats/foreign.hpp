#pragma once

#include <optional>
#include <string_view>

#include "host/formats/json_fwd.hpp"
#include "host/io/file_kind.hpp"

namespace warpath {

/// Recognises well-known navigation files that cannot be scored, by the object that the file is or
/// by its first entry.
std::optional<FileKind> foreign_dataset(json::object object);
std::optional<FileKind> foreign_predictions(json::object object);
/// Recognises what stands in the place of a path of positions by the first entry of a file.
std::optional<FileKind> foreign_positions(json::object object);

/// Recognises a path of positions in space, which is not a path of viewpoints.
std::optional<FileKind> foreign_path(json::element path);

}  // namespace warpath
