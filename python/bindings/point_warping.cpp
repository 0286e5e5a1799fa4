// Warpings of points for warpath.compat: distances by formulas that have the bits of common Python
// functions, and the warpings of the packages dtw and fastdtw over them.
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "host/files/evaluation/fast_dtw.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/columns.hpp"

namespace warpath::python {
namespace {

using Costs = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Points = Costs;

// ---------------------------------------------------------------- distances

// Returns the distance of two points of d coordinates.
using PointDistance = std::function<double(const double* a, const double* b, std::size_t d)>;

double squares(const double* a, const double* b, std::size_t d) {
  double sum = 0.0;
  for (std::size_t k = 0; k < d; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}

double fused_squares(const double* a, const double* b, std::size_t d) {
  double sum = 0.0;
  for (std::size_t k = 0; k < d; ++k) sum = std::fma(a[k] - b[k], a[k] - b[k], sum);
  return sum;
}

// Adds up every fourth square, then the four sums, as OpenBLAS does for up to six coordinates on
// processors with AVX512-BF16.
double striped_squares(const double* a, const double* b, std::size_t d) {
  double sums[4]{};
  for (std::size_t k = 0; k < d; ++k) sums[k % 4] += (a[k] - b[k]) * (a[k] - b[k]);
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

double norm(const double* a, const double* b, std::size_t d) {
  return std::sqrt(squares(a, b, d));
}

double fused_norm(const double* a, const double* b, std::size_t d) {
  return std::sqrt(fused_squares(a, b, d));
}

double striped_norm(const double* a, const double* b, std::size_t d) {
  return std::sqrt(striped_squares(a, b, d));
}

double power_of_squares(const double* a, const double* b, std::size_t d) {
  return std::pow(squares(a, b, d), 0.5);
}

double extended_norm(const double* a, const double* b, std::size_t d) {
  long double sum = 0.0L;
  for (std::size_t k = 0; k < d; ++k) {
    const long double difference = a[k] - b[k];
    sum += difference * difference;
  }
  return static_cast<double>(std::sqrt(sum));
}

double absolutes(const double* a, const double* b, std::size_t d) {
  double sum = 0.0;
  for (std::size_t k = 0; k < d; ++k) sum += std::abs(a[k] - b[k]);
  return sum;
}

// The compiled build of fastdtw takes powers also where the order is 1 or 2, and of numbers none.
PointDistance power_norm(double order, bool is_of_numbers) {
  if (is_of_numbers) return absolutes;
  return [order](const double* a, const double* b, std::size_t d) {
    double sum = 0.0;
    for (std::size_t k = 0; k < d; ++k) sum += std::pow(std::abs(a[k] - b[k]), order);
    return std::pow(sum, 1.0 / order);
  };
}

PointDistance find_formula(std::string_view name) {
  if (name == "squares") return squares;
  if (name == "fused squares") return fused_squares;
  if (name == "striped squares") return striped_squares;
  if (name == "norm") return norm;
  if (name == "fused norm") return fused_norm;
  if (name == "striped norm") return striped_norm;
  if (name == "power of squares") return power_of_squares;
  if (name == "extended norm") return extended_norm;
  if (name == "absolutes") return absolutes;
  throw nb::value_error("no such formula");
}

void require_equal_dimensions(const Points& x, const Points& y) {
  if (x.shape(1) != y.shape(1)) throw nb::value_error("points of different dimensions");
}

// Returns the distances of all pairs [n, m].
nb::object point_distances(const Points& x, const Points& y, const std::string& formula) {
  require_equal_dimensions(x, y);
  const PointDistance metric = find_formula(formula);
  const std::size_t n = x.shape(0), m = y.shape(0), d = x.shape(1);
  auto distances = std::make_unique<std::vector<double>>();
  distances->reserve(n * m);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      distances->push_back(metric(x.data() + i * d, y.data() + j * d, d));
    }
  }
  return to_numpy(std::move(distances), {n, m});
}

// Returns the distance of each x from the y of the same row, by each formula: [formulas, n].
nb::object paired_distances(const Points& x, const Points& y,
                            const std::vector<std::string>& formulas) {
  require_equal_dimensions(x, y);
  const std::size_t n = std::min(x.shape(0), y.shape(0)), d = x.shape(1);
  auto distances = std::make_unique<std::vector<double>>();
  for (const std::string& formula : formulas) {
    const PointDistance metric = find_formula(formula);
    for (std::size_t k = 0; k < n; ++k) {
      distances->push_back(metric(x.data() + k * d, y.data() + k * d, d));
    }
  }
  return to_numpy(std::move(distances), {formulas.size(), n});
}

// ---------------------------------------------------------------- warpings

using Steps = std::vector<std::pair<std::size_t, std::size_t>>;

nb::list to_list(const Steps& steps) {
  nb::list list;
  for (const auto& [i, j] : steps) list.append(nb::make_tuple(i, j));
  return list;
}

// Returns the accumulated costs of warping [n * m] and the best warping, from its begin. Of equally
// good steps it takes a diagonal one, else one along x, as the package dtw does.
nb::tuple warp(const Costs& costs) {
  const std::size_t n = costs.shape(0), m = costs.shape(1);
  if (n == 0 || m == 0) throw nb::value_error("a path is empty; give at least one point");
  auto sums = std::make_unique<std::vector<double>>(n * m);
  const auto sum = [&](std::size_t i, std::size_t j) {  // of the first i and j points
    return i == 0 || j == 0 ? (i == j ? 0.0 : std::numeric_limits<double>::infinity())
                            : (*sums)[(i - 1) * m + j - 1];
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      const double before = std::min(std::min(sum(i, j + 1), sum(i, j)), sum(i + 1, j));
      (*sums)[i * m + j] = costs(i, j) + before;
    }
  }
  Steps steps;
  for (std::size_t i = n, j = m; i > 0 && j > 0;) {
    steps.emplace_back(i - 1, j - 1);
    const double diagonal = sum(i - 1, j - 1), up = sum(i - 1, j), left = sum(i, j - 1);
    const bool is_diagonal = !(up < diagonal) && !(left < diagonal);
    const bool is_up = !(left < up);
    if (is_diagonal || is_up) --i;
    if (is_diagonal || !is_up) --j;
  }
  std::ranges::reverse(steps);
  return nb::make_tuple(to_numpy(std::move(sums), {n * m}), to_list(steps));
}

FastDtw build_of(bool is_compiled) {
  return is_compiled ? FastDtw::compiled : FastDtw::pure;
}

// Holds a path at every level of coarsening, coordinates one after another.
class Levels {
 public:
  explicit Levels(const Points& points)
      : dimension_(points.shape(1)), levels_{{points.data(), points.data() + points.size()}} {
    for (std::size_t size = points.shape(0) / 2; size > 0; size /= 2) {
      std::vector<double> half(size * dimension_);
      for (std::size_t k = 0; k < half.size(); ++k) {
        const std::size_t first = k / dimension_ * 2 * dimension_ + k % dimension_;
        half[k] = (levels_.back()[first] + levels_.back()[first + dimension_]) / 2;
      }
      levels_.push_back(std::move(half));
    }
  }

