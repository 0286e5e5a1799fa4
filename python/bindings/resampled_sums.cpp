// Resamples the instructions of systems, for warpath.correlate.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <numeric>
#include <utility>

#include "python/bindings/bindings.hpp"

namespace warpath::python {
namespace {

// Columns are added side by side, so many at a time.
constexpr std::size_t sum_columns = 8;
using ColumnSums [[gnu::vector_size(8 * sum_columns)]] = double;

using Numbers = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using NumberRows = nb::ndarray<const std::uint32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using ColumnBlocks =
    nb::ndarray<const double, nb::shape<-1, -1, sum_columns>, nb::c_contig, nb::device::cpu>;

void require_total(const Numbers& sizes, std::size_t total) {
  const auto* const first = sizes.data();
  if (std::accumulate(first, first + sizes.shape(0), std::size_t{0}) != total) {
    throw nb::value_error("sizes do not add up to the rows");
  }
}

template <typename Value, typename Array>
nb::object given_away(std::unique_ptr<Value[]> values, std::initializer_list<std::size_t> shape) {
  Value* const data = values.get();
  const nb::capsule owner(data, [](void* made) noexcept { delete[] static_cast<Value*>(made); });
  values.release();
  return nb::cast(Array(data, shape, owner));
}

// Turns random words into numbers below the size of their system, as NumPy's Generator.integers
// does (Lemire 2019). Returns None where NumPy would draw a word again.
nb::object bounded_words(const NumberRows& words, const Numbers& sizes) {
  const std::size_t draws = words.shape(0), n = words.shape(1);
  require_total(sizes, n);
  auto places = std::make_unique<std::uint32_t[]>(draws * n);
  bool is_rejected = false;
  {
    const nb::gil_scoped_release release;
    std::size_t k = 0;
    for (std::size_t draw = 0; draw < draws; ++draw) {
      for (std::size_t s = 0; s < sizes.shape(0); ++s) {
        const std::uint32_t size = sizes.data()[s];
        if (size < 2) {  // NumPy takes no word
          is_rejected = true;
          continue;
        }
        const std::uint32_t threshold = -size % size;
        for (std::uint32_t i = 0; i < size; ++i, ++k) {
          const std::uint64_t product = std::uint64_t{words.data()[k]} * size;
          is_rejected |= static_cast<std::uint32_t>(product) < threshold;
          places[k] = static_cast<std::uint32_t>(product >> 32);
        }
      }
    }
  }
  if (is_rejected) return nb::none();
  using Places = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<2>>;
  return given_away<std::uint32_t, Places>(std::move(places), {draws, n});
}

// Adds a block of columns up over the rows of a system that a draw takes. Returns whether all are
// below its size.
bool add_rows(const std::uint32_t* places, std::size_t size, const double* rows, double* sums) {
  ColumnSums even{}, odd{};
  for (std::size_t i = 0; i < size; ++i) {
    if (places[i] >= size) return false;
    ColumnSums row;
    std::memcpy(&row, rows + places[i] * sum_columns, sizeof row);
    (i % 2 == 0 ? even : odd) += row;
  }
  even += odd;
  std::memcpy(sums, &even, sizeof even);
  return true;
}

// Returns for each draw and system the sums of the values of the rows that it takes.
nb::object resampled_sums(const NumberRows& places, const ColumnBlocks& values,
                          const Numbers& sizes) {
  const std::size_t draws = places.shape(0), n = places.shape(1), systems = sizes.shape(0);
  const std::size_t blocks = values.shape(0);
  require_total(sizes, n);
  if (values.shape(1) != n) throw nb::value_error("arrays of different lengths");
  auto sums = std::make_unique<double[]>(draws * systems * blocks * sum_columns);
  bool is_inside = true;
  {
    const nb::gil_scoped_release release;
    double* out = sums.get();
    for (std::size_t draw = 0; draw < draws; ++draw) {
      for (std::size_t s = 0, begin = 0; s < systems; begin += sizes.data()[s++]) {
        for (std::size_t b = 0; b < blocks; ++b, out += sum_columns) {
          const double* const rows = values.data() + (b * n + begin) * sum_columns;
          const std::uint32_t* const taken = places.data() + draw * n + begin;
          is_inside &= add_rows(taken, sizes.data()[s], rows, out);
        }
      }
    }
  }
  if (!is_inside) throw nb::value_error("a place is not below the size of its system");
  using Sums = nb::ndarray<nb::numpy, double, nb::ndim<3>>;
  return given_away<double, Sums>(std::move(sums), {draws, systems, blocks * sum_columns});
}

}  // namespace

void bind_resampled_sums(nb::module_& m) {
  m.def("bounded_words", &bounded_words, "words"_a, "sizes"_a,
        nb::sig("def bounded_words(words: numpy.typing.NDArray[numpy.uint32], "
                "sizes: numpy.typing.NDArray[numpy.uint32]) -> "
                "numpy.typing.NDArray[numpy.uint32] | None"));
  m.def("resampled_sums", &resampled_sums, "places"_a, "values"_a, "sizes"_a,
        nb::sig("def resampled_sums(places: numpy.typing.NDArray[numpy.uint32], "
                "values: numpy.typing.NDArray[numpy.float64], "
                "sizes: numpy.typing.NDArray[numpy.uint32]) -> "
                "numpy.typing.NDArray[numpy.float64]"));
}

}  // namespace warpath::python
