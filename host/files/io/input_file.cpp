#include "host/files/io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "host/files/io/gunzip.hpp"
#include "warpath/error.hpp"

namespace warpath::io {
namespace {

struct Descriptor {
  int fd;
  bool is_ours = true;
  ~Descriptor() {
    if (is_ours && fd >= 0) ::close(fd);
  }
};

std::string remedy_for(int error) {
  switch (error) {
    case ENOENT:
      return "check the path";
    case EACCES:
      return "make it readable for this user";
    case EISDIR:
      return "name a file inside it";
    default:
      return "check the file system";
  }
}

[[noreturn]] void fail(const std::string& name, int error) {
  throw InputError({name}, fmt::format("cannot be read: {}", std::strerror(error)),
                   remedy_for(error));
}

static_assert(input_padding >= simdjson::SIMDJSON_PADDING + 2);

// Fills the room, or less if the file ends before. Returns the number of bytes.
std::size_t fill(int fd, std::string& room, const std::string& name) {
  std::size_t used = 0;
  while (used < room.size()) {
    const ssize_t got = ::read(fd, room.data() + used, room.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  return used;
}

// Joins the parts; each is released as soon as it is copied.
std::string joined(std::vector<std::string> parts, std::size_t size) {
  if (parts.size() == 1) return std::move(parts.front());
  std::string bytes;
  bytes.reserve(size + input_padding);
  for (std::string& part : parts) {
    bytes += part;
    part = std::string();
  }
  return bytes;
}

// A pipe has no size and a file may grow, so this reads until the end whatever size is reported.
std::string read_bytes(const std::string& path, std::uint64_t max_bytes) {
  constexpr std::size_t part_bytes = std::size_t{1} << 20;
  const std::string name = input_name(path);
  const bool is_stdin = path == "-";
  const Descriptor file{is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC),
                        !is_stdin};
  if (file.fd < 0) fail(name, errno);
  struct stat status {};
  if (::fstat(file.fd, &status) != 0) fail(name, errno);
  if (S_ISDIR(status.st_mode)) fail(name, EISDIR);
  const auto size = static_cast<std::uint64_t>(S_ISREG(status.st_mode) ? status.st_size : 0);
  if (size > max_bytes) fail_too_large(name, max_bytes);

  std::vector<std::string> parts;
  std::size_t total = 0, room = size > 0 ? size + input_padding : part_bytes;
  for (bool at_end = false; !at_end; room = part_bytes) {
    std::string& part = parts.emplace_back(room, '\0');
    part.resize(fill(file.fd, part, name));
    at_end = part.size() < room;
    total += part.size();
    if (total > max_bytes) fail_too_large(name, max_bytes);
  }
  return joined(std::move(parts), total);
}

// Returns the text that stands in for a file; null if there is none.
const std::string* text_of(const std::string& path, const InputTexts* texts) {
  if (texts == nullptr) return nullptr;
  const auto it = texts->find(path);
  return it != texts->end() ? &it->second : nullptr;
}

}  // namespace

void check_standard_input(std::span<const std::string> inputs) {
  if (std::ranges::count(inputs, "-") > 1) {
    throw UsageError("standard input, -, can be one input only: save the others as files");
  }
}

std::string input_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

std::uint64_t default_max_input() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 4;
}

std::string read_input(const std::string& path, const Reading& reading) {
  const std::uint64_t max_bytes = reading.max_bytes != 0 ? reading.max_bytes : default_max_input();
  const std::string* text = text_of(path, reading.texts);
  if (text != nullptr && text->size() > max_bytes) fail_too_large(path, max_bytes);
  std::string bytes = text != nullptr ? *text : read_bytes(path, max_bytes);
  if (bytes.starts_with("\x1f\x8b")) bytes = gunzip(bytes, input_name(path), max_bytes);
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
  bytes.reserve(bytes.size() + input_padding);
  return bytes;
}

std::string content_hash(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace warpath::io
