// Counts the pixels of a panorama that a camera has seen, for warpath.traces.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <vector>

#include "python/bindings/bindings.hpp"

namespace warpath::python {
namespace {

constexpr std::size_t panorama_rows = 128, panorama_columns = 256;
constexpr std::size_t panorama_pixels = panorama_rows * panorama_columns;
constexpr std::size_t block_pixels = 16;  // neighbours in a row, which are tested together
constexpr std::size_t panorama_blocks = panorama_pixels / block_pixels;

// Holds the directions of the centres of an equirectangular panorama's pixels, row after row from
// the zenith, and of blocks of them, in Three.js's frame: y is up, heading 0 is -z.
struct Panorama {
  std::vector<double> x, z;             // by pixel
  std::array<double, panorama_rows> y;  // by row
  // By block: a point, and the largest distance of its pixels' directions from it.
  std::array<double, panorama_blocks> block_x, block_y, block_z, radius;

  Panorama();
};

Panorama::Panorama() : x(panorama_pixels), z(panorama_pixels) {
  using std::numbers::pi;
  for (std::size_t i = 0; i < panorama_rows; ++i) {
    const double elevation = pi / 2 - (static_cast<double>(i) + 0.5) * pi / panorama_rows;
    y[i] = std::sin(elevation);
    const double level = std::cos(elevation);
    for (std::size_t j = 0; j < panorama_columns; ++j) {
      const double heading = (static_cast<double>(j) + 0.5) * 2 * pi / panorama_columns - pi;
      x[i * panorama_columns + j] = level * std::sin(heading);
      z[i * panorama_columns + j] = -level * std::cos(heading);
    }
  }
  for (std::size_t b = 0; b < panorama_blocks; ++b) {
    const std::size_t first = b * block_pixels, last = first + block_pixels - 1;
    block_x[b] = (x[first] + x[last]) / 2;
    block_y[b] = y[first / panorama_columns];
    block_z[b] = (z[first] + z[last]) / 2;
    radius[b] = 0.0;
    for (std::size_t k = first; k <= last; ++k) {
      radius[b] = std::max(radius[b], std::hypot(x[k] - block_x[b], z[k] - block_z[b]));
    }
  }
}

const Panorama& panorama() {
  static const Panorama made;
  return made;
}

// A snapshot: the rotation R from camera to world, row by row, and P00, P02, P11, P12 of its
// projection. With c = R^T d, the direction d is inside the view where -c_z > 0,
// |P00 c_x + P02 c_z| <= -c_z and |P11 c_y + P12 c_z| <= -c_z.
struct Snapshot {
  const double* rotation;
  const double* view;

  bool operator==(const Snapshot& other) const {
    return std::equal(rotation, rotation + 9, other.rotation) &&
           std::equal(view, view + 4, other.view);
  }
};

// A half-space n.d >= 0 that holds the view, in the world.
struct Side {
  double x, y, z, length;
};

Side side_of(const double* r, double a, double b, double c) {
  const double x = r[0] * a + r[1] * b + r[2] * c, y = r[3] * a + r[4] * b + r[5] * c,
               z = r[6] * a + r[7] * b + r[8] * c;
  return {x, y, z, std::sqrt(x * x + y * y + z * z)};
}

// The pixels that the snapshots of a visit have seen.
class SeenPixels {
 public:
  // @param mask of all pixels, 0 where none is seen; seen ones become 1
  explicit SeenPixels(std::uint8_t* mask) : mask_(mask) {}

  void add(const Snapshot& snapshot) {
    measure_blocks(snapshot);
    for (std::size_t b = 0; b < panorama_blocks; ++b) {
      constexpr double rounding = 1e-9;
      if (!is_full_[b] && inside_[b] >= -rounding) test_block(snapshot, b);
    }
  }

