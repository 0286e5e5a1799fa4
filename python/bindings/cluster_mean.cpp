// Means of values with the intervals that reports of evaluations give them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "host/core/means/cluster_interval.hpp"
#include "python/bindings/bindings.hpp"

namespace warpath::python {
namespace {

using Values = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ClusterNumbers = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Returns the mean of values, its interval, their number and that of their clusters. NaN is "no
// value".
nb::tuple cluster_mean(const Values& values, const ClusterNumbers& clusters, bool is_rate) {
  const std::size_t size = values.shape(0);
  if (clusters.shape(0) != size) throw nb::value_error("arrays of different lengths");
  const std::span<const double> all(values.data(), size);
  const std::span<const std::uint32_t> of_value(clusters.data(), size);
  std::uint32_t count = 0;
  for (const std::uint32_t cluster : of_value) {
    if (cluster >= size) throw nb::value_error("clusters are not numbered from 0");
    count = std::max(count, cluster + 1);
  }
  const means::ClusterSums sums(all, of_value, count);
  const auto n = std::accumulate(sums.count.begin(), sums.count.end(), std::uint64_t{0});
  if (n == 0) return nb::make_tuple(nb::none(), nb::none(), 0, 0);
  double total = 0.0;
  for (const double value : all) total += std::isnan(value) ? 0.0 : value;
  const double mean = total / static_cast<double>(n);
  // A rate of 0 or 1 has no spread, so the usual interval would have width 0.
  const bool needs_wilson = is_rate && (mean == 0.0 || mean == 1.0);
  const auto bounds = needs_wilson ? means::wilson_interval(sums.size(), mean == 1.0)
                                   : means::cluster_interval(sums, mean);
  const nb::object interval =
      bounds ? nb::object(nb::make_tuple((*bounds)[0], (*bounds)[1])) : nb::none();
  return nb::make_tuple(mean, interval, n, sums.size());
}

}  // namespace

void bind_cluster_mean(nb::module_& m) {
  m.def("cluster_mean", &cluster_mean, "values"_a, "clusters"_a, "is_rate"_a,
        nb::sig("def cluster_mean(values: numpy.typing.NDArray[numpy.float64], "
                "clusters: numpy.typing.NDArray[numpy.uint32], is_rate: bool) -> "
                "tuple[float | None, tuple[float, float] | None, int, int]"));
}

}  // namespace warpath::python
