#include "python/bindings/references.hpp"

#include <map>

#include "warpath/error.hpp"

namespace warpath::python {

PathSet copy_of(PathArgument& paths) {
  const PathView<Node> view = paths.pack();
  PathSet copy;
  copy.elements.assign(view.elements.begin(), view.elements.end());
  copy.offsets.assign(view.offsets.begin(), view.offsets.end());
  return copy;
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
  std::map<std::string, std::uint32_t> number;
  for (const std::string& scan : scans) {
    const auto [found, is_new] = number.emplace(scan, read.scans.size());
    if (is_new) read.scans.push_back(&read.graphs->scan(scan));
    read.scan_of.push_back(found->second);
  }
  paths.read_ids({read.scans, read.scan_of});
  read.references = copy_of(paths);
  return read;
}

}  // namespace warpath::python
