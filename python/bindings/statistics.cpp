#include "python/bindings/statistics.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <stdexcept>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/settings.hpp"

namespace warpath::python {

nb::int_ to_int(const Statistics::Integer& integer) {
  const nb::object high = nb::int_(static_cast<std::int64_t>(integer.high));
  return nb::int_((high << nb::int_(64)) | nb::int_(integer.low));
}

Statistics::Integer to_integer(const nb::int_& value) {
  const nb::object object = nb::borrow(value);
  const nb::object mask = nb::int_(~std::uint64_t{0});
  Statistics::Integer integer;
  integer.low = nb::cast<std::uint64_t>(nb::object(object & mask));
  std::int64_t high = 0;
  if (!nb::try_cast(nb::object(object >> nb::int_(64)), high)) {
    throw std::overflow_error("a sum has more than 128 bits");
  }
  integer.high = static_cast<std::uint64_t>(high);
  return integer;
}

namespace {

Metric metric_of(const std::string& name) {
  return find_metrics(std::vector{name}).front();
}

Unit unit_of(const std::string& name) {
  if (name == "fraction") return Unit::fraction;
  if (name == "length") return Unit::length;
  if (name == "count") return Unit::count;
  throw UsageError("no unit '" + name + "'; there are fraction, length, count");
}

Statistics make_statistics(const std::string& unit, std::uint64_t n, const nb::int_& sum,
                           const nb::int_& squares, double minimum, double maximum) {
  return Statistics(unit_of(unit), {n, to_integer(sum), to_integer(squares), minimum, maximum});
}

void add_values(Statistics& statistics, const nb::object& values) {
  const Array array = array_of(values, 1, "values");
  const nb::gil_scoped_release release;
  visit_floats(array, "values", [&](const auto& value) {
    for (std::size_t k = 0; k < array.shape(0); ++k) statistics.add(value(k));
  });
}

nb::tuple moments(const Statistics& statistics) {
  const Statistics::Moments& m = statistics.moments();
  return nb::make_tuple(m.n, to_int(m.sum), to_int(m.squares), m.minimum, m.maximum);
}

nb::dict statuses(const BatchStatistics& statistics) {
  nb::dict counts;
  for (int s = 0; s < status_count; ++s) {
    const std::uint64_t n = statistics.summary.statuses[s];
    if (n != 0) counts[to_str(info(static_cast<Status>(s)).name)] = n;
  }
  return counts;
}

nb::tuple histogram(const BatchStatistics& statistics, const std::string& metric) {
  const Histogram& bins = statistics.histogram(metric_of(metric));
  nb::list counts;
  for (int b = 0; b < bins.bins(); ++b) counts.append(bins.count(b));
  return nb::make_tuple(bins.underflow(), counts, bins.overflow(), bins.width());
}

void bind_one(nb::module_& m) {
  nb::class_<Statistics>(
      m, "Statistics",
      "Accumulates count, mean, spread and range of one metric exactly: its bits do not depend on "
      "the order of the values, nor on how they are divided into parts that are merged.")
      .def(nb::init<>())
      .def_static("of_moments", &make_statistics, "unit"_a, "n"_a, "sum"_a, "squares"_a,
                  "minimum"_a, "maximum"_a, "Makes statistics of sums, see ``moments``.")
      .def_static(
          "of_unit", [](const std::string& unit) { return Statistics(unit_of(unit)); }, "unit"_a,
          "Makes statistics of no values: of a fraction, a length or a count.")
      .def_prop_ro("n", &Statistics::n)
      .def_prop_ro("mean", &Statistics::mean)
      .def_prop_ro("ci95_half_width", &Statistics::ci95_half_width)
      .def_prop_ro("minimum", &Statistics::minimum)
      .def_prop_ro("maximum", &Statistics::maximum)
      .def("add", &add_values, "values"_a,
           nb::sig("def add(self, values: numpy.typing.NDArray[typing.Any]) -> None"),
           "Adds an array of values; NaN and infinities are left out.")
      .def("merge", &Statistics::merge, "other"_a, "Adds the values of another object.")
      .def("moments", &moments, nb::sig("def moments(self) -> tuple[int, int, int, float, float]"),
           "Returns n, the sum of the values and of their squares (integers, in units of 2**-60 "
           "for fractions and 2**-40 for others), minimum and maximum.")
      .def("__eq__", [](const Statistics& a, const Statistics& b) { return a == b; });
}

}  // namespace

void bind_statistics(nb::module_& m) {
  bind_one(m);
  nb::class_<BatchStatistics>(m, "BatchStatistics",
                              "Holds the statistics and histograms of a batch of pairs.")
      .def(nb::init<>())
      .def(
          "of",
          [](const BatchStatistics& s, const std::string& metric) {
            return s.summary.of(metric_of(metric));
          },
          "metric"_a, "Returns the statistics of one metric.")
      .def_prop_ro("items", [](const BatchStatistics& s) { return s.summary.items; })
      .def("statuses", &statuses, nb::sig("def statuses(self) -> dict[str, int]"),
           "Returns how many pairs have each status.")
      .def("histogram", &histogram, "metric"_a,
           nb::sig("def histogram(self, metric: str) -> tuple[int, list[int], int, float]"),
           "Returns the counts below the first bin, in each bin, behind the last, and the width "
           "of a bin; the first begins at 0.")
      .def("merge", &BatchStatistics::merge, "other"_a, "Adds the pairs of another object.")
      .def("__eq__", [](const BatchStatistics& a, const BatchStatistics& b) { return a == b; });
}

}  // namespace warpath::python
