#include "host/files/io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "host/files/io/gunzip.hpp"
#include "warpath/error.hpp"

namespace warpath::io {
namespace {

struct Descriptor {
  int fd;
  bool is_ours = true;

  Descriptor(int number, bool ours) : fd(number), is_ours(ours) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (is_ours) ::close(fd);
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

// Fills the room, or less if the file ends before. Returns the number of bytes.
std::size_t fill(int fd, char* to, std::size_t room, const std::string& name) {
  std::size_t used = 0;
  while (used < room) {
    const ssize_t got = ::read(fd, to + used, room - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  return used;
}

// Opens a file that is no folder, and says what it is.
int open_file(const std::string& path, const std::string& name, struct stat& status) {
  const int fd = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(name, errno);
  if (::fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode)) return fd;
  const int error = S_ISDIR(status.st_mode) ? EISDIR : errno;
  if (path != "-") ::close(fd);
  fail(name, error);
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
  struct stat status {};
  const Descriptor file{open_file(path, name, status), path != "-"};
  const auto size = static_cast<std::uint64_t>(S_ISREG(status.st_mode) ? status.st_size : 0);
  if (size > max_bytes) fail_too_large(name, max_bytes);

  std::vector<std::string> parts;
  std::size_t total = 0, room = size > 0 ? size + input_padding : part_bytes;
  for (bool at_end = false; !at_end; room = part_bytes) {
    std::string& part = parts.emplace_back(room, '\0');
    part.resize(fill(file.fd, part.data(), part.size(), name));
    at_end = part.size() < room;
    total += part.size();
    if (total > max_bytes) fail_too_large(name, max_bytes);
  }
  return joined(std::move(parts), total);
}

std::uint64_t limit_of(const Reading& reading) {
  return reading.max_bytes != 0 ? reading.max_bytes : default_max_input();
}

std::string hash_text(const XXH128_hash_t& hash) {
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

constexpr std::string_view gzip_mark = "\x1f\x8b", byte_order_mark = "\xEF\xBB\xBF";

// To open a pipe and to close it again would lose what its writer has.
bool is_regular(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
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
  const std::uint64_t max_bytes = limit_of(reading);
  const std::string* text = text_of(path, reading.texts);
  if (text != nullptr && text->size() > max_bytes) fail_too_large(path, max_bytes);
  std::string bytes = text != nullptr ? *text : read_bytes(path, max_bytes);
  if (bytes.starts_with(gzip_mark)) bytes = gunzip(bytes, input_name(path), max_bytes);
  if (bytes.starts_with(byte_order_mark)) bytes.erase(0, byte_order_mark.size());
  bytes.reserve(bytes.size() + input_padding);
  return bytes;
}

std::string content_hash(std::string_view content) {
  return hash_text(XXH3_128bits(content.data(), content.size()));
}

struct ContentHash::State {
  XXH3_state_t hash;
};

ContentHash::ContentHash() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->hash);
}
ContentHash::~ContentHash() = default;

void ContentHash::add(std::string_view part) {
  XXH3_128bits_update(&state_->hash, part.data(), part.size());
}

std::string ContentHash::text() const {
  return hash_text(XXH3_128bits_digest(&state_->hash));
}

// The first bytes of a content say whether it is packed, so they are read ahead.
struct InputStream::State {
  std::string name;
  std::uint64_t max_bytes;
  const std::string* text;  // that stands in for the file; null: none
  bool is_file;
  struct stat status {};
  Descriptor file;
  std::size_t stored_used = 0;  // of the file or its text
  std::string buffer;
  std::size_t used = 0;   // how much of it is not to be read again
  bool is_short = false;  // the file has ended with it
  std::uint64_t total = 0;
  std::optional<Inflater> inflater;
  XXH3_state_t hash;

  State(const std::string& path, const Reading& reading)
      : name(input_name(path)),
        max_bytes(limit_of(reading)),
        text(text_of(path, reading.texts)),
        is_file(text == nullptr && is_regular(path)),
        file(is_file ? open_file(path, name, status) : -1, is_file) {
    XXH3_128bits_reset(&hash);
  }

  std::optional<std::uint64_t> bytes() const {
    if (text != nullptr) return text->size();
    if (!is_file) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }

  // Copies the next bytes of the file or of its text. Fewer than there is room for: it has ended.
  std::size_t copy(char* to, std::size_t room) {
    const std::size_t copied =
        text == nullptr ? fill(file.fd, to, room, name) : text->copy(to, room, stored_used);
    stored_used += copied;
    return copied;
  }

  void begin() {
    next_buffer();
    if (!buffer.starts_with(gzip_mark)) return;
    inflater.emplace(name, [this]() -> std::string_view {
      if (used == buffer.size()) next_buffer();
      return std::string_view(buffer).substr(std::exchange(used, buffer.size()));
    });
  }

  void next_buffer() {
    constexpr std::size_t buffer_bytes = std::size_t{1} << 16;
    buffer.resize(buffer_bytes);
    buffer.resize(copy(buffer.data(), buffer.size()));
    is_short = buffer.size() < buffer_bytes;
    used = 0;
  }

  // Writes the next bytes of the content. Returns how many there were.
  std::size_t next(char* to, std::size_t room) {
    if (inflater) return inflater->fill(to, room);
    const std::size_t buffered = buffer.copy(to, room, used);
    used += buffered;
    if (buffered == room || is_short) return buffered;
    const std::size_t more = copy(to + buffered, room - buffered);
    is_short = more < room - buffered;
    return buffered + more;
  }
};

InputStream::InputStream(const std::string& path, const Reading& reading)
    : state_(std::make_unique<State>(path, reading)) {}
InputStream::~InputStream() = default;

std::optional<std::uint64_t> InputStream::stored_bytes() const {
  return state_->bytes();
}

std::uint64_t InputStream::used_bytes() const {
  return state_->stored_used;
}

std::size_t InputStream::read(char* to, std::size_t room) {
  State& state = *state_;
  const bool is_first = state.total == 0;
  if (is_first) state.begin();
  std::size_t count = state.next(to, room);
  state.total += count;
  if (state.total > state.max_bytes) {
    fail_too_large(state.name, state.max_bytes, state.inflater.has_value());
  }
  if (is_first && std::string_view(to, count).starts_with(byte_order_mark)) {
    count -= byte_order_mark.size();
    std::memmove(to, to + byte_order_mark.size(), count);
  }
  XXH3_128bits_update(&state.hash, to, count);
  return count;
}

bool InputStream::at_end() const {
  const State& state = *state_;
  if (state.inflater) return state.inflater->at_end();
  return state.is_short && state.used == state.buffer.size();
}

std::string InputStream::hash() const {
  return hash_text(XXH3_128bits_digest(&state_->hash));
}

}  // namespace warpath::io
