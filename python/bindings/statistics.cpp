#include "python/bindings/statistics.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>

#include "python/bindings/arrays.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/settings.hpp"
#include "python/bindings/summary.hpp"

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

[[noreturn]] void refuse_type(const char* argument, nb::handle value, const char* remedy) {
  throw InputError({argument}, fmt::format("is of type {}", nb::type_name(value.type()).c_str()),
                   remedy);
}

std::string text_of(const char* argument, nb::handle value) {
  if (!PyUnicode_Check(value.ptr())) refuse_type(argument, value, "give text");
  return utf8_of(value, {argument});
}

Metric metric_of(nb::handle name) {
  return find_metrics(std::vector{text_of("metric", name)}).front();
}

Unit unit_of(nb::handle unit) {
  const std::string name = text_of("unit", unit);
  if (name == "fraction") return Unit::fraction;
  if (name == "length") return Unit::length;
  if (name == "count") return Unit::count;
  throw UsageError("no unit '" + name + "'; there are fraction, length, count");
}

template <class T>
T argument_of(const char* argument, nb::handle value, const char* remedy) {
  T number{};
  if (PyUnicode_Check(value.ptr()) || !nb::try_cast(value, number)) {
    refuse_type(argument, value, remedy);
  }
  return number;
}

Statistics::Integer integer_of(const char* argument, nb::handle value) {
  if (!PyLong_Check(value.ptr())) refuse_type(argument, value, "give an integer");
  return to_integer(nb::borrow<nb::int_>(value));
}

Statistics make_statistics(nb::handle unit, nb::handle n, nb::handle sum, nb::handle squares,
                           nb::handle minimum, nb::handle maximum) {
  return Statistics(unit_of(unit),
                    {argument_of<std::uint64_t>("n", n, "give an integer from 0 to 2^64 - 1"),
                     integer_of("sum", sum), integer_of("squares", squares),
                     argument_of<double>("minimum", minimum, "give a number"),
                     argument_of<double>("maximum", maximum, "give a number")});
}

// Merges another object of the same class.
template <class T>
void merge(T& statistics, nb::handle other) {
  if (!nb::isinstance<T>(other)) refuse_type("other", other, "give an object of the same class");
  statistics.merge(nb::cast<const T&>(other));
}

