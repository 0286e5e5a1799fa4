#pragma once

#include <memory>
#include <string_view>
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

/// Finds the scans of `count` paths: one name for all, or a sequence with one for each.
/// @param item what the caller calls a path, e.g. "reference"
/// @throws InputError if a scan does not exist, or names are missing
ScanOfPair find_scans(const GraphStore& graphs, nb::handle scans, std::size_t count,
                      std::string_view item);

/// Reads references and finds their scans. @pre with the GIL
/// @throws InputError if they are points, or if a scan or viewpoint does not exist
StandingReferences read_references(std::shared_ptr<const GraphStore> graphs, nb::handle references,
                                   nb::handle scans);

/// Returns a copy of the paths of viewpoints in an argument that was read.
PathSet copy_of(PathArgument& paths);

}  // namespace warpath::python
