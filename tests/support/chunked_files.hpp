#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "host/files/formats/entry_chunks.hpp"
#include "host/files/io/input_file.hpp"
#include "tests/support/files.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/read_texts.hpp"

// Makes files of many entries, and reads them whole and in chunks.

namespace warpath::testing {

inline constexpr std::size_t whole = std::size_t{1} << 30;
inline constexpr std::size_t chunk_sizes[]{24, 31, 64, 100, 257, 1000, 5000};

inline io::Reading in_chunks(std::size_t bytes) {
  io::Reading reading;
  reading.chunk_bytes = bytes;
  return reading;
}

/// Counts the entries of a file, and the chunks that it is read in.
struct EntryCounter : formats::ChunkReader {
  std::array<std::size_t, max_slots> sizes{};
  std::size_t chunks = 0, entries = 0;

  bool read(std::size_t slot, const json::Value& list) override {
    sizes[slot] = size_of(list);
    return true;
  }
  bool take(std::size_t slot) override {
    ++chunks;
    entries += sizes[slot];
    return true;
  }
};

/// Returns a list of entries. @param entry a format, which gets the number of the entry
inline std::string list_of(std::size_t count, const char* entry, std::string_view between = ", ") {
  std::string text = "[";
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0) text += between;
    text += fmt::format(fmt::runtime(entry), k);
  }
  return text + "]";
}

/// Returns a line for each entry.
inline std::string lines_of(std::size_t count, const char* entry) {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += fmt::format(fmt::runtime(entry), k) + "\n";
  return text;
}

/// Returns an object of values, whose keys are their numbers behind a prefix.
inline std::string object_of(std::size_t count, const char* value, const char* between = ", ",
                             const char* prefix = "") {
  std::string text = "{";
  for (std::size_t k = 0; k < count; ++k) {
    text += fmt::format("{}\"{}{}\": {}", k > 0 ? between : "", prefix, k,
                        fmt::format(fmt::runtime(value), k));
  }
  return text + "}";
}

/// Joins two objects, or two lists.
inline std::string joined(const std::string& a, const std::string& b) {
  return a.substr(0, a.size() - 1) + ", " + b.substr(1);
}

/// Reads a file whole and in chunks of all sizes. @param read takes its path, a Reading and a table
template <class Read>
void expect_same(const std::string& content, const Read& read) {
  const TemporaryFolder folder;
  const std::string file = folder.write("file.json", content);
  const auto text_in_chunks = [&](std::size_t bytes) {
    return text_read(
        [&](formats::StringTable& table) { return read(file, in_chunks(bytes), table); });
  };
  const std::string expected = text_in_chunks(whole);
  for (const std::size_t bytes : chunk_sizes) EXPECT_EQ(text_in_chunks(bytes), expected) << bytes;
}

}  // namespace warpath::testing
