#pragma once

#include <optional>
#include <string_view>

#include "host/files/formats/json_fwd.hpp"
#include "host/files/io/file_kind.hpp"

namespace warpath::formats {

/// Recognises well-known navigation files that cannot be scored, by the object that the file is or
/// by its first entry.
std::optional<io::FileKind> foreign_dataset(json::object object);
std::optional<io::FileKind> foreign_predictions(json::object object);
/// Recognises what stands in the place of a path of positions by the first entry of a file.
std::optional<io::FileKind> foreign_positions(json::object object);

/// Recognises a path of positions in space, which is not a path of viewpoints.
std::optional<io::FileKind> foreign_path(json::element path);

}  // namespace warpath::formats
