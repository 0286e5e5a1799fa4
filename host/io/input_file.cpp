#include "host/io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>

#include "warpath/error.hpp"

namespace warpath {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() { if (fd >= 0) ::close(fd); }
};

std::string remedy_for(int error) {
  switch (error) {
    case ENOENT: return "check the path";
    case EACCES: return "make it readable for this user";
    case EISDIR: return "name a file inside it";
    default: return "check the file system";
  }
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError({path}, fmt::format("cannot be read: {}", std::strerror(error)),
                   remedy_for(error));
}

// Room for the parser's padding, so that parsing needs no copy.
void pad(std::string& text) { text.reserve(text.size() + simdjson::SIMDJSON_PADDING); }

std::string read_bytes(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) fail(path, errno);
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) fail(path, errno);
  if (S_ISDIR(status.st_mode)) fail(path, EISDIR);

  // A pipe has no size: read until the end whatever the file system says.
  std::string bytes(static_cast<std::size_t>(status.st_size) + 1 + simdjson::SIMDJSON_PADDING, '\0');
  std::size_t used = 0;
  for (;;) {
    if (used == bytes.size()) bytes.resize(2 * used);
    const ssize_t got = ::read(file.fd, bytes.data() + used, bytes.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(path, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

// gzip ends with the size of its last member's content modulo 2^32. That is only a guess at the
// whole, and a damaged one must not ask for any amount of memory.
std::size_t first_guess(const std::string& packed) {
  std::uint32_t size = 0;
  if (packed.size() >= 18) std::memcpy(&size, packed.data() + packed.size() - 4, sizeof size);
  return std::min<std::size_t>(size, 64 * packed.size()) + 1024;
}

std::string decompress(const std::string& path, const std::string& packed) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> guard(&stream, inflateEnd);
  std::string text(first_guess(packed), '\0');
  std::size_t used = 0, read = 0;
  int result = Z_OK;
  // zlib counts in 32 bits, so both sides go in slices; a file may hold several members.
  constexpr std::size_t slice = std::size_t{1} << 30;
  while (read < packed.size() || result != Z_STREAM_END) {
    if (used == text.size()) text.resize(2 * used);
    const std::size_t in = std::min(slice, packed.size() - read);
    const std::size_t out = std::min(slice, text.size() - used);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data())) + read;
    stream.avail_in = static_cast<uInt>(in);
    stream.next_out = reinterpret_cast<Bytef*>(text.data()) + used;
    stream.avail_out = static_cast<uInt>(out);
    result = inflate(&stream, Z_NO_FLUSH);
    read += in - stream.avail_in;
    used += out - stream.avail_out;
    // Zeros that fill a block up may follow a member.
    const bool is_end = result == Z_STREAM_END;
    if (is_end) read = std::min(packed.find_first_not_of('\0', read), packed.size());
    if (is_end && read < packed.size()) {
      inflateReset(&stream);
    } else if (result != Z_OK && result != Z_STREAM_END) {
      throw InputError({path},
                       result == Z_BUF_ERROR ? "the gzip data end too early"
                                             : "the gzip data are damaged",
                       "copy or download the file again");
    }
  }
  text.resize(used);
  return text;
}

}  // namespace

std::string read_input(const std::string& path) {
  std::string bytes = read_bytes(path);
  if (bytes.starts_with("\x1f\x8b")) bytes = decompress(path, bytes);
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
  pad(bytes);
  return bytes;
}

std::string content_hash(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace warpath
