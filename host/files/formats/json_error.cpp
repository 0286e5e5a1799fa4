#include "host/files/formats/json_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "host/files/formats/json_syntax.hpp"
#include "host/files/io/file_kind.hpp"

namespace warpath::formats {
namespace {

// Returns the first byte at which the text stops being UTF-8, by bisecting for the longest valid
// prefix.
std::size_t first_invalid(std::string_view text) {
  std::size_t good = 0, bad = text.size();
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    // A prefix that ends within a character is not yet invalid.
    std::size_t end = middle;
    while (end > good && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
    (simdjson::validate_utf8(text.data(), end) ? good : bad) = middle;
  }
  return good;
}

// Returns where the text stops being text, or nothing. UTF-16 may be valid UTF-8, but has zero
// bytes.
std::size_t first_not_text(std::string_view text) {
  const std::size_t zero = text.find('\0');
  const bool is_valid = simdjson::validate_utf8(text.data(), text.size());
  return is_valid ? zero : std::min(zero, first_invalid(text));
}

// Returns "line 3, column 14"; columns count characters, not bytes.
std::string place(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line = before.substr(before.rfind('\n') + 1).size();
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return fmt::format(
      "line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
      1 + std::count_if(before.end() - static_cast<std::ptrdiff_t>(line), before.end(), is_start));
}

[[noreturn]] void fail_no_json(std::string_view text, const InputError::Where& where) {
  const std::string_view first = text.substr(0, text.find_first_of("\r\n"));
  if (first.find(',') != first.npos && first.find_first_of("{}[]") == first.npos) {
    throw InputError(where, "a table (CSV), not JSON", "see docs/formats.md");
  }
  throw InputError(where, fmt::format("text, not JSON; it begins with '{}'", first.substr(0, 40)),
                   "see docs/formats.md");
}

[[noreturn]] void fail_at(const SyntaxFault& fault, std::string_view text,
                          InputError::Where where) {
  if (fault.offset == text.size()) {
    if (where.item.empty()) where.item = place(text, text.find_last_not_of(" \t\r\n"));
    throw InputError(where, "the JSON ends in the middle", "is the file truncated? write it again");
  }
  std::string at = place(text, fault.offset);
  if (where.item.empty()) {
    where.item = std::move(at);
  } else {
    where.item += at.substr(at.find(','));  // a text of one line, which is already named
  }
  throw InputError(where, fmt::format("not valid JSON: {}", fault.problem),
                   "repair it there, or write the file again by a JSON library");
}

[[noreturn]] void fail_without_parser() {
  constexpr const char* variable = "SIMDJSON_FORCE_IMPLEMENTATION";
  const char* value = std::getenv(variable);
  throw InputError(
      {variable},
      fmt::format("'{}' is no JSON parser that this processor has", value != nullptr ? value : ""),
      "unset this environment variable");
}

}  // namespace

void fail_json(std::string_view text, InputError::Where where, simdjson::error_code code) {
  if (code == simdjson::MEMALLOC) throw std::bad_alloc();
  if (code == simdjson::UNSUPPORTED_ARCHITECTURE) fail_without_parser();
  io::refuse_foreign(where, text);
  if (code == simdjson::CAPACITY) {
    throw InputError(where, "longer than the 4 GiB of JSON that are read at once",
                     "split it into shards and say --merge");
  }
  if (code == simdjson::DEPTH_ERROR) {
    throw InputError(where, "lists or objects are nested deeper than any format's",
                     "check the file");
  }
  if (const std::size_t at = first_not_text(text); at != text.npos) {
    if (where.item.empty()) where.item = place(text, at);
    throw InputError(where, "not UTF-8 text", "save the file as UTF-8");
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) throw InputError(where, "is empty", "write the file again");
  if (text[first] != '{' && text[first] != '[') fail_no_json(text.substr(first), where);
  if (const auto fault = find_syntax_fault(text)) fail_at(*fault, text, where);
  throw InputError(where, fmt::format("not readable as JSON ({})", simdjson::error_message(code)),
                   "check it with a JSON tool, e.g. python3 -m json.tool");
}

}  // namespace warpath::formats
