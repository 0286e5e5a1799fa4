// Fast forms of what public agents compute per item over a dict of dicts of distances. Everything
// is in double precision and in the originals' order of operations, so that bits are equal.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "python/bindings/bindings.hpp"
#include "python/bindings/columns.hpp"
#include "python/bindings/numpy_exp.hpp"

namespace warpath::python {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double missing = -infinity;  // no distance in the dict; NaN may be one

nb::object to_array(std::vector<double> values) {
  const std::size_t size = values.size();
  return to_numpy(std::make_unique<std::vector<double>>(std::move(values)), {size});
}

// Advances a row of the warping by one viewpoint of the query: row[j + 1] is the cost of all of the
// query so far against the first j + 1 viewpoints of the reference.
template <class Cost>
void advance(std::vector<double>& row, Cost&& cost) {
  double diagonal = row[0], left = infinity;
  row[0] = infinity;
  for (std::size_t j = 1; j < row.size(); ++j) {
    const double above = row[j];
    const double best =
        std::min(std::min(above, diagonal), left);  // `left` last: others wait for it
    diagonal = above;
    row[j] = left = cost(j - 1) + best;
  }
}

// A dict of dicts of distances as a matrix. Viewpoints are whatever the dict has as keys. What asks
// for a distance that is not there ends in a KeyError; dtw_scores and cls do so, too, where they
// see that the dict has changed.
class DistanceTable {
 public:
  using Path = std::vector<std::size_t>;

  explicit DistanceTable(const nb::dict& distances)
      : distances_(distances), size_(nb::len(distances)) {
    std::size_t n = 0;
    for (const auto [key, row] : distances) {
      index_[key] = n++;
      keys_.push_back(nb::borrow(key));
    }
    d_.assign(size_ * size_, missing);
    for (const auto [key, row] : distances) read_row(row);
  }

  // Returns the cost of the best warping, and the distance between the last viewpoints.
  nb::tuple dtw(nb::handle prediction, nb::handle reference) const {
    const Path q = read(prediction), r = read(reference);
    return nb::make_tuple(warp(q, r), distance(q.back(), r.back()));
  }

  // Returns DTW, nDTW and SDTW. Without a success, that is whether the last viewpoints are less
  // than the threshold apart.
  nb::tuple dtw_scores(nb::handle prediction, nb::handle reference, nb::handle success,
                       double threshold) const {
    const bool may_be_empty = !success.is_none();
    const Path q = read(prediction, may_be_empty), r = read(reference, may_be_empty);
    refuse_change(q, r);
    const double cost = warp(q, r);
    const double value = exp_(-cost / (threshold * static_cast<double>(r.size())));
    const nb::object ndtw = float64_(value);
    if (!success.is_none()) {
      return nb::make_tuple(float64_(cost), ndtw, nb::object(nb::borrow(success) * ndtw));
    }
    const bool is_success = distance(q.back(), r.back()) < threshold;
    return nb::make_tuple(float64_(cost), ndtw, float64_((is_success ? 1.0 : 0.0) * value));
  }

  // Returns for each viewpoint of `from` its distance to the nearest one of `to`.
  nb::object nearest(nb::handle from, nb::handle to) const {
    const Path a = read(from), b = read(to);
    std::vector<double> nearest;
    nearest.reserve(a.size());
    for (const std::size_t u : a) nearest.push_back(nearest_of(u, b));
    return to_array(std::move(nearest));
  }

  // Returns path coverage (Jain et al. 2019, Eq. 2): how near the prediction comes to each
  // viewpoint of the reference.
  double coverage(nb::handle prediction, nb::handle reference, double threshold) const {
    return coverage_of(read(prediction), read(reference), threshold);
  }

  // Returns the sum of the distances from each viewpoint of a path to the next.
  double length(nb::handle path) const { return length_of(read(path)); }

