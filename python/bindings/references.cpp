#include "python/bindings/references.hpp"

#include <string_view>
#include <unordered_map>

#include "warpath/error.hpp"

namespace warpath::python {

PathSet copy_of(PathArgument& paths) {
  const PathView<Node> view = paths.pack();
  PathSet copy;
  copy.elements.assign(view.elements.begin(), view.elements.end());
  copy.offsets.assign(view.offsets.begin(), view.offsets.end());
  return copy;
}

ScanOfPair find_scans(const GraphStore& graphs, const std::vector<std::string>& names) {
  ScanOfPair found;
  found.index.reserve(names.size());
  std::unordered_map<std::string_view, std::uint32_t> number;
  for (const std::string& name : names) {
    const auto [scan, is_new] = number.emplace(name, found.scans.size());
    if (is_new) found.scans.push_back(&graphs.scan(name));
    found.index.push_back(scan->second);
  }
  return found;
}

StandingReferences read_references(std::shared_ptr<const GraphStore> graphs, nb::handle references,
                                   const std::vector<std::string>& scans) {
  StandingReferences read;
  read.graphs = std::move(graphs);
  PathArgument paths(references, "references");
  if (paths.has_points()) {
    throw InputError({"references"}, "are points",
                     "leave them out here, and give them with each batch");
  }
  if (scans.size() != paths.size()) {
    throw InputError({"scans"},
                     fmt::format("has {} names for {} references", scans.size(), paths.size()),
                     "name the scan of each reference, or one for all");
  }
  ScanOfPair found = find_scans(*read.graphs, scans);
  paths.read_ids(found);
  read.scans = std::move(found.scans);
  read.scan_of = std::move(found.index);
  read.references = copy_of(paths);
  return read;
}

}  // namespace warpath::python
