#pragma once

#include <memory>
#include <string>
#include <vector>

#include "python/bindings/paths.hpp"
#include "warpath/graph_store.hpp"
#include "warpath/paths.hpp"

namespace warpath::python {

/// Holds references that stay, with their scans.
struct StandingReferences {
  std::shared_ptr<const GraphStore> graphs;
  std::vector<const Scan*> scans;
  PathSet references;
  std::vector<std::uint32_t> scan_of;  ///< by reference: index into `scans`
};

/// Finds the scan of each path, named one by one. @throws InputError if there is no such scan
ScanOfPair find_scans(const GraphStore& graphs, const std::vector<std::string>& names);

/// Reads references, whose scans are named one by one. @pre with the GIL
/// @throws InputError if they are points, or if a scan or viewpoint does not exist
StandingReferences read_references(std::shared_ptr<const GraphStore> graphs, nb::handle references,
                                   const std::vector<std::string>& scans);

/// Returns a copy of the paths of viewpoints in an argument that was read.
PathSet copy_of(PathArgument& paths);

}  // namespace warpath::python
