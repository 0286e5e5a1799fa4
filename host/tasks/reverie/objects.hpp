#pragma once

#include <string>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/objects.hpp"

namespace warpath::reverie {

/// Reads REVERIE's boxes, and makes the viewpoints that an item's target is visible from the item's
/// goal set. There are two forms, told apart by the content: the repository's BBox files,
/// `<scan>_<viewpoint>.json` with {viewpoint: {object: {"visible_pos": […], …}}}, and VLN-DUET's
/// one file with {"<scan>_<viewpoint>": {object: {"visible_pos": […], …}}}. An object whose
/// `visible_pos` is empty is not visible. Scans that the dataset has not are passed over.
/// @param path a folder of BBox files, or one file; each may be gzipped
/// @throws InputError if a file is not of these forms, an item has no target, or no target is
///   visible from any viewpoint
formats::ObjectsFile read_objects(const std::string& path, formats::Dataset& dataset,
                                  formats::StringTable& viewpoints,
                                  const io::Reading& reading = {});

}  // namespace warpath::reverie
