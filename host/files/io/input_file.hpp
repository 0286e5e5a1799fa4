#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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
  /// Lists of entries are read in chunks of about so many bytes.
  std::size_t chunk_bytes = std::size_t{1} << 19;

  Reading(std::uint64_t bytes = 0, const InputTexts* in_memory = nullptr)
      : max_bytes(bytes), texts(in_memory) {}
};

/// Reads the whole content of a file, or of standard input for "-", or copies a text that stands in
/// for it. Decompresses gzip (recognised by its first bytes, not by its name), removes UTF-8's byte
/// order mark and adds `input_padding`.
/// @throws InputError if the file cannot be read or is too large, or the compressed data are
/// damaged.
std::string read_input(const std::string& path, const Reading& reading = {});

/// Reads the content that read_input would return piece by piece.
class InputStream {
 public:
  /// Opens a regular file only. @throws InputError if it cannot be opened.
  InputStream(const std::string& path, const Reading& reading);
  ~InputStream();

  /// Returns the bytes of the file or text, packed as it may be; nothing for what is no regular
  /// file, such as a pipe, which must not be read.
  std::optional<std::uint64_t> stored_bytes() const;
  /// Returns how many of them were read.
  std::uint64_t used_bytes() const;
  /// Writes the next bytes of the content, as many as there is room for, or fewer at its end.
  /// Returns their number.
  /// @throws InputError as read_input
  std::size_t read(char* to, std::size_t room);
  bool at_end() const;
  /// Returns content_hash of all bytes that were read.
  std::string hash() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Returns the 128-bit XXH3 of a content as 32 hexadecimal digits. It identifies the data of a
/// report.
std::string content_hash(std::string_view content);

/// Makes content_hash of a content that comes in parts.
class ContentHash {
 public:
  ContentHash();
  ~ContentHash();

  void add(std::string_view part);
  std::string text() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpath::io
