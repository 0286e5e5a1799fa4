#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
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

/// The name of the scan of all paths, or the names one by one.
using ScanNames = std::variant<std::string, std::vector<std::string>>;

/// Finds the scan of each of `count` paths, each called a `path`.
/// @throws InputError if there is no such scan, or other than a name for each path
ScanOfPair find_scans(const GraphStore& graphs, const ScanNames& names, std::size_t count,
                      std::string_view path);

/// Reads references and finds their scans. @pre with the GIL
/// @throws InputError if they are points, or if a scan or viewpoint does not exist
StandingReferences read_references(std::shared_ptr<const GraphStore> graphs, nb::handle references,
                                   const ScanNames& scans);

/// Returns a copy of the paths of viewpoints in an argument that was read.
PathSet copy_of(PathArgument& paths);

}  // namespace warpath::python