  // Returns CLS (Jain et al. 2019, Eq. 1 to 4), NaN where it is 0/0.
  double cls(nb::handle prediction, nb::handle reference, double threshold) const {
    const Path q = read(prediction), r = read(reference);
    refuse_change(r, q);
    const double covered = coverage_of(q, r, threshold), expected = covered * length_of(r);
    return covered * (expected / (expected + std::abs(expected - length_of(q))));
  }

 private:
  struct Row {
    nb::object dict;
    std::size_t length;
  };

  void read_row(nb::handle row) {
    // A row of another class may compute a distance when it is asked.
    if (!PyDict_CheckExact(row.ptr())) throw nb::type_error("distances are a dict of dicts");
    for (const auto [to, distance] : nb::borrow<nb::dict>(row)) {
      PyObject* number = PyDict_GetItemWithError(index_.ptr(), to.ptr());
      if (number == nullptr && PyErr_Occurred()) throw nb::python_error();
      if (number == nullptr) continue;
      const std::size_t k = PyLong_AsSize_t(number);
      const double d = as_double(distance.ptr());
      is_finite_ &= std::isfinite(d);
      d_.at(rows_.size() * size_ + k) = d;
    }
    rows_.push_back({nb::borrow(row), nb::len(row)});
  }

  static double as_double(PyObject* number) {
    const double value = PyFloat_AsDouble(number);
    if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
    return value;
  }

  void refuse_change(const Path& from, const Path& to) const {
    if (has_changed(from, to)) throw nb::key_error("the distances have changed");
  }

  // Looks whether the dict is what it was when the table was made: the number of its rows, and of
  // the first, the middle and the last viewpoint in `from` the row, its size and the distance to
  // the last in `to`. More looks would cost more than the warping does.
  bool has_changed(const Path& from, const Path& to) const {
    if (size_of(distances_) != size_) return true;
    if (from.empty() || to.empty()) return false;
    for (const std::size_t k : {std::size_t{0}, from.size() / 2, from.size() - 1}) {
      const Row& row = rows_[from[k]];
      if (look_up(distances_, from[k]) != row.dict.ptr()) return true;
      if (size_of(row.dict) != row.length) return true;
      PyObject* const now = look_up(row.dict, to.back());
      const double then = d_[from[k] * size_ + to.back()];
      if (now == nullptr ? then != missing : !is_same(as_double(now), then)) return true;
    }
    return false;
  }

  static std::size_t size_of(nb::handle dict) {
    return static_cast<std::size_t>(PyDict_Size(dict.ptr()));
  }

  PyObject* look_up(nb::handle dict, std::size_t viewpoint) const {
    PyObject* found = PyDict_GetItemWithError(dict.ptr(), keys_[viewpoint].ptr());
    if (found == nullptr && PyErr_Occurred()) throw nb::python_error();
    return found;
  }

  static bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

  // Returns the cost of the best warping, infinity if one path is empty.
  double warp(const Path& q, const Path& r) const {
    std::vector<double> row(r.size() + 1, infinity);
    row[0] = 0.0;
    for (const std::size_t a : q) {
      const double* from = d_.data() + a * size_;
      advance(row, [&](std::size_t j) { return from[r[j]]; });
    }
    // A missing distance, -infinity, reaches the last cell: it is the least of all finite ones.
    if (!is_finite_ || !(row.back() > missing)) refuse_missing(q, r);
    return row.back();
  }

  void refuse_missing(const Path& q, const Path& r) const {
    for (const std::size_t a : q) {
      for (const std::size_t b : r) distance(a, b);
    }
  }

  double distance(std::size_t from, std::size_t to) const {
    const double d = d_[from * size_ + to];
    if (d == missing) throw_missing();
    return d;
  }

  double nearest_of(std::size_t from, const Path& to) const {
    double best = infinity;
    for (const std::size_t v : to) {
      const double d = distance(from, v);
      if (std::isnan(d)) return d;  // as np.min
      best = std::min(best, d);
    }
    return best;
  }

  double coverage_of(const Path& q, const Path& r, double threshold) const {
    double sum = 0.0;
    for (const std::size_t viewpoint : r) sum += std::exp(-nearest_of(viewpoint, q) / threshold);
    return sum / static_cast<double>(r.size());
  }

