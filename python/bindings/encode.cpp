// Turns paths of ids into padded numbers, as scorers and rewards take them.
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <initializer_list>
#include <memory>

#include "python/bindings/bindings.hpp"
#include "python/bindings/references.hpp"
#include "warpath/error.hpp"

namespace warpath::python {
namespace {

using Numbers = std::vector<std::int32_t>;

nb::object numbers_to_numpy(std::unique_ptr<Numbers> numbers,
                            std::initializer_list<std::size_t> shape) {
  std::int32_t* const data = numbers->data();
  const nb::capsule owner(numbers.get(),
                          [](void* held) noexcept { delete static_cast<Numbers*>(held); });
  numbers.release();
  return nb::ndarray<nb::numpy, std::int32_t>(data, shape, owner).cast();
}

// Refuses a path that moves from a viewpoint to another one without an edge.
void check_edges(std::size_t p, std::span<const Node> path, const Scan& scan) {
  for (std::size_t t = 1; t < path.size(); ++t) {
    const Node from = path[t - 1], to = path[t];
    if (from == to || scan.adjacent(from, to)) continue;
    throw InputError({"paths", fmt::format("path {}", p), fmt::format("viewpoint {}", t)},
                     fmt::format("is {}, and no edge of scan {} joins it to {}", scan.viewpoint(to),
                                 scan.id(), scan.viewpoint(from)),
                     "give every viewpoint of the path, or leave check_edges out");
  }
}

// Returns numbers [paths, longest], -1 behind the end, and the number of viewpoints by path.
nb::tuple encode(const GraphStore& graphs, nb::handle paths, nb::handle scans,
                 bool are_edges_checked) {
  PathArgument argument(paths, "paths", "path");
  if (argument.has_points()) throw InputError({"paths"}, "are points", "give ids of viewpoints");
  const ScanOfPair scan_of = find_scans(graphs, scans, argument.size(), "path");
  argument.read_ids(scan_of);
  const PathSet read = copy_of(argument);
  std::size_t longest = 0;
  for (std::size_t p = 0; p < read.size(); ++p) longest = std::max(longest, read.size_of(p));
  auto numbers = std::make_unique<Numbers>(read.size() * longest, -1);
  auto lengths = std::make_unique<Numbers>();
  for (std::size_t p = 0; p < read.size(); ++p) {
    const auto path = read[p];
    if (are_edges_checked) check_edges(p, path, scan_of.scan(p));
    std::ranges::copy(path, numbers->begin() + static_cast<std::ptrdiff_t>(p * longest));
    lengths->push_back(static_cast<std::int32_t>(path.size()));
  }
  return nb::make_tuple(numbers_to_numpy(std::move(numbers), {read.size(), longest}),
                        numbers_to_numpy(std::move(lengths), {read.size()}));
}

}  // namespace

void bind_encode(nb::module_& m) {
  m.def("encode", &encode, "graphs"_a, "paths"_a, "scans"_a, "check_edges"_a,
        nb::sig("def encode(graphs: GraphStore, paths: object, scans: "
                "object, check_edges: "
                "bool) -> tuple[numpy.typing.NDArray[numpy.int32], "
                "numpy.typing.NDArray[numpy.int32]]"));
}

}  // namespace warpath::python
