#include "host/files/grid/npy.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "host/files/io/file_kind.hpp"
#include "warpath/error.hpp"

namespace warpath::grid {
namespace {

static_assert(std::endian::native == std::endian::little, "the arrays are little-endian");

constexpr std::string_view npy_magic = "\x93NUMPY";

std::size_t bytes_of(NpyType type) {
  if (type == NpyType::float64) return 8;
  return type == NpyType::float32 ? 4 : 1;
}

// Reads the header, a dict as Python prints it: {'descr': '<f4', 'fortran_order': False, 'shape':
// (2, 3), }.
class NpyHeader {
 public:
  NpyHeader(std::string_view text, NpyArray& array) : left_(text), array_(array) {}

  void read() {
    expect('{');
    bool has_type = false, has_order = false, has_shape = false;
    while (!take('}')) {
      const std::string_view key = quoted();
      expect(':');
      bool& is_known = key == "descr" ? has_type : key == "shape" ? has_shape : has_order;
      if (is_known || (&is_known == &has_order && key != "fortran_order")) fail();
      is_known = true;
      if (key == "descr") read_type();
      if (key == "fortran_order") read_order();
      if (key == "shape") read_shape();
      if (!take(',') && !is_next('}')) fail();
    }
    skip_spaces();
    if (!left_.empty() || !has_type || !has_order || !has_shape) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw InputError({array_.file}, "has a header that is not NumPy's",
                     "save it by numpy.save(file, array)");
  }

  void skip_spaces() {
    const std::size_t first = left_.find_first_not_of(" \n");
    left_.remove_prefix(std::min(first, left_.size()));
  }
  bool is_next(char c) {
    skip_spaces();
    return left_.starts_with(c);
  }
  bool take(char c) {
    if (!is_next(c)) return false;
    left_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail();
  }

  std::string_view quoted() {
    expect('\'');
    const std::size_t end = left_.find('\'');
    if (end == left_.npos) fail();
    const std::string_view text = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return text;
  }

  void read_type() {
    if (!is_next('\'')) {
      throw InputError({array_.file}, "is an array of records", "save an array of numbers");
    }
    const std::string_view type = quoted();
    if (type == "|b1") {
      array_.type = NpyType::boolean;
    } else if (type == "|u1") {
      array_.type = NpyType::uint8;
    } else if (type == "<f4") {
      array_.type = NpyType::float32;
    } else if (type == "<f8") {
      array_.type = NpyType::float64;
    } else {
      const std::string shown(type.substr(0, 8));
      throw InputError({array_.file},
                       type.ends_with('O') ? "is an array of Python objects, which is not read"
                                           : fmt::format("has elements of the type '{}'", shown),
                       "save bool or uint8, or float32 or float64, little-endian");
    }
  }

  void read_order() {
    skip_spaces();
    for (const std::string_view word : {"False", "True"}) {
      if (!left_.starts_with(word)) continue;
      left_.remove_prefix(word.size());
      if (word == "False") return;
      throw InputError({array_.file}, "is in Fortran order", "save numpy.ascontiguousarray(array)");
    }
    fail();
  }

  void read_shape() {
    expect('(');
    while (!take(')')) {
      const auto size = digits();
      if (!size || array_.shape.size() == 3) fail_shape();
      array_.shape.push_back(*size);
      if (!take(',') && !is_next(')')) fail();
    }
  }

  [[noreturn]] void fail_shape() const {
    throw InputError({array_.file}, "has a shape that no grid has",
                     "free has the shape [rows][columns], heights [layers][rows][columns]");
  }

  std::optional<std::size_t> digits() {
    skip_spaces();
    constexpr std::size_t max_digits = 18;
    std::size_t number = 0, count = 0;
    while (!left_.empty() && left_[0] >= '0' && left_[0] <= '9' && count++ < max_digits) {
      number = 10 * number + static_cast<std::size_t>(left_[0] - '0');
      left_.remove_prefix(1);
    }
    if (count == 0 || count > max_digits) return std::nullopt;
    return number;
  }

  std::string_view left_;
  NpyArray& array_;
};

// Returns where the header begins and how long it is.
std::pair<std::size_t, std::size_t> find_header(const std::string& name, std::string_view content) {
  constexpr std::size_t version_at = 6, length_at = 8;
  const auto byte = [&](std::size_t k) { return static_cast<std::uint8_t>(content[k]); };
  if (content.size() < length_at + 4) throw InputError({name}, "ends too early", "copy it again");
  const int major = byte(version_at);
  if (major != 1 && major != 2) {
    throw InputError({name},
                     fmt::format("is an array of NumPy's format {}; 1 and 2 are known", major),
                     "save it by numpy.save(file, array)");
  }
  std::size_t length = byte(length_at) + (std::size_t{byte(length_at + 1)} << 8);
  if (major == 1) return {length_at + 2, length};
  length += (std::size_t{byte(length_at + 2)} << 16) + (std::size_t{byte(length_at + 3)} << 24);
  return {length_at + 4, length};
}

void check_bytes(const NpyArray& array) {
  constexpr std::uint64_t too_many = std::uint64_t{1} << 60;
  std::uint64_t wanted = bytes_of(array.type);
  for (const std::size_t size : array.shape) {
    wanted = size == 0 ? 0 : wanted > too_many / size ? too_many : wanted * size;
  }
  if (wanted == array.elements.size()) return;
  throw InputError({array.file},
                   wanted > array.elements.size() ? "ends too early for its shape"
                                                  : "has more bytes than its shape says",
                   "copy it again, or save it by numpy.save(file, array)");
}

}  // namespace

std::size_t NpyArray::size() const {
  return elements.size() / bytes_of(type);
}

double NpyArray::at(std::size_t k) const {
  const char* const from = elements.data() + k * bytes_of(type);
  if (type == NpyType::float32) {
    float value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  if (type == NpyType::float64) {
    double value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  return static_cast<std::uint8_t>(*from);
}

NpyArray parse_npy(const std::string& name, std::string_view content) {
  if (!content.starts_with(npy_magic)) {
    io::refuse_foreign({name}, content);
    throw InputError({name}, "is neither a PNG nor an array of NumPy",
                     "save an 8-bit greyscale PNG, or by numpy.save(file, array)");
  }
  const auto [begin, length] = find_header(name, content);
  if (length > content.size() - begin) throw InputError({name}, "ends too early", "copy it again");
  NpyArray array{.file = name, .elements = content.substr(begin + length)};
  NpyHeader(content.substr(begin, length), array).read();
  check_bytes(array);
  return array;
}

}  // namespace warpath::grid
