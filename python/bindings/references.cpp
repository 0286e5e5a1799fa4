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

ScanOfPair find_scans(const GraphStore& graphs, const ScanNames& names, std::size_t count,
                      std::string_view path) {
  if (const auto* name = std::get_if<std::string>(&names)) {
    return {{&graphs.scan(*name)}, std::vector<std::uint32_t>(count)};
  }
  const auto& each = std::get<std::vector<std::string>>(names);
  if (each.size() != count) {
    throw InputError({"scans"}, fmt::format("has {} names for {} {}s", each.size(), count, path),
                     fmt::format("name the scan of each {}, or one for all", path));
  }
  ScanOfPair found;
  found.index.reserve(count);
  std::unordered_map<std::string_view, std::uint32_t> number;
  for (const std::string& name : each) {
    const auto [scan, is_new] = number.emplace(name, found.scans.size());
    if (is_new) found.scans.push_back(&graphs.scan(name));
    found.index.push_back(scan->second);
  }
  return found;
}

StandingReferences read_references(std::shared_ptr<const GraphStore> graphs, nb::handle references,
                                   const ScanNames& scans) {
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
  read.references = copy_of(paths);
  return read;
}

}  // namespace warpath::python