  double length_of(const Path& path) const {
    double sum = 0.0;
    for (std::size_t k = 1; k < path.size(); ++k) sum += distance(path[k - 1], path[k]);
    return sum;
  }

  [[noreturn]] static void throw_missing() {
    throw nb::key_error("no distance between two viewpoints of these paths");
  }

  std::size_t number_of(nb::handle viewpoint) const {
    PyObject* number = PyDict_GetItemWithError(index_.ptr(), viewpoint.ptr());
    if (number == nullptr) {
      if (!PyErr_Occurred()) PyErr_SetObject(PyExc_KeyError, viewpoint.ptr());
      throw nb::python_error();
    }
    return PyLong_AsSize_t(number);
  }

  Path read(nb::handle path, bool may_be_empty = false) const {
    Path numbers;
    if (PyList_CheckExact(path.ptr())) {  // without an iterator: half the time
      numbers.reserve(nb::len(path));
      for (std::size_t k = 0; k < nb::len(path); ++k) {
        PyObject* item = PyList_GetItem(path.ptr(), static_cast<Py_ssize_t>(k));
        if (item == nullptr) throw nb::python_error();
        numbers.push_back(number_of(nb::borrow(item)));
      }
    } else {
      for (nb::handle item : path) numbers.push_back(number_of(item));
    }
    if (numbers.empty() && !may_be_empty)
      throw nb::index_error("list index out of range: a path is empty");
    return numbers;
  }

  nb::dict distances_, index_;
  std::vector<nb::object> keys_;  // by number
  std::vector<Row> rows_;         // by number
  bool is_finite_ = true;         // all distances that there are
  NumpyExp exp_;                  // exp of the C library may differ by a bit
  nb::object float64_ = nb::module_::import_("numpy").attr("float64");
  std::size_t size_;
  std::vector<double> d_;
};

}  // namespace

void bind_distance_table(nb::module_& m) {
  nb::class_<DistanceTable>(m, "DistanceTable")
      .def(nb::init<nb::dict>(), "distances"_a,
           nb::sig("def __init__(self, distances: collections.abc.Mapping[typing.Any, typing.Any])"
                   " -> None"))
      .def("dtw", &DistanceTable::dtw, "prediction"_a, "reference"_a,
           nb::sig("def dtw(self, prediction: collections.abc.Iterable[typing.Any], "
                   "reference: collections.abc.Iterable[typing.Any]) -> tuple[float, float]"))
      .def("dtw_scores", &DistanceTable::dtw_scores, "prediction"_a, "reference"_a,
           "success"_a.none(), "threshold"_a,
           nb::sig("def dtw_scores(self, prediction: collections.abc.Iterable[typing.Any], "
                   "reference: collections.abc.Iterable[typing.Any], success: float | None, "
                   "threshold: float) -> tuple[typing.Any, typing.Any, typing.Any]"))
      .def("nearest", &DistanceTable::nearest, "from_"_a, "to"_a,
           nb::sig("def nearest(self, from_: collections.abc.Iterable[typing.Any], "
                   "to: collections.abc.Iterable[typing.Any]) -> "
                   "numpy.typing.NDArray[numpy.float64]"))
      .def("coverage", &DistanceTable::coverage, "prediction"_a, "reference"_a, "threshold"_a,
           nb::sig("def coverage(self, prediction: collections.abc.Iterable[typing.Any], "
                   "reference: collections.abc.Iterable[typing.Any], threshold: float) -> float"))
      .def("length", &DistanceTable::length, "path"_a,
           nb::sig("def length(self, path: collections.abc.Iterable[typing.Any]) -> float"))
      .def("cls", &DistanceTable::cls, "prediction"_a, "reference"_a, "threshold"_a,
           nb::sig("def cls(self, prediction: collections.abc.Iterable[typing.Any], "
                   "reference: collections.abc.Iterable[typing.Any], threshold: float) -> float"));
}

}  // namespace warpath::python
