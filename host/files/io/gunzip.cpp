#include "host/files/io/gunzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "host/files/io/input_file.hpp"
#include "warpath/error.hpp"

namespace warpath::io {
namespace {

// Decompresses gzip data piece by piece.
class Inflater {
 public:
  Inflater(const std::string& packed, const std::string& name) : packed_(packed), name_(name) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream_); }

  bool at_end() const { return result_ == Z_STREAM_END && read_ == packed_.size(); }

  // Fills the room, or less if the content ends before. Returns the number of bytes.
  std::size_t fill(std::string& room) {
    std::size_t used = 0;
    while (used < room.size() && !at_end()) used += step(room.data() + used, room.size() - used);
    return used;
  }

 private:
  // zlib counts in 32 bits, so both sides are cut into slices. A file may hold several members.
  std::size_t step(char* to, std::size_t room) {
    constexpr std::size_t slice = std::size_t{1} << 30;
    const std::size_t in = std::min(slice, packed_.size() - read_), out = std::min(slice, room);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data())) + read_;
    stream_.avail_in = static_cast<uInt>(in);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(out);
    result_ = inflate(&stream_, Z_NO_FLUSH);
    read_ += in - stream_.avail_in;
    if (result_ == Z_STREAM_END)
      start_next_member();
    else if (result_ != Z_OK)
      fail();
    return out - stream_.avail_out;
  }

  // Zeros that fill up a block may follow a member.
  void start_next_member() {
    read_ = std::min(packed_.find_first_not_of('\0', read_), packed_.size());
    if (read_ < packed_.size()) inflateReset(&stream_);
  }

  [[noreturn]] void fail() const {
    throw InputError(
        {name_},
        result_ == Z_BUF_ERROR ? "the gzip data end too early" : "the gzip data are damaged",
        "copy or download the file again");
  }

  const std::string& packed_;
  const std::string& name_;
  z_stream stream_{};
  std::size_t read_ = 0;
  int result_ = Z_OK;
};

// Returns the size that gzip states at its end: that of its last member modulo 2^32, usually that
// of the whole content. Returns 0 if it is not plausible, because damaged data must not cause a
// huge allocation.
std::size_t stated_size(const std::string& packed) {
  std::uint32_t size = 0;
  if (packed.size() >= 18) std::memcpy(&size, packed.data() + packed.size() - 4, sizeof size);
  return size <= 64 * packed.size() ? size : 0;
}

// Returns the size of the content by decompressing it without keeping it.
std::size_t content_size(const std::string& packed, const std::string& name,
                         std::uint64_t max_bytes) {
  Inflater inflater(packed, name);
  std::string scratch(std::size_t{1} << 18, '\0');
  std::size_t size = 0;
  while (!inflater.at_end()) {
    size += inflater.fill(scratch);
    if (size > max_bytes) fail_too_large(name, max_bytes, true);
  }
  return size;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t gib = std::uint64_t{1} << 30, mib = std::uint64_t{1} << 20;
  if (bytes >= gib) return fmt::format("{:.4g} GiB", static_cast<double>(bytes) / gib);
  if (bytes >= mib) return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / mib);
  return fmt::format("{} bytes", bytes);
}

// Returns the content, or nothing if it is larger than that.
std::optional<std::string> content_up_to(const std::string& packed, const std::string& name,
                                         std::size_t size) {
  std::string content;
  content.reserve(size + 1 + input_padding);
  // One byte more than needed lets zlib reach the end of the data.
  content.resize(size + 1);
  Inflater inflater(packed, name);
  content.resize(inflater.fill(content));
  if (!inflater.at_end() || content.size() > size) return std::nullopt;
  return content;
}

}  // namespace

std::string gunzip(const std::string& packed, const std::string& name, std::uint64_t max_bytes) {
  const std::size_t stated = stated_size(packed);
  if (stated > 0 && stated <= max_bytes) {
    if (auto content = content_up_to(packed, name, stated)) return std::move(*content);
  }
  return *content_up_to(packed, name, content_size(packed, name, max_bytes));
}

void fail_too_large(const std::string& name, std::uint64_t max_bytes, bool is_packed) {
  throw InputError({name},
                   fmt::format("holds more than {}{}, the most that is read", size_text(max_bytes),
                               is_packed ? " once decompressed" : ""),
                   "is it the right file? if so, say --max-input with a larger size");
}

}  // namespace warpath::io
