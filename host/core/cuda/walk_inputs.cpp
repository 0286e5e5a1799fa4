#include "host/core/cuda/walk_inputs.hpp"

#include <algorithm>
#include <limits>

namespace warpath::cuda {
namespace {

// Returns each reference in its scan, as DeviceReferences takes them.
PairBatch pairs_of(const RandomWalks& walks) {
  PairBatch batch;
  batch.scans.assign(walks.scans().begin(), walks.scans().end());
  batch.references = walks.references();
  batch.queries.end_path();
  for (std::uint32_t r = 0; r < walks.references().size(); ++r) {
    batch.pairs.push_back({walks.scan_of()[r], r, 0});
  }
  return batch;
}

DeviceReferences upload_references(Device& device, const RandomWalks& walks,
                                   const DeviceTables& tables, Stream stream) {
  const PairBatch batch = pairs_of(walks);
  const References references(batch, Rows{{}, 0, batch.pairs.size()}, 0,
                              std::numeric_limits<std::size_t>::max());
  kernels::BatchView view{};
  view.distance = tables.distance.data();
  view.scans = tables.scans.data();
  const bool are_small =
      std::ranges::all_of(walks.scans(), [](const Scan* s) { return s->size() <= 256; });
  return {device, batch, references, {}, view, are_small ? 1u : 2u, stream};
}

}  // namespace

DeviceWalkEdges::DeviceWalkEdges(Device& device, const walks::WalkTables& tables, Stream stream) {
  std::size_t entries = 0;
  for (const walks::WalkEdges& edges : tables.edges) entries += edges.entries();
  HostDeviceArray<kernels::WalkScan> all_scans(device, tables.edges.size());
  HostDeviceArray<std::uint32_t> all_next(device, entries);
  HostDeviceArray<float> all_lengths(device, entries);
  const WaitAtEnd wait(device, stream);
  std::size_t base = 0;
  for (std::size_t s = 0; s < tables.edges.size(); ++s) {
    const kernels::WalkGraph graph = tables.edges[s].view();
    all_scans.host[s] = {base, graph.shift};
    std::copy_n(graph.next, tables.edges[s].entries(), all_next.host.data() + base);
    std::copy_n(graph.length, tables.edges[s].entries(), all_lengths.host.data() + base);
    base += tables.edges[s].entries();
  }
  all_scans.upload(device, tables.edges.size(), stream);
  all_next.upload(device, entries, stream);
  all_lengths.upload(device, entries, stream);
  device.wait(stream);
  scans = std::move(all_scans.device);
  next = std::move(all_next.device);
  length = std::move(all_lengths.device);
}

WalkInputs::WalkInputs(Device& device, const RandomWalks& walks,
                       const walks::WalkTables& walk_tables, Stream stream)
    : tables(device, walk_tables.distances, walks.scans().size(), stream),
      edges(device, walk_tables, stream),
      references(upload_references(device, walks, tables, stream)) {
  references.forget_host_copy();
}

std::size_t WalkInputs::bytes() const {
  return tables.bytes() + edges.scans.size() * sizeof(kernels::WalkScan) +
         edges.next.size() * (sizeof(std::uint32_t) + sizeof(float)) +
         references.nodes.device.size() +
         references.terms.size() * (2 * sizeof(std::uint32_t) + sizeof(kernels::ReferenceTerms));
}

kernels::WalkView WalkInputs::view(const walks::WalkTables& walk_tables) const {
  kernels::WalkView view{};
  view.batch.distance = tables.distance.data();
  view.batch.scans = tables.scans.data();
  view.batch.references = references.terms.data();
  view.references = references.view;
  view.walk_scans = edges.scans.data();
  view.next = edges.next.data();
  view.length = edges.length.data();
  int shift = 0;
  for (const walks::WalkEdges& e : walk_tables.edges) shift = std::max(shift, e.view().shift);
  view.max_noted_rest = (1u << shift) - 1;
  view.steps = walk_tables.steps;
  view.seed = walk_tables.seed;
  view.keys = kernels::philox_schedule(walk_tables.seed);
  return view;
}

}  // namespace warpath::cuda
