#include "host/files/grid/png_image.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "host/files/io/gunzip.hpp"
#include "warpath/error.hpp"
#include "warpath/grid.hpp"

namespace warpath::grid {
namespace {

constexpr std::string_view png_magic = "\x89PNG\r\n\x1a\n";
constexpr std::size_t header_end = 33;  // of the signature and IHDR, with its checksum

// What libpng reads from, writes to and says. It returns from errors by longjmp, which calls no
// destructor, so nothing here needs one.
struct Decoding {
  const char* data;
  std::size_t left;
  png_bytep* rows;
  char problem[80];
};

void give_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& decoding = *static_cast<Decoding*>(png_get_io_ptr(png));
  if (count > decoding.left) png_error(png, "ends too early");
  std::memcpy(to, decoding.data, count);
  decoding.data += count;
  decoding.left -= count;
}

[[noreturn]] void keep_problem(png_structp png, png_const_charp problem) {
  auto& decoding = *static_cast<Decoding*>(png_get_error_ptr(png));
  std::size_t k = 0;
  for (; problem[k] != '\0' && k + 1 < sizeof decoding.problem; ++k) {
    decoding.problem[k] = problem[k] >= ' ' && problem[k] <= '~' ? problem[k] : '?';
  }
  decoding.problem[k] = '\0';
  png_longjmp(png, 1);
}

void ignore_warning(png_structp, png_const_charp) {}

// Decodes all rows; returns false with a problem if libpng refuses the image.
bool decode(Decoding& decoding) {
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &decoding, keep_problem, ignore_warning);
  if (png == nullptr) return false;
  png_infop info = png_create_info_struct(png);
  if (setjmp(png_jmpbuf(png)) != 0) {
    png_destroy_read_struct(&png, &info, nullptr);
    return false;
  }
  if (info == nullptr) png_error(png, "there is too little memory");
  png_set_read_fn(png, &decoding, give_bytes);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_read_info(png, info);
  png_read_image(png, decoding.rows);
  png_destroy_read_struct(&png, &info, nullptr);
  return true;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char c : bytes.substr(0, 4)) number = number << 8 | static_cast<std::uint8_t>(c);
  return number;
}

// Reads the size, and checks that it is that of a grid which so many bytes can hold.
void read_header(const std::string& name, std::string_view content, Image& image) {
  constexpr std::uint64_t max_compression = 1100;  // deflate's is 1,032
  if (content.size() < header_end || content.substr(12, 4) != "IHDR") {
    throw InputError({name}, "ends too early", "copy the image again");
  }
  image.columns = big_endian(content.substr(16));
  image.rows = big_endian(content.substr(20));
  const auto bits = static_cast<std::uint8_t>(content[24]),
             kind = static_cast<std::uint8_t>(content[25]);
  if (bits != 8 || kind != PNG_COLOR_TYPE_GRAY) {
    throw InputError({name},
                     fmt::format("has {} bits for each {}", bits,
                                 kind == PNG_COLOR_TYPE_GRAY ? "pixel" : "colour"),
                     "save an 8-bit greyscale PNG, white where a cell is free");
  }
  const std::uint64_t pixels = std::uint64_t{image.rows} * image.columns;
  if (pixels == 0) throw InputError({name}, "has no pixel", "save the image again");
  if (pixels > Grid::max_cells) {
    throw InputError(
        {name},
        fmt::format("has {} x {} pixels, more than {}", image.rows, image.columns, Grid::max_cells),
        "make the cells larger, or cut the grid");
  }
  if (pixels > max_compression * content.size()) {
    throw InputError({name}, fmt::format("ends too early for {} pixels", pixels),
                     "copy the image again");
  }
}

}  // namespace

bool is_png(std::string_view content) {
  return content.starts_with(png_magic);
}

Image read_png(const std::string& name, std::string_view content, std::uint64_t max_bytes) {
  Image image{.hash = io::content_hash(content)};
  read_header(name, content, image);
  const std::uint64_t limit = max_bytes == 0 ? io::default_max_input() : max_bytes;
  const std::size_t pixels = std::size_t{image.rows} * image.columns;
  const std::size_t pointers = image.rows * sizeof(png_bytep);
  if (pixels + pointers > limit) io::fail_too_large(name, limit, true);
  image.pixels.resize(pixels);
  std::vector<png_bytep> rows(image.rows);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = image.pixels.data() + r * image.columns;
  Decoding decoding{content.data(), content.size(), rows.data(), "cannot be read"};
  if (decode(decoding)) return image;
  throw InputError({name}, fmt::format("is a damaged PNG: {}", decoding.problem),
                   "copy the image again, or save it anew");
}

}  // namespace warpath::grid