void add_array(Statistics& statistics, const nb::object& values) {
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

nb::tuple histogram(const BatchStatistics& statistics, nb::handle metric) {
  const Histogram& bins = statistics.histogram(metric_of(metric));
  nb::list counts;
  for (int b = 0; b < bins.bins(); ++b) counts.append(bins.count(b));
  return nb::make_tuple(bins.underflow(), counts, bins.overflow(), bins.width());
}

// All that an object holds, in numbers that Python can keep: items, statuses, 0/0 rules, precision,
// and by metric the moments and the cells of the histogram.
nb::tuple state_of(const BatchStatistics& s) {
  nb::list counts, metrics;
  counts.append(s.summary.items);
  for (const std::uint64_t n : s.summary.statuses) counts.append(n);
  for (const std::uint64_t n : {s.summary.zero_spl, s.summary.zero_ls, s.summary.zero_sed}) {
    counts.append(n);
  }
  for (const Metric m : MetricSet::of_paths()) {
    const Histogram& bins = s.histogram(m);
    nb::list cells;
    cells.append(bins.underflow());
    for (int b = 0; b < bins.bins(); ++b) cells.append(bins.count(b));
    cells.append(bins.overflow());
    metrics.append(nb::make_tuple(moments(s.summary.of(m)), cells));
  }
  return nb::make_tuple(nb::tuple(counts), static_cast<int>(s.precision), metrics);
}

[[noreturn]] void refuse_state(std::string_view what) {
  throw InputError({"state"}, fmt::format("is damaged, or of another version: {}", what),
                   "save it again by this version");
}

// Returns the parts of a state, of which there must be so many.
std::vector<nb::object> parts_of(nb::handle state, std::size_t count, std::string_view what) {
  if (!PyTuple_Check(state.ptr()) && !PyList_Check(state.ptr())) refuse_state(what);
  std::vector<nb::object> parts;
  for (nb::handle part : state) parts.push_back(nb::borrow(part));
  if (parts.size() != count) refuse_state(what);
  return parts;
}

template <class T>
T number_of(nb::handle part, std::string_view what) {
  T number{};
  if (!nb::try_cast(part, number)) refuse_state(what);
  return number;
}

std::vector<std::uint64_t> counts_of(nb::handle part, std::size_t count, std::string_view what) {
  std::vector<std::uint64_t> counts;
  for (const nb::object& one : parts_of(part, count, what)) {
    counts.push_back(number_of<std::uint64_t>(one, what));
  }
  return counts;
}

Statistics::Integer sum_of(nb::handle part) {
  if (!PyLong_Check(part.ptr())) refuse_state("sums");
  try {
    return to_integer(nb::borrow<nb::int_>(part));
  } catch (const std::overflow_error&) {
    refuse_state("sums");
  }
}

Statistics statistics_of(nb::handle part, Unit unit) {
  const std::vector<nb::object> sums = parts_of(part, 5, "moments");
  const Statistics::Moments moments{number_of<std::uint64_t>(sums[0], "moments"), sum_of(sums[1]),
                                    sum_of(sums[2]), number_of<double>(sums[3], "minimum"),
                                    number_of<double>(sums[4], "maximum")};
  if (moments.n > 0 && !(moments.minimum <= moments.maximum)) refuse_state("range");
  return Statistics(unit, moments);
}

// Each value lies in one cell of its histogram.
void check_cells(const std::vector<std::uint64_t>& cells, std::uint64_t n) {
  std::uint64_t sum = 0;
  for (const std::uint64_t cell : cells) {
    if (cell > n - sum) refuse_state("histogram");
    sum += cell;
  }
  if (sum != n) refuse_state("histogram");
}

BatchStatistics with_state(nb::handle state) {
  BatchStatistics s;
  const std::vector<nb::object> all = parts_of(state, 3, "parts");
  const std::size_t rules = 1 + s.summary.statuses.size();
  const std::vector<std::uint64_t> counts = counts_of(all[0], rules + 3, "counts");
  s.summary.items = counts[0];
  std::copy_n(counts.begin() + 1, s.summary.statuses.size(), s.summary.statuses.begin());
  s.summary.zero_spl = counts[rules];
  s.summary.zero_ls = counts[rules + 1];
  s.summary.zero_sed = counts[rules + 2];
  const int precision = number_of<int>(all[1], "precision");
  if (precision < 0 || precision > static_cast<int>(Precision::double_precision)) {
    refuse_state("precision");
  }
  s.precision = static_cast<Precision>(precision);
  const MetricSet metrics = MetricSet::of_paths();
  const std::vector<nb::object> rows =
      parts_of(all[2], static_cast<std::size_t>(metrics.size()), "metrics");
  for (const Metric m : metrics) {
    const std::vector<nb::object> one = parts_of(rows[index_of(m)], 2, "metric");
    const Unit unit = info(m).unit;
    s.summary.metrics[m] = statistics_of(one[0], unit);
    const auto bins = static_cast<std::size_t>(s.histogram(m).bins());
    const std::vector<std::uint64_t> cells = counts_of(one[1], bins + 2, "histogram");
    check_cells(cells, s.summary.metrics[m].moments().n);
    s.histograms[m] = Histogram(unit, cells);
  }
  return s;
}

void bind_one(nb::module_& m) {
  nb::class_<Statistics>(
      m, "Statistics",
      "Accumulates count, mean, spread and range of one metric exactly: its bits do not depend on "
      "the order of the values, nor on how they are divided into parts that are merged.")
      .def(nb::init<>())
      .def_static("of_moments", &make_statistics, "unit"_a.none(), "n"_a.none(), "sum"_a.none(),
                  "squares"_a.none(), "minimum"_a.none(), "maximum"_a.none(),
                  nb::sig("def of_moments(unit: str, n: int, sum: int, squares: int, minimum: "
                          "float, maximum: float) -> Statistics"),
                  "Makes statistics of sums, see ``moments``.")
      .def_static(
          "of_unit", [](nb::handle unit) { return Statistics(unit_of(unit)); }, "unit"_a.none(),
          nb::sig("def of_unit(unit: str) -> Statistics"),
          "Makes statistics of no values: of a fraction, a length or a count.")
      .def_prop_ro("n", &Statistics::n)
      .def_prop_ro("mean", &Statistics::mean)
      .def_prop_ro("ci95_half_width", &Statistics::ci95_half_width)
      .def_prop_ro("minimum", &Statistics::minimum)
      .def_prop_ro("maximum", &Statistics::maximum)
      .def("add", &add_array, "values"_a.none(),
           nb::sig("def add(self, values: numpy.typing.NDArray[typing.Any]) -> None"),
           "Adds an array of values; NaN and infinities are left out.")
      .def("merge", &merge<Statistics>, "other"_a.none(),
           nb::sig("def merge(self, other: Statistics) -> None"),
           "Adds the values of another object.")
      .def("moments", &moments, nb::sig("def moments(self) -> tuple[int, int, int, float, float]"),
           "Returns n, the sum of the values and of their squares (integers, in units of 2**-60 "
           "for fractions and 2**-40 for others), minimum and maximum.")
      .def(
          "__eq__", [](const Statistics& a, const Statistics& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object) -> bool"));
}

}  // namespace

void bind_statistics(nb::module_& m) {
  bind_one(m);
  nb::class_<BatchStatistics>(m, "BatchStatistics",
                              "Holds the statistics and histograms of a batch of pairs.")
      .def(nb::init<>())
      .def(
          "of",
          [](const BatchStatistics& s, nb::handle metric) {
            return s.summary.of(metric_of(metric));
          },
          "metric"_a.none(), nb::sig("def of(self, metric: str) -> Statistics"),
          "Returns the statistics of one metric.")
      .def_prop_ro("items", [](const BatchStatistics& s) { return s.summary.items; })
      .def(
          "statuses", [](const BatchStatistics& s) { return count_statuses(s.summary); },
          nb::sig("def statuses(self) -> dict[str, int]"),
          "Returns how many pairs have each status.")
      .def("histogram", &histogram, "metric"_a.none(),
           nb::sig("def histogram(self, metric: str) -> tuple[int, list[int], int, float]"),
           "Returns the counts below the first bin, in each bin, behind the last, and the width "
           "of a bin; the first begins at 0.")
      .def("merge", &merge<BatchStatistics>, "other"_a.none(),
           nb::sig("def merge(self, other: BatchStatistics) -> None"),
           "Adds the pairs of another object.")
      .def("__getstate__", &state_of, nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"))
      .def(
          "__setstate__",
          [](BatchStatistics& s, nb::handle state) { new (&s) BatchStatistics(with_state(state)); },
          "state"_a.none(),
          nb::sig("def __setstate__(self, state: tuple[typing.Any, ...]) -> None"))
      .def(
          "__eq__", [](const BatchStatistics& a, const BatchStatistics& b) { return a == b; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object) -> bool"));
}

}  // namespace warpath::python
