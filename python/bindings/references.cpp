#include "python/bindings/references.hpp"

#include "python/bindings/scorer.hpp"
#include "warpath/error.hpp"

namespace warpath::python {

PathSet copy_of(PathArgument& paths) {
  const PathView<Node> view = paths.pack();
  PathSet copy;
  copy.elements.assign(view.elements.begin(), view.elements.end());
  copy.offsets.assign(view.offsets.begin(), view.offsets.end());
  return copy;
}

ScanOfPair find_scans(const GraphStore& graphs, nb::handle scans, std::size_t count,
                      std::string_view item) {
  std::vector<std::string> names;
  ScanOfPair found;
  found.index = read_names(scans, count, item, names);
  for (const std::string& name : names) found.scans.push_back(&graphs.scan(name));
  return found;
}

StandingReferences read_references(std::shared_ptr<const GraphStore> graphs, nb::handle references,
                                   nb::handle scans) {
  StandingReferences read;
  read.graphs = std::move(graphs);
  PathArgument paths(references, "references");
  if (paths.has_points()) {
    throw InputError({"references"}, "are points",
                     "leave them out here, and give them with each batch");
  }
  ScanOfPair found = find_scans(*read.graphs, scans, paths.size(), "reference");
  paths.read_ids(found);
  read.scans = std::move(found.scans);
  read.scan_of = std::move(found.index);
  if (read.scan_of.size() == 1) read.scan_of.resize(paths.size());  // the scan of all is number 0
  read.references = copy_of(paths);
  return read;
}

}  // namespace warpath::python
