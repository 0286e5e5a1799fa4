#pragma once

#include <string>
#include <vector>

#include "host/formats/dataset.hpp"

namespace warpath {

/// Describes the boxes that were read: which objects are visible from which viewpoints.
struct ObjectsFile {
  std::string path;
  /// Of what is visible from where in the dataset's scans. It is the same for both forms.
  std::string hash;
  bool is_version_1 =
      false;  ///< the boxes of REVERIE's repository, over the scans of a whole split
  std::size_t scans = 0, viewpoints = 0;  ///< of the dataset's scans
  std::size_t visible = 0;                ///< pairs of a viewpoint and an object visible from it
  std::size_t hidden = 0;  ///< the same of objects that are listed without a view that shows them
  std::vector<std::string> notes;  ///< what readers of the scores should know, a sentence each
};

/// Reads REVERIE's boxes, and makes the viewpoints that an item's target is visible from the item's
/// goal set. There are two forms, told apart by the content: the repository's BBox files,
/// `<scan>_<viewpoint>.json` with {viewpoint: {object: {"visible_pos": […], …}}}, and VLN-DUET's
/// one file with {"<scan>_<viewpoint>": {object: {"visible_pos": […], …}}}. An object whose
/// `visible_pos` is empty is not visible. Scans that the dataset has not are passed over.
/// @param path a folder of BBox files, or one file; each may be gzipped
/// @throws InputError if a file is not of these forms, an item has no target, or no target is
///   visible from any viewpoint
ObjectsFile read_objects(const std::string& path, Dataset& dataset, StringTable& viewpoints,
                         const Reading& reading = {});

}  // namespace warpath
