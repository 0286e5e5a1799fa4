#pragma once

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

namespace warpath::formats {

/// Takes values from a text, as JSON has them, where a document of all of them would take longer
/// than their use. Each function goes behind the value. It returns false where the text has
/// something else, or where JSON allows more than files regularly have: characters that are not
/// ASCII or escaped, numbers that might not be finite.
class ValueScanner {
 public:
  explicit ValueScanner(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  bool at_end() {
    skip_spaces();
    return at_ == end_;
  }

  /// Takes a character that stands between values.
  bool mark(char wanted) {
    skip_spaces();
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }

  /// Returns the next character without taking it; 0 at the end.
  char next() {
    skip_spaces();
    return at_ == end_ ? '\0' : *at_;
  }

  /// Tells whether a text comes next, without spaces in front of it.
  bool starts_with(std::string_view wanted) const {
    return static_cast<std::size_t>(end_ - at_) >= wanted.size() &&
           std::memcmp(at_, wanted.data(), wanted.size()) == 0;
  }

  bool text(std::string_view& value) {
    if (!mark('"')) return false;
    const char* const begin = at_;
    skip_plain_text();
    value = {begin, static_cast<std::size_t>(at_ - begin)};
    return at_ != end_ && *at_++ == '"';
  }

  /// Goes behind a text that may have escapes, but none of surrogates.
  bool skip_text() {
    if (!mark('"')) return false;
    for (;;) {
      skip_plain_text();
      if (at_ == end_) return false;
      const char stop = *at_++;
      if (stop == '"') return true;
      if (stop != '\\' || !skip_escape()) return false;
    }
  }

  /// Goes behind a value: a text, a number, true, false, null, or a list of such values.
  bool skip_value(int max_depth = 4) {
    switch (next()) {
      case '"':
        return skip_text();
      case '[':
        return max_depth > 0 && skip_list(max_depth - 1);
      case 't':
        return word("true");
      case 'f':
        return word("false");
      case 'n':
        return word("null");
      default:
        std::string_view bytes;
        return number(bytes);
    }
  }

  /// Takes these bytes.
  bool word(std::string_view wanted) {
    if (!starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  /// Takes a number that is finite, and no integer of more than 64 bits.
  /// @param value its bytes
  bool number(std::string_view& value) {
    constexpr std::ptrdiff_t max_whole = 17, max_size = 40, max_exponent = 2;
    skip_spaces();
    const char* const begin = at_;
    if (at_ != end_ && *at_ == '-') ++at_;
    const char* const whole = at_;
    if (!digits(max_whole) || (*whole == '0' && at_ - whole > 1)) return false;
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!digits(max_size)) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      if (at_ != end_ && (*at_ == '-' || *at_ == '+')) ++at_;
      if (!digits(max_exponent)) return false;
    }
    value = {begin, static_cast<std::size_t>(at_ - begin)};
    return true;
  }

  /// Takes a finite number.
  bool number(double& value) {
    std::string_view bytes;
    if (!number(bytes)) return false;
    const bool is_read =
        std::from_chars(bytes.data(), bytes.data() + bytes.size(), value).ec == std::errc{};
    return is_read && bytes != "-0";  // which JSON's readers take for an integer
  }

 private:
  static constexpr std::uint64_t of_each_byte(std::uint8_t byte) {
    return 0x0101010101010101u * byte;
  }
  static constexpr std::uint64_t high_bits = 0x8080808080808080u;

  // Return a word with the highest bit of each byte that is not one of those, up to the first of
  // them at least.
  static std::uint64_t no_plain_text(std::uint64_t word) {
    const auto zeros = [](std::uint64_t x) { return (x - of_each_byte(1)) & ~x; };
    const std::uint64_t is_control = (word - of_each_byte(' ')) & ~word;
    return (word | is_control | zeros(word ^ of_each_byte('"')) |
            zeros(word ^ of_each_byte('\\'))) &
           high_bits;
  }
  static std::uint64_t no_digits(std::uint64_t word) {
    const std::uint64_t digit = word ^ of_each_byte('0');
    return (((digit & ~high_bits) + of_each_byte(0x7f - 9)) | digit) & high_bits;
  }

  // Skips characters, eight at a time.
  template <class Others, class IsOne>
  void skip_while(const Others& others, const IsOne& is_one) {
    constexpr std::ptrdiff_t bytes = sizeof(std::uint64_t);
    while (std::endian::native == std::endian::little && end_ - at_ >= bytes) {
      std::uint64_t word = 0;
      std::memcpy(&word, at_, sizeof word);
      const std::uint64_t stop = others(word);
      if (stop != 0) {
        at_ += std::countr_zero(stop) / 8;
        return;
      }
      at_ += bytes;
    }
    while (at_ != end_ && is_one(*at_)) ++at_;
  }

  void skip_plain_text() {
    skip_while([](std::uint64_t word) { return no_plain_text(word); },
               [](unsigned char c) { return c >= ' ' && c < 0x80 && c != '"' && c != '\\'; });
  }

  // Goes behind what follows a backslash.
  bool skip_escape() {
    constexpr std::string_view simple = "\"\\/bfnrt", hexadecimal = "0123456789abcdefABCDEF";
    if (at_ == end_) return false;
    const char kind = *at_++;
    if (kind != 'u') return simple.find(kind) != simple.npos;
    if (end_ - at_ < 4 || *at_ == 'd' || *at_ == 'D') return false;
    const std::string_view code(at_, 4);
    at_ += code.size();
    return code.find_first_not_of(hexadecimal) == code.npos;
  }

  bool skip_list(int max_depth) {
    if (!mark('[')) return false;
    if (mark(']')) return true;
    do {
      if (!skip_value(max_depth)) return false;
    } while (mark(','));
    return mark(']');
  }

  bool digits(std::ptrdiff_t max) {
    const char* const begin = at_;
    skip_while([](std::uint64_t word) { return no_digits(word); },
               [](char c) { return c >= '0' && c <= '9'; });
    return at_ != begin && at_ - begin <= max;
  }

  void skip_spaces() {
    while (at_ != end_ && *at_ <= ' ' &&
           (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) {
      ++at_;
    }
  }

  const char* at_;
  const char* end_;
};

}  // namespace warpath::formats
