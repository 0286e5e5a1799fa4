#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "warpath/input_texts.hpp"

namespace warpath::io {

/// Returns the name of an input for messages and reports: "-" is standard input.
std::string input_name(const std::string& path);

/// Refuses standard input, "-", as more than one of the inputs, since it can be read only once.
/// @throws UsageError
void check_standard_input(std::span<const std::string> inputs);

/// Returns the default limit of an input's bytes: a quarter of the memory.
std::uint64_t default_max_input();

/// Bytes allocated behind an input's content: a JSON parser's padding, and two brackets.
inline constexpr std::size_t input_padding = 128;

/// Says how inputs are read. A number of bytes is one: files only, of up to so many bytes.
struct Reading {
  /// Limit of the bytes to read, and of the decompressed content; 0: the default.
  std::uint64_t max_bytes = 0;
  const InputTexts* texts = nullptr;  ///< stand in for files of these names; null: none

  Reading(std::uint64_t bytes = 0, const InputTexts* in_memory = nullptr)
      : max_bytes(bytes), texts(in_memory) {}
};

/// Reads the whole content of a file, or of standard input for "-", or copies a text that stands in
/// for it. Decompresses gzip (recognised by its first bytes, not by its name), removes UTF-8's byte
/// order mark and adds `input_padding`.
/// @throws InputError if the file cannot be read or is too large, or the compressed data are
/// damaged.
std::string read_input(const std::string& path, const Reading& reading = {});

/// Returns the 128-bit XXH3 of a content as 32 hexadecimal digits. It identifies the data of a
/// report.
std::string content_hash(std::string_view content);

}  // namespace warpath::io
