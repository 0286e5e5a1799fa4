#include "tests/support/grid.hpp"

#include <fmt/format.h>
#include <zlib.h>

namespace warpath::testing {
namespace {

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

std::string chunk(const std::string& kind, const std::string& data) {
  const std::string body = kind + data;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + body +
         big_endian(static_cast<std::uint32_t>(sum));
}

}  // namespace

std::string make_npy(std::string_view type, std::string_view shape, std::string_view elements,
                     int version) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (std::size_t k = 0; k < before - 8; ++k) text += static_cast<char>(header.size() >> 8 * k);
  return text + header + std::string(elements);
}

std::string make_png(std::uint32_t rows, std::uint32_t columns, std::string_view pixels) {
  std::string lines;
  for (std::uint32_t r = 0; r < rows; ++r) {
    lines += '\0';  // no filter
    lines += pixels.substr(std::size_t{r} * columns, columns);
  }
  uLongf size = compressBound(lines.size());
  std::string packed(size, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &size,
           reinterpret_cast<const Bytef*>(lines.data()), lines.size());
  packed.resize(size);
  using namespace std::string_literals;
  return "\x89PNG\r\n\x1a\n"s +
         chunk("IHDR", big_endian(columns) + big_endian(rows) + "\x08\0\0\0\0"s) +
         chunk("IDAT", packed) + chunk("IEND", "");
}

std::string make_map(const std::vector<std::string>& rows) {
  std::string pixels;
  for (const std::string& row : rows) {
    for (const char c : row) pixels += c == '.' ? '\xff' : '\0';
  }
  return make_png(static_cast<std::uint32_t>(rows.size()),
                  static_cast<std::uint32_t>(rows.front().size()), pixels);
}

}  // namespace warpath::testing