  const double* at(unsigned level, std::size_t k) const {
    return levels_[level].data() + k * dimension_;
  }

 private:
  std::size_t dimension_;
  std::vector<std::vector<double>> levels_;
};

// Keeps pairs and their distances: the most distant one, and a share of all that is spread evenly.
class Sample {
 public:
  // @param size keeps at most so many, and at least half of them if there are
  explicit Sample(std::size_t size) : size_(size) {}

  void add(std::size_t i, std::size_t j, double distance) {
    if (distance > farthest_.distance) farthest_ = {0, {i, j}, distance};
    key_ += 0x9e3779b97f4a7c15u;  // of the golden ratio: multiples of it are spread evenly
    if (key_ > last_key_) return;
    kept_.push_back({key_, {i, j}, distance});
    if (kept_.size() <= size_) return;
    last_key_ /= 2;
    std::erase_if(kept_, [&](const Kept& kept) { return kept.key > last_key_; });
  }

  void append_to(Steps& pairs, std::vector<double>& distances) const {
    const auto append = [&](const Kept& kept) {
      pairs.push_back(kept.pair);
      distances.push_back(kept.distance);
    };
    append(farthest_);
    std::ranges::for_each(kept_, append);
  }

 private:
  struct Kept {
    std::uint64_t key;
    Steps::value_type pair;
    double distance;
  };
  std::size_t size_;
  std::uint64_t key_ = 0, last_key_ = ~std::uint64_t{0};
  Kept farthest_{0, {0, 0}, -1.0};
  std::vector<Kept> kept_;
};

// Returns the cost of FastDTW and its warping, and pairs with their distances: of the warping, and
// of others in the window.
nb::tuple fast_dtw_of_points(const Points& x, const Points& y, unsigned radius, bool is_compiled,
                             const PointDistance& metric) {
  require_equal_dimensions(x, y);
  const std::size_t n = x.shape(0), m = y.shape(0), d = x.shape(1);
  const Levels x_levels(x), y_levels(y);
  Sample sample((n + m) / 2);
  const auto distance = [&](unsigned level, std::size_t i, std::size_t j) {
    const double found = metric(x_levels.at(level, i), y_levels.at(level, j), d);
    if (level == 0) sample.add(i, j, found);
    return found;
  };
  const evaluation::FastWarping found =
      evaluation::fast_dtw(n, m, radius, build_of(is_compiled), distance);
  Steps pairs = found.steps;
  std::vector<double> distances;
  for (const auto& [i, j] : pairs) {
    distances.push_back(metric(x_levels.at(0, i), y_levels.at(0, j), d));
  }
  sample.append_to(pairs, distances);
  return nb::make_tuple(found.cost, to_list(found.steps), to_list(pairs), distances);
}

// Returns the cost of FastDTW and its warping.
// @param x_levels,y_levels the points of each level of coarsening, a list of lists
// @param to_number returns as a float what `dist` returned, or raises
nb::tuple fast_dtw_by_calls(const nb::list& x_levels, const nb::list& y_levels, unsigned radius,
                            bool is_compiled, const nb::callable& dist,
                            const nb::callable& to_number) {
  const auto points = [](const nb::list& levels, unsigned level) {
    return nb::cast<nb::list>(levels[level]);
  };
  const auto call = [&](unsigned level, std::size_t i, std::size_t j) {
    nb::object found = dist(points(x_levels, level)[i], points(y_levels, level)[j]);
    if (!PyFloat_Check(found.ptr())) found = to_number(found);
    const double distance = PyFloat_AsDouble(found.ptr());
    if (std::isnan(distance)) to_number(found);
    return distance;
  };
  const evaluation::FastWarping found =
      evaluation::fast_dtw(nb::len(points(x_levels, 0)), nb::len(points(y_levels, 0)), radius,
                           build_of(is_compiled), call);
  return nb::make_tuple(found.cost, to_list(found.steps));
}

}  // namespace

