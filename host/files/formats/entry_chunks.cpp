#include "host/files/formats/entry_chunks.hpp"

#include <fmt/format.h>
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
#include "host/files/formats/parse_json.hpp"
#include "host/files/formats/spare_parser.hpp"

namespace warpath::formats {
namespace {

// Text of whole entries, and what the parser made of it.
struct Chunk {
  std::size_t slot = 0;
  bool is_first = false, is_last = false;  // of the file
  double part_read = 1.0;                  // of the file, with this chunk
  std::vector<char> text;
  std::size_t size = 0;
  SpareParser parser;

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

// Says how to find the begins of entries, and what makes a document of some of them.
struct EntryForm {
  std::string start{};  // of a list: {"first key; of an object, behind a key: : [{"first key
  std::string open = "[", close = "]";
  bool is_object = false;   // the entries are those of an object, by key
  bool is_wrapped = false;  // the entries are those of a list that a key of an object has
};

// Returns the place behind a text in quotes that begins there; npos if there is none.
std::size_t behind_text(std::string_view text, std::size_t begin) {
  if (begin >= text.size() || text[begin] != '"') return text.npos;
  const std::size_t end = text.find('"', begin + 1);
  return end == text.npos ? text.npos : end + 1;
}

// Returns where the key in front of a colon begins; npos if there is none.
std::size_t begin_of_key(std::string_view text, std::size_t colon) {
  const std::size_t end = text.find_last_not_of(json_spaces, colon - 1);
  if (end == text.npos || end == 0 || text[end] != '"') return text.npos;
  return text.rfind('"', end - 1);
}

// Returns the text from a place in front of an entry to the end of its first key; "" if the entry,
// which begins at `value`, has another form.
std::string start_text(std::string_view text, std::size_t begin, std::size_t value) {
  if (value == text.npos || (text[value] != '{' && text[value] != '[')) return "";
  std::size_t end = text.find_first_not_of("[{ \t\r\n", value);
  if (end == text.npos) return "";
  if (text[end] == '"') end = behind_text(text, end);
  return end == text.npos ? "" : std::string(text.substr(begin, end - begin));
}

// Returns the form of an object whose entries have keys.
EntryForm keyed_form(std::string_view text, std::size_t open) {
  const std::size_t key = text.find_first_not_of(json_spaces, open + 1);
  const std::size_t end = behind_text(text, key);
  if (end == text.npos) return {};
  const std::size_t colon = text.find_first_not_of(json_spaces, end);
  if (colon == text.npos || text[colon] != ':') return {};
  const std::size_t value = text.find_first_not_of(json_spaces, colon + 1);
  return {start_text(text, colon, value), "{", "}", true};
}

// Returns the form of an object that has the entries in a list: the first one of objects.
EntryForm wrapped_form(std::string_view text, std::size_t open) {
  for (std::size_t list = text.find('[', open); list != text.npos;
       list = text.find('[', list + 1)) {
    const std::size_t value = text.find_first_not_of(json_spaces, list + 1);
    if (value == text.npos || text[value] != '{') continue;
    const std::size_t colon = text.find_last_not_of(json_spaces, list - 1);
    if (colon == text.npos || text[colon] != ':') continue;
    const std::size_t key = begin_of_key(text, colon);
    if (key == text.npos || text[key - 1] == '\\') continue;
    return {start_text(text, value, value), fmt::format("{{{}[", text.substr(key, colon + 1 - key)),
            "]}", false, true};
  }
  return {};
}

// Returns the forms that a file may have, by precedence.
std::vector<EntryForm> possible_forms(std::string_view text) {
  const std::size_t open = text.find_first_not_of(json_spaces);
  if (open == text.npos || (text[open] != '[' && text[open] != '{')) return {};
  std::vector<EntryForm> forms;
  if (text[open] == '{') {
    forms = {keyed_form(text, open), wrapped_form(text, open)};
  } else {
    const std::size_t value = text.find_first_not_of(json_spaces, open + 1);
    forms = {{start_text(text, value, value)}};
  }
  std::erase_if(forms, [](const EntryForm& form) { return form.start.empty(); });
  return forms;
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
  std::size_t chunk_bytes() const { return chunk_bytes_; }
  std::uint64_t used_bytes() const { return stream_.used_bytes(); }
  bool is_lines() const { return is_lines_; }
  bool at_end() const { return is_done_; }
  std::string hash() const { return stream_.hash(); }
  const EntryForm& form() const { return forms_.front(); }

  // Reads up to the first cut. Returns false if the file is of another form.
  bool begin(Chunk& chunk) {
    chunk.size = 0;
    chunk.append("[");
    chunk.append(stream_, chunk_bytes_);
    chunk.is_first = true;
    const std::string_view text = chunk.view().substr(1);
    is_lines_ = holds_lines(text);
    if (is_lines_) {
      forms_.emplace_back();
    } else {
      forms_ = possible_forms(text);
      if (forms_.empty()) return false;
      chunk.text[0] = ' ';  // the file has its own bracket
    }
    return end(chunk);
  }

  // Reads on up to the next cut. Returns false if there is none within reach.
  bool next(Chunk& chunk) {
    chunk.size = 0;
    chunk.is_first = false;
    chunk.append(form().open);
    chunk.append(rest_);
    chunk.append(stream_, chunk_bytes_);
    return end(chunk);
  }

 private:
  // Keeps what is behind the last cut for the next chunk.
  bool end(Chunk& chunk) {
    constexpr std::size_t max_growth = 8;
    for (std::size_t growth = 0; !stream_.at_end(); ++growth) {
      if (is_lines_ ? cut_lines(chunk) : cut_entries(chunk)) return true;
      if (growth == max_growth) return false;
      chunk.append(stream_, chunk_bytes_);
    }
    is_done_ = chunk.is_last = true;
    if (is_lines_) chunk.append("]");
    return !form().is_wrapped || !chunk.is_first;
  }

  // Keeps the last line, so that what is left at the end of the file has one.
  bool cut_lines(Chunk& chunk) {
    const std::string_view text = chunk.view();
    const std::size_t newline = text.rfind('\n', text.find_last_not_of(json_spaces));
    if (newline == text.npos) return false;
    return cut(chunk, form(), newline, newline + 1);
  }

  // The first cut decides which of the possible forms the file has.
  bool cut_entries(Chunk& chunk) {
    const auto found = std::ranges::find_if(
        forms_, [&](const EntryForm& form) { return cut_between(chunk, form); });
    if (found == forms_.end()) return false;
    forms_ = {EntryForm(*found)};
    return true;
  }

  bool cut_between(Chunk& chunk, const EntryForm& form) {
    const std::string_view text = chunk.view();
    for (std::size_t start = text.rfind(form.start); start != text.npos && start > 1;
         start = text.rfind(form.start, start - 1)) {
      const std::size_t begin = form.is_object ? begin_of_key(text, start) : start;
      if (begin == text.npos || begin < 2) continue;
      const std::size_t comma = text.find_last_not_of(json_spaces, begin - 1);
      if (comma == text.npos || comma == 0 || text[comma] != ',') continue;
      const std::size_t end = text.find_last_not_of(json_spaces, comma - 1);
      if (end != text.npos && (text[end] == '}' || text[end] == ']')) {
        return cut(chunk, form, end + 1, begin);
      }
    }
    return false;
  }

  bool cut(Chunk& chunk, const EntryForm& form, std::size_t end, std::size_t next) {
    rest_ = chunk.view().substr(next);
    chunk.size = end;
    chunk.append(form.close);
    return true;
  }

  io::InputStream stream_;
  std::size_t chunk_bytes_;
  bool is_lines_ = false, is_done_ = false;
  std::vector<EntryForm> forms_;  // that the file may have; one behind the first cut
  std::string rest_;
};

// Joins the lines of a chunk to a list. Returns their number; 0 if the reader takes no such lines.
std::size_t join_chunk(Chunk& chunk, const ChunkReader& reader) {
  const std::size_t lines = join_lines(chunk.text.data() + 1, chunk.size - 2).size();
  if (reader.takes_blank_lines()) return lines;
  // Nothing stands between the lines but the commas. Behind the last one of the file may be spaces.
  const std::string_view text = chunk.view().substr(0, chunk.size - 1);
  const std::size_t end = chunk.is_last ? text.find_last_not_of(json_spaces) : text.npos;
  return text.substr(0, end).find('\n') == text.npos ? lines : 0;
}

// Replaces an object by the list of entries that one of its keys has. Returns false if it may not
// be read as this list.
bool unwrap(const Chunk& chunk, ChunkReader& reader, json::Value& root) {
  json::Object object;
  if (!root.get(object) || object.size() == 0) return false;
  const bool is_end = chunk.is_first || chunk.is_last;
  if (!is_end && object.size() > 1) return false;
  auto list = *object.begin();
  if (chunk.is_first) {
    for (const auto field : object) list = field;
  }
  if (find_key(object, list.key).count > 1) return false;
  if (is_end && !reader.takes_list_in(list.key, object)) return false;
  root = list.value;
  return root.is_array();
}

// Parses a chunk, and finds its entries. Returns false if it has none.
bool parse(Chunk& chunk, const Cutter& cutter, ChunkReader& reader, json::Value& entries) {
  const std::size_t lines = cutter.is_lines() ? join_chunk(chunk, reader) : 0;
  if (cutter.is_lines() && lines == 0) return false;
  if (try_parse(chunk.parser.for_document(chunk.size), chunk.view(), entries) != simdjson::SUCCESS)
    return false;
  if (is_lone_line(entries)) return false;
  if (cutter.form().is_wrapped && !unwrap(chunk, reader, entries)) return false;
  json::Object object;
  if (entries.get(object)) return object.size() > 0;
  json::Array list;
  if (!entries.get(list) || list.size() == 0) return false;
  // A comma in the place of a newline may have joined a value that was broken over two lines.
  return !cutter.is_lines() || list.size() == lines;
}

// Returns how many chunks are in memory at most. A chunk takes up to five times its bytes; those of
// JSON Lines together no more than a fifth of a large file, however many cores there are.
std::size_t count_slots(const Cutter& cutter) {
  constexpr std::size_t min_slots = 4;
  const auto cores = static_cast<std::size_t>(tbb::info::default_concurrency());
  const std::size_t slots = std::min(ChunkReader::max_slots, 2 * cores);
  const std::size_t affordable = cutter.stored_bytes() / (24 * cutter.chunk_bytes());
  return cutter.is_lines() ? std::min(slots, std::max(min_slots, affordable)) : slots;
}

bool read_chunk(Chunk& chunk, const Cutter& cutter, ChunkReader& reader) {
  const EntryForm& form = cutter.form();
  const bool is_list = !cutter.is_lines() && !form.is_object && !form.is_wrapped;
  if (is_list && !chunk.is_first && reader.read_text(chunk.slot, chunk.view())) return true;
  json::Value entries;
  return parse(chunk, cutter, reader, entries) && reader.read(chunk.slot, entries);
}

// Reads what is behind the first chunk.
bool read_others(std::vector<Chunk>& chunks, Cutter& cutter, ChunkReader& reader) {
  base::Progress progress("reading", cutter.stored_bytes(), "bytes");
  std::uint64_t reported = 0;
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
    const std::uint64_t used = cutter.used_bytes();
    chunk.part_read = static_cast<double>(used) / static_cast<double>(cutter.stored_bytes());
    progress.add(used - std::exchange(reported, used));
    return &chunk;
  };
  const auto read_one = [&](Chunk* chunk) {
    if (!is_given_up && !read_chunk(*chunk, cutter, reader)) is_given_up = true;
    return chunk;
  };
  const auto take_one = [&](Chunk* chunk) {
    reader.part_read = chunk->part_read;
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

bool read_all(Cutter& cutter, ChunkReader& reader) {
  std::vector<Chunk> chunks(1);
  Chunk& first = chunks.front();
  if (!cutter.begin(first) || !read_chunk(first, cutter, reader) || !reader.take(0)) return false;
  chunks.resize(count_slots(cutter));
  for (std::size_t c = 0; c < chunks.size(); ++c) chunks[c].slot = c;
  return read_others(chunks, cutter, reader);
}

}  // namespace

bool ChunkReader::takes_list_in(std::string_view, const json::Object&) {
  return false;
}

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
