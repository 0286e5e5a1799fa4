#include "host/files/io/gunzip.hpp"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "host/files/io/input_file.hpp"
#include "warpath/error.hpp"

namespace warpath::io {
namespace {

[[noreturn]] void fail(const std::string& name, bool is_short) {
  throw InputError({name}, is_short ? "the gzip data end too early" : "the gzip data are damaged",
                   "copy or download the file again");
}

// Returns the bytes once.
Inflater::Source all_of(const std::string& packed) {
  return [rest = std::string_view(packed)]() mutable { return std::exchange(rest, {}); };
}

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
  Inflater inflater(name, all_of(packed));
  std::string scratch(std::size_t{1} << 18, '\0');
  std::size_t size = 0;
  while (!inflater.at_end()) {
    size += inflater.fill(scratch.data(), scratch.size());
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
  // One byte more than needed lets the decompressor reach the end of the data.
  content.resize(size + 1);
  Inflater inflater(name, all_of(packed));
  content.resize(inflater.fill(content.data(), content.size()));
  if (!inflater.at_end() || content.size() > size) return std::nullopt;
  return content;
}

}  // namespace

struct Inflater::Stream : inflate_state {
  Stream() {
    isal_inflate_init(this);
    crc_flag = ISAL_GZIP;
  }
};

Inflater::Inflater(const std::string& name, Source more)
    : name_(name), more_(std::move(more)), stream_(std::make_unique<Stream>()) {}
Inflater::~Inflater() = default;

std::size_t Inflater::fill(char* to, std::size_t room) {
  std::size_t used = 0;
  while (used < room && !is_ended_) used += step(to + used, room - used);
  return used;
}

// The decompressor counts in 32 bits, so both sides are cut into slices. It may keep bytes of
// either side until the next call.
std::size_t Inflater::step(char* to, std::size_t room) {
  constexpr std::size_t slice = std::size_t{1} << 30;
  if (packed_.empty()) packed_ = more_();
  const std::size_t in = std::min(slice, packed_.size()), out = std::min(slice, room);
  stream_->next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(packed_.data()));
  stream_->avail_in = static_cast<std::uint32_t>(in);
  stream_->next_out = reinterpret_cast<std::uint8_t*>(to);
  stream_->avail_out = static_cast<std::uint32_t>(out);
  if (isal_inflate(stream_.get()) < 0) fail(name_, false);
  packed_.remove_prefix(in - stream_->avail_in);
  if (stream_->block_state == ISAL_BLOCK_FINISH)
    start_next_member();
  else if (in == 0 && stream_->avail_out == out)
    fail(name_, true);
  return out - stream_->avail_out;
}

// A file may hold several members, and zeros that fill up a block may follow each.
void Inflater::start_next_member() {
  do {
    if (packed_.empty()) packed_ = more_();
    is_ended_ = packed_.empty();
    packed_.remove_prefix(std::min(packed_.find_first_not_of('\0'), packed_.size()));
  } while (packed_.empty() && !is_ended_);
  if (is_ended_) return;
  isal_inflate_reset(stream_.get());
  stream_->crc_flag = ISAL_GZIP;
}

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
