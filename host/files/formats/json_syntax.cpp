#include "host/files/formats/json_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "host/core/base/clean_text.hpp"
#include "host/files/formats/lines.hpp"

namespace warpath::formats {
namespace {

constexpr std::string_view word_ends = " \t\r\n,:[]{}\"";
constexpr std::string_view digits = "0123456789";
constexpr std::array<std::string_view, 3> literals{"true", "false", "null"};

// Removes the digits at the beginning of a text and tells whether there were any.
bool skip_digits(std::string_view& text) {
  const std::size_t count = std::min(text.find_first_not_of(digits), text.size());
  text.remove_prefix(count);
  return count > 0;
}

bool is_number(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  if (word.starts_with('0')) {
    word.remove_prefix(1);
  } else if (!skip_digits(word)) {
    return false;
  }
  if (word.starts_with('.')) {
    word.remove_prefix(1);
    if (!skip_digits(word)) return false;
  }
  if (word.starts_with('e') || word.starts_with('E')) {
    word.remove_prefix(1);
    if (word.starts_with('+') || word.starts_with('-')) word.remove_prefix(1);
    if (!skip_digits(word)) return false;
  }
  return word.empty();
}

bool is_literal(std::string_view word) {
  return std::ranges::find(literals, word) != literals.end();
}

// Tells whether a word may be the beginning of a value.
bool is_cut_off(std::string_view word) {
  const auto begins = [&](std::string_view literal) { return literal.starts_with(word); };
  return std::ranges::any_of(literals, begins) || is_number(std::string(word) + '0');
}

// Returns the number in an escape, \u and four hexadecimal digits, at the beginning of a text.
std::optional<unsigned> escaped_unit(std::string_view text) {
  unsigned unit;
  if (text.size() < 6 || !text.starts_with("\\u")) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 2, text.data() + 6, unit, 16);
  return error == std::errc{} && end == text.data() + 6 ? std::optional(unit) : std::nullopt;
}

// Tells whether a text is the beginning of such an escape.
bool is_cut_off_unit(std::string_view text) {
  return text.size() < 6 &&
         escaped_unit(std::string(text) + std::string("\\u0000").substr(text.size()));
}

// Reads a text token by token, without recursion.
class SyntaxReader {
 public:
  explicit SyntaxReader(std::string_view text) : text_(text) {}

  std::optional<SyntaxFault> find() {
    while ((at_ = text_.find_first_not_of(json_spaces, at_)) != text_.npos) {
      if (auto fault = read_token()) return fault;
    }
    return next_ == Next::nothing ? std::nullopt : ends_early();
  }

 private:
  using Fault = std::optional<SyntaxFault>;
  enum class Next { value, first_value, key, first_key, colon, comma, nothing };

  Fault read_token() {
    switch (const char c = text_[at_]) {
      case '{':
      case '[':
        return open(c);
      case '}':
      case ']':
        return close(c);
      case ',':
      case ':':
        return separate(c);
      case '"':
        return read_string();
      default:
        return read_word(text_.substr(at_, text_.find_first_of(word_ends, at_) - at_));
    }
  }

  bool takes_value() const { return next_ == Next::value || next_ == Next::first_value; }
  bool takes_key() const { return next_ == Next::key || next_ == Next::first_key; }
  void end_value() { next_ = open_.empty() ? Next::nothing : Next::comma; }

  Fault open(char bracket) {
    if (!takes_value()) return unexpected_sign(bracket);
    open_ += bracket;
    next_ = bracket == '{' ? Next::first_key : Next::first_value;
    ++at_;
    return std::nullopt;
  }

  Fault close(char bracket) {
    const bool may_end =
        next_ == Next::comma || next_ == Next::first_key || next_ == Next::first_value;
    if (!may_end || bracket != closing()) return unexpected_sign(bracket);
    open_.pop_back();
    end_value();
    ++at_;
    return std::nullopt;
  }

  Fault separate(char sign) {
    if (next_ != (sign == ',' ? Next::comma : Next::colon)) return unexpected_sign(sign);
    next_ = sign == ',' && closing() == '}' ? Next::key : Next::value;
    ++at_;
    return std::nullopt;
  }

  Fault read_string() {
    if (!takes_key() && !takes_value()) return unexpected("string");
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c < 0x20) {
        return fault(fmt::format("control character U+{0:04X} in a string; write \\u{0:04X}", c));
      }
      if (c != '\\') continue;
      if (auto wrong = read_escape(text_.substr(at_))) return wrong;
    }
    if (at_ == text_.size()) return ends_early();
    ++at_;
    if (takes_key()) {
      next_ = Next::colon;
    } else {
      end_value();
    }
    return std::nullopt;
  }

  // Moves to the last character of an escape. @param rest begins with it
  Fault read_escape(std::string_view rest) {
    constexpr std::string_view escaped = "\"\\/bfnrt";
    if (rest.size() > 1 && escaped.find(rest[1]) != escaped.npos) {
      ++at_;
      return std::nullopt;
    }
    if (is_cut_off_unit(rest)) return ends_early();
    const auto unit = escaped_unit(rest);
    if (!unit) return fault("unknown escape in a string; write a backslash as \\\\");
    at_ += 5;
    if (*unit < 0xD800 || *unit > 0xDFFF) return std::nullopt;
    const std::string_view second = rest.substr(6);
    const auto low = escaped_unit(second);
    if (*unit < 0xDC00 && is_cut_off_unit(second)) return ends_early();
    if (*unit < 0xDC00 && low && *low >= 0xDC00 && *low <= 0xDFFF) {
      at_ += 6;
      return std::nullopt;
    }
    at_ -= 5;
    return fault(fmt::format("{} is half of a surrogate pair", rest.substr(0, 6)));
  }

  Fault read_word(std::string_view word) {
    const bool is_value = is_literal(word) || is_number(word);
    if (takes_value() && is_value) {
      at_ += word.size();
      end_value();
      return std::nullopt;
    }
    if (takes_value() && at_ + word.size() == text_.size() && is_cut_off(word)) return ends_early();
    if (is_number(word)) return unexpected("number");
    if (word.starts_with('\'')) return unexpected("single quote");
    const std::string shown = fmt::format("'{}'", base::clean_text(base::shortened(word, 40)));
    const bool is_like_number = digits.find(word[0]) != digits.npos || word.starts_with('-') ||
                                word.starts_with('+') || word.starts_with('.');
    if (takes_value() && is_like_number) return fault(shown + " is not a number in JSON");
    return unexpected(shown);
  }

  char closing() const { return open_.ends_with('{') ? '}' : ']'; }

  std::string expected() const {
    switch (next_) {
      case Next::value:
        return "a value";
      case Next::first_value:
        return "a value or ']'";
      case Next::key:
        return "a key in double quotes";
      case Next::first_key:
        return "a key in double quotes or '}'";
      case Next::colon:
        return "':'";
      case Next::comma:
        return fmt::format("',' or '{}'", closing());
      default:
        return "the end";
    }
  }

  Fault fault(std::string problem) const { return SyntaxFault{at_, std::move(problem)}; }
  Fault ends_early() const { return SyntaxFault{text_.size()}; }
  Fault unexpected(std::string_view token) const {
    return fault(fmt::format("unexpected {}; expected {}", token, expected()));
  }
  Fault unexpected_sign(char sign) const { return unexpected(fmt::format("'{}'", sign)); }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;  // brackets, from the outside
  Next next_ = Next::value;
};

}  // namespace

std::optional<SyntaxFault> find_syntax_fault(std::string_view text) {
  return SyntaxReader(text).find();
}

}  // namespace warpath::formats