 private:
  // Computes how far each block lies inside the view at most, as a share of the sides' lengths.
  void measure_blocks(const Snapshot& snapshot) {
    const auto [p00, p02, p11, p12] =
        std::array{snapshot.view[0], snapshot.view[1], snapshot.view[2], snapshot.view[3]};
    const double* const r = snapshot.rotation;
    const Side sides[] = {side_of(r, -p00, 0, -1 - p02), side_of(r, p00, 0, -1 + p02),
                          side_of(r, 0, -p11, -1 - p12), side_of(r, 0, p11, -1 + p12)};
    inside_ = sphere_.radius;
    for (const Side& side : sides) {
      const double x = side.x / side.length, y = side.y / side.length, z = side.z / side.length;
      for (std::size_t b = 0; b < panorama_blocks; ++b) {
        const double depth = x * sphere_.block_x[b] + y * sphere_.block_y[b] +
                             z * sphere_.block_z[b] + sphere_.radius[b];
        inside_[b] = std::min(inside_[b], depth);
      }
    }
  }

  void test_block(const Snapshot& snapshot, std::size_t b) {
    const double* const r = snapshot.rotation;
    const double* const p = snapshot.view;
    const double* const x = sphere_.x.data() + b * block_pixels;
    const double* const z = sphere_.z.data() + b * block_pixels;
    const double y = sphere_.y[b * block_pixels / panorama_columns];
    const double y0 = y * r[3], y1 = y * r[4], y2 = y * r[5];
    std::uint8_t* const mask = mask_ + b * block_pixels;
    std::array<double, block_pixels> inside;
    for (std::size_t k = 0; k < block_pixels; ++k) {
      const double cx = x[k] * r[0] + y0 + z[k] * r[6];
      const double cy = x[k] * r[1] + y1 + z[k] * r[7];
      const double cz = x[k] * r[2] + y2 + z[k] * r[8];
      const double across = std::abs(p[0] * cx + p[1] * cz), up = std::abs(p[2] * cy + p[3] * cz);
      // Of numbers one of which is above the other, the difference is never 0.
      inside[k] = -cz > 0 ? std::min(-cz - across, -cz - up) : -1.0;
    }
    bool is_full = true;
    for (std::size_t k = 0; k < block_pixels; ++k) {
      mask[k] = static_cast<std::uint8_t>(mask[k] | (inside[k] >= 0 ? 1 : 0));
      is_full = is_full && mask[k] != 0;
    }
    is_full_[b] = is_full;
  }

  const Panorama& sphere_ = panorama();
  std::uint8_t* mask_;
  std::array<bool, panorama_blocks> is_full_{};
  std::array<double, panorama_blocks> inside_;
};

// Adds n snapshots. One that is equal to the one before it shows nothing new.
void add_snapshots(const double* rotations, const double* views, std::size_t n,
                   std::uint8_t* mask) {
  SeenPixels seen(mask);
  const auto at = [&](std::size_t k) { return Snapshot{rotations + 9 * k, views + 4 * k}; };
  for (std::size_t k = 0; k < n; ++k) {
    if (k == 0 || !(at(k) == at(k - 1))) seen.add(at(k));
  }
}

using Rotations = nb::ndarray<const double, nb::shape<-1, 3, 3>, nb::c_contig, nb::device::cpu>;
using Views = nb::ndarray<const double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using Mask = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<panorama_rows, panorama_columns>>;

nb::object seen_pixels(const Rotations& rotations, const Views& views) {
  if (rotations.shape(0) != views.shape(0)) throw nb::value_error("arrays of different lengths");
  auto mask = std::make_unique<std::uint8_t[]>(panorama_pixels);
  {
    const nb::gil_scoped_release release;
    add_snapshots(rotations.data(), views.data(), rotations.shape(0), mask.get());
  }
  const nb::capsule owner(
      mask.get(), [](void* pixels) noexcept { delete[] static_cast<std::uint8_t*>(pixels); });
  return nb::cast(Mask(mask.release(), {panorama_rows, panorama_columns}, owner));
}

}  // namespace

void bind_seen_pixels(nb::module_& m) {
  m.def("seen_pixels", &seen_pixels, "rotations"_a, "views"_a,
        nb::sig("def seen_pixels(rotations: numpy.typing.NDArray[numpy.float64], "
                "views: numpy.typing.NDArray[numpy.float64]) -> "
                "numpy.typing.NDArray[numpy.uint8]"));
}

}  // namespace warpath::python
