#pragma once

#include <optional>
#include <string_view>

#include "host/formats/json_file.hpp"
#include "host/io/file_kind.hpp"

namespace warpath {

/// Tells well-known files of navigation that hold nothing to score here, by the object that the
/// file is or by its first entry.
std::optional<FileKind> foreign_dataset(json::object object);
std::optional<FileKind> foreign_predictions(json::object object);

/// Tells a path of positions in space from one of viewpoints.
std::optional<FileKind> foreign_path(json::element path);

}  // namespace warpath
