#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/files/formats/string_table.hpp"
#include "host/files/formats/trajectory.hpp"
#include "host/files/io/input_file.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/read_texts.hpp"
#include "warpath/error.hpp"
#include "warpath/graph.hpp"

// What the targets share: inputs as files, and the promises that what was read has to keep.

namespace warpath::fuzz {

/// Says which promise of the library an input broke.
class Violation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// @throws Violation with the text where the promise is broken.
inline void require(bool is_kept, std::string_view text) {
  if (!is_kept) throw Violation(std::string(text));
}

/// The most bytes that a target lets a reader hold, decompressed.
inline constexpr std::uint64_t max_bytes = std::uint64_t{1} << 22;

/// A file in memory, for readers that open their input by its path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

inline std::string_view text_of(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// Takes the first byte away, which chooses one of `count` ways to read the rest: '0' the first.
/// Without any byte: the first.
std::size_t take_choice(Bytes& input, std::size_t count);

/// Checks that an error has a message of one line, without control characters.
void check_message(const Error& error);

/// Runs a reader, which may refuse its input by an InputError and by nothing else.
/// @return the message of the refusal, else an empty text
template <class Read>
std::string refusal_of(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    check_message(error);
    return error.what();
  }
  return {};
}
template <class Read>
void read_or_refuse(Read read) {
  refusal_of(read);
}

/// Checks that a file is read alike, or refused alike, as a whole and in chunks of any size.
/// @param read takes a Reading and a StringTable
template <class Read>
void check_chunks(const Read& read) {
  const auto text_in_chunks = [&](std::size_t bytes) {
    io::Reading reading{max_bytes};
    reading.chunk_bytes = bytes;
    return testing::text_read([&](formats::StringTable& table) { return read(reading, table); });
  };
  const std::string whole = text_in_chunks(std::size_t{8} * max_bytes);
  for (const std::size_t bytes : {24, 40, 90, 400}) {
    require(text_in_chunks(bytes) == whole, "a file is read in another way in chunks");
  }
}

/// Checks that paths lie one after the other and name viewpoints of the table.
void check_paths(const formats::NamedPaths& paths, const formats::StringTable& viewpoints);

/// Checks that a scan finds its viewpoints, that edges lead both ways unless it is directed, and
/// that its distances are those of a graph.
void check_scan(const Scan& scan);

}  // namespace warpath::fuzz