void bind_point_warping(nb::module_& m) {
  m.def("point_distances", &point_distances, "x"_a, "y"_a, "formula"_a,
        nb::sig("def point_distances(x: numpy.typing.NDArray[numpy.float64], "
                "y: numpy.typing.NDArray[numpy.float64], formula: str) -> "
                "numpy.typing.NDArray[numpy.float64]"));
  m.def("paired_distances", &paired_distances, "x"_a, "y"_a, "formulas"_a,
        nb::sig("def paired_distances(x: numpy.typing.NDArray[numpy.float64], "
                "y: numpy.typing.NDArray[numpy.float64], "
                "formulas: collections.abc.Sequence[str]) -> "
                "numpy.typing.NDArray[numpy.float64]"));
  m.def("warp", &warp, "costs"_a,
        nb::sig("def warp(costs: numpy.typing.NDArray[numpy.float64]) -> "
                "tuple[numpy.typing.NDArray[numpy.float64], list[tuple[int, int]]]"));
  m.def(
      "fast_dtw",
      [](const Points& x, const Points& y, unsigned radius, bool is_compiled,
         const std::string& formula) {
        return fast_dtw_of_points(x, y, radius, is_compiled, find_formula(formula));
      },
      "x"_a, "y"_a, "radius"_a, "is_compiled"_a, "formula"_a,
      nb::sig("def fast_dtw(x: numpy.typing.NDArray[numpy.float64], "
              "y: numpy.typing.NDArray[numpy.float64], radius: int, is_compiled: bool, "
              "formula: str) -> tuple[float, list[tuple[int, int]], list[tuple[int, int]], "
              "list[float]]"));
  m.def(
      "fast_dtw_of_powers",
      [](const Points& x, const Points& y, unsigned radius, double order, bool is_of_numbers) {
        const nb::tuple found =
            fast_dtw_of_points(x, y, radius, true, power_norm(order, is_of_numbers));
        return nb::make_tuple(found[0], found[1]);
      },
      "x"_a, "y"_a, "radius"_a, "order"_a, "is_of_numbers"_a,
      nb::sig("def fast_dtw_of_powers(x: numpy.typing.NDArray[numpy.float64], "
              "y: numpy.typing.NDArray[numpy.float64], radius: int, order: float, "
              "is_of_numbers: bool) -> tuple[float, list[tuple[int, int]]]"));
  m.def("fast_dtw_by_calls", &fast_dtw_by_calls, "x_levels"_a, "y_levels"_a, "radius"_a,
        "is_compiled"_a, "dist"_a, "to_number"_a,
        nb::sig("def fast_dtw_by_calls(x_levels: list[list[typing.Any]], "
                "y_levels: list[list[typing.Any]], radius: int, is_compiled: bool, "
                "dist: collections.abc.Callable[[typing.Any, typing.Any], typing.Any], "
                "to_number: collections.abc.Callable[[typing.Any], float]) -> "
                "tuple[float, list[tuple[int, int]]]"));
}

}  // namespace warpath::python
