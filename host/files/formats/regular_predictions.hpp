#pragma once

#include <string_view>

#include "host/files/formats/predictions.hpp"

namespace warpath::formats {

/// Reads a list of predictions of the form that nearly all files have, without a document of its
/// JSON, which takes several times as long: objects of nothing but an id and a list of
/// "viewpoint", [viewpoint, heading, elevation] or [viewpoint, viewpoint, …]. Headings are checked
/// to be finite numbers, and not kept.
/// @param takes_nested else [viewpoint, viewpoint, …] is another form
/// @param out has the keys of id and path, and gets the entries and their paths
/// @returns false if the text has another form or a fault, which the reader of JSON says; then
/// `out` and `viewpoints` have some of it.
bool read_regular_predictions(std::string_view text, bool takes_nested, StringTable& viewpoints,
                              Predictions& out);

}  // namespace warpath::formats
