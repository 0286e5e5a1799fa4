#include "host/files/formats/entry_chunks.hpp"

#include <tbb/info.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "host/core/base/progress.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/lines.hpp"

namespace warpath::formats {
namespace {

// Text of whole entries, and what the parser made of it.
struct Chunk {
  std::size_t slot = 0;
  std::vector<char> text;
  std::size_t size = 0;
  json::parser parser;

  std::string_view view() const { return {text.data(), size}; }
  void append(std::string_view more) {
    text.resize(std::max(text.size(), size + more.size() + io::input_padding));
    std::memcpy(text.data() + size, more.data(), more.size());
    size += more.size();
  }
  void append(io::InputStream& stream, std::size_t bytes) {
    text.resize(std::max(text.size(), size + bytes + io::input_padding));
    size += stream.read(text.data() + size, bytes);
  }
};

// Says how to find the begins of entries: by the text that the first one begins with.
struct EntryStart {
  std::string text;        // of a list: {"first key"; of an object, behind a key: : [{"first key"
  bool is_object = false;  // the entries are those of an object, by key
};

// Returns the place behind a text in quotes that begins there; npos if there is none.
std::size_t behind_text(std::string_view text, std::size_t begin) {
  if (begin >= text.size() || text[begin] != '"') return text.npos;
  const std::size_t end = text.find('"', begin + 1);
  return end == text.npos ? text.npos : end + 1;
}

std::optional<EntryStart> find_entry_start(std::string_view text) {
  const std::size_t open = text.find_first_not_of(json_spaces);
  if (open == text.npos || (text[open] != '[' && text[open] != '{')) return std::nullopt;
  std::size_t begin = text.find_first_not_of(json_spaces, open + 1), value = begin;
  if (text[open] == '{') {
    const std::size_t end = behind_text(text, begin);
    if (end == text.npos) return std::nullopt;
    begin = text.find_first_not_of(json_spaces, end);
    if (begin == text.npos || text[begin] != ':') return std::nullopt;
    value = text.find_first_not_of(json_spaces, begin + 1);
  }
  if (value == text.npos || (text[value] != '{' && text[value] != '[')) return std::nullopt;
  std::size_t end = text.find_first_not_of("[{ \t\r\n", value);
  if (end == text.npos) return std::nullopt;
  if (text[end] == '"') end = behind_text(text, end);
  if (end == text.npos) return std::nullopt;
  return EntryStart{std::string(text.substr(begin, end - begin)), text[open] == '{'};
}

// Cuts a file into chunks.
class Cutter {
 public:
  Cutter(const std::string& path, const io::Reading& reading)
      : stream_(path, reading), chunk_bytes_(std::max<std::size_t>(reading.chunk_bytes, 1)) {}

  // Tells whether a file is worth it. Packed files hold several times their bytes.
  bool is_large() const {
    const auto bytes = stream_.stored_bytes();
    return bytes && *bytes >= chunk_bytes_ / 4;
  }
  std::uint64_t stored_bytes() const { return stream_.stored_bytes().value_or(0); }
  std::uint64_t used_bytes() const { return stream_.used_bytes(); }
  bool is_lines() const { return is_lines_; }
  bool at_end() const { return is_done_; }
  std::string hash() const { return stream_.hash(); }

  // Reads up to the first cut. Returns false if the file is of another form.
  bool begin(Chunk& chunk) {
    chunk.size = 0;
    chunk.append("[");
    chunk.append(stream_, chunk_bytes_);
    const std::string_view text = chunk.view().substr(1);
    is_lines_ = holds_lines(text);
    if (!is_lines_) {
      const auto start = find_entry_start(text);
      if (!start) return false;
      start_ = *start;
      chunk.text[0] = ' ';  // the file has its own bracket
    }
    return end(chunk);
  }

  // Reads on up to the next cut. Returns false if there is none within reach.
  bool next(Chunk& chunk) {
    chunk.size = 0;
    chunk.append(start_.is_object ? "{" : "[");
    chunk.append(rest_);
    chunk.append(stream_, chunk_bytes_);
    return end(chunk);
  }

 private:
  // Keeps what is behind the last cut for the next chunk.
  bool end(Chunk& chunk) {
    constexpr std::size_t max_growth = 8;
    for (std::size_t growth = 0; !stream_.at_end(); ++growth) {
      if (is_lines_ ? cut_lines(chunk) : cut_list(chunk)) return true;
      if (growth == max_growth) return false;
      chunk.append(stream_, chunk_bytes_);
    }
    is_done_ = true;
    if (is_lines_) chunk.append("]");
    return true;
  }

  // Keeps the last line, so that what is left at the end of the file has one.
  bool cut_lines(Chunk& chunk) {
    const std::string_view text = chunk.view();
    const std::size_t newline = text.rfind('\n', text.find_last_not_of(json_spaces));
    if (newline == text.npos) return false;
    return cut(chunk, newline, newline + 1);
  }

  bool cut_list(Chunk& chunk) {
    const std::string_view text = chunk.view();
    for (std::size_t start = text.rfind(start_.text); start != text.npos && start > 1;
         start = text.rfind(start_.text, start - 1)) {
      const std::size_t begin = start_.is_object ? begin_of_key(text, start) : start;
      if (begin == text.npos || begin < 2) continue;
      const std::size_t comma = text.find_last_not_of(json_spaces, begin - 1);
      if (comma == text.npos || comma == 0 || text[comma] != ',') continue;
      const std::size_t end = text.find_last_not_of(json_spaces, comma - 1);
      if (end != text.npos && (text[end] == '}' || text[end] == ']')) {
        return cut(chunk, end + 1, begin);
      }
    }
    return false;
  }

  // Returns where the key in front of a colon begins; npos if there is none.
  static std::size_t begin_of_key(std::string_view text, std::size_t colon) {
    const std::size_t end = text.find_last_not_of(json_spaces, colon - 1);
    if (end == text.npos || end == 0 || text[end] != '"') return text.npos;
    return text.rfind('"', end - 1);
  }

  bool cut(Chunk& chunk, std::size_t end, std::size_t next) {
    rest_ = chunk.view().substr(next);
    chunk.size = end;
    chunk.append(start_.is_object ? "}" : "]");
    return true;
  }

  io::InputStream stream_;
  std::size_t chunk_bytes_;
  bool is_lines_ = false, is_done_ = false;
  EntryStart start_;
  std::string rest_;
};

// Parses a chunk. Returns false if it has no entries.
bool parse(Chunk& chunk, bool is_lines, json::element& root) {
  std::size_t lines = 0;
  if (is_lines) lines = join_lines(chunk.text.data() + 1, chunk.size - 2).size();
  if (try_parse(chunk.parser, chunk.view(), root) != simdjson::SUCCESS) return false;
  json::object object;
  if (root.get(object) == simdjson::SUCCESS) return object.size() > 0;
  json::array list;
  if (root.get(list) != simdjson::SUCCESS || list.size() == 0) return false;
  // A comma in the place of a newline may have joined a value that was broken over two lines.
  return !is_lines || list.size() == lines;
}

bool read_all(Cutter& cutter, ChunkReader& reader) {
  std::vector<Chunk> chunks(std::min<std::size_t>(
      ChunkReader::max_slots, 2 * static_cast<std::size_t>(tbb::info::default_concurrency())));
  for (std::size_t c = 0; c < chunks.size(); ++c) chunks[c].slot = c;
  const auto read = [&](Chunk& chunk) {
    json::element entries;
    return parse(chunk, cutter.is_lines(), entries) && reader.read(chunk.slot, entries);
  };
  base::Progress progress("reading", cutter.stored_bytes(), "bytes");
  std::uint64_t reported = 0;
  if (!cutter.begin(chunks[0]) || !read(chunks[0]) || !reader.take(0)) return false;

  // Chunks leave in order, so a slot is free when as many have entered as there are slots.
  std::size_t entered = 0, taken = 0;
  std::atomic<bool> is_given_up = false;
  const auto enter = [&](tbb::flow_control& flow) -> Chunk* {
    if (is_given_up || cutter.at_end()) {
      flow.stop();
      return nullptr;
    }
    Chunk& chunk = chunks[entered++ % chunks.size()];
    if (!cutter.next(chunk)) is_given_up = true;
    progress.add(cutter.used_bytes() - std::exchange(reported, cutter.used_bytes()));
    return &chunk;
  };
  const auto read_one = [&](Chunk* chunk) {
    if (!is_given_up && !read(*chunk)) is_given_up = true;
    return chunk;
  };
  const auto take_one = [&](Chunk* chunk) {
    if (!is_given_up && !reader.take(chunk->slot)) is_given_up = true;
    ++taken;
  };
  using tbb::filter_mode, tbb::make_filter;
  tbb::parallel_pipeline(chunks.size(),
                         make_filter<void, Chunk*>(filter_mode::serial_in_order, enter) &
                             make_filter<Chunk*, Chunk*>(filter_mode::parallel, read_one) &
                             make_filter<Chunk*, void>(filter_mode::serial_in_order, take_one));
  return !is_given_up && taken == entered && cutter.at_end();  // else the work was cancelled
}

}  // namespace

std::optional<ChunkedFile> read_in_chunks(const std::string& path, const io::Reading& reading,
                                          ChunkReader& reader) {
  try {
    if (path == "-") return std::nullopt;
    Cutter cutter(path, reading);
    if (!cutter.is_large() || !read_all(cutter, reader)) return std::nullopt;
    return ChunkedFile{path, cutter.hash(), cutter.is_lines()};
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace warpath::formats
