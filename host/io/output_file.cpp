#include "host/io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "warpath/error.hpp"

namespace warpath {
namespace {

std::string remedy_for(int error) {
  switch (error) {
    case ENOSPC: return "free some space or name another place";
    case ENOENT: return "make the folder first";
    case EACCES:
    case EPERM:
    case EROFS: return "name a place that this user can write to";
    case EISDIR: return "name a file, not a folder";
    case ELOOP: return "remove the link, which leads to itself";
    case EPIPE: return "keep its reader running";
    default: return "name another place";
  }
}

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError({path}, fmt::format("cannot be written: {}", std::strerror(error)),
                   remedy_for(error));
}

// Returns 0 or the errno of what failed.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

void write_directly(const std::string& path, std::string_view content) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) fail(path, errno);
  const int error = write_all(fd, content);
  ::close(fd);
  if (error != 0) fail(path, error);
}

// The descriptor of standard output or error where it is this file, else -1: replacing the file
// would take it away from whoever opened it.
int standard_stream(const struct stat& file) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat stream {};
    const bool is_open = ::fstat(fd, &stream) == 0;
    if (is_open && stream.st_dev == file.st_dev && stream.st_ino == file.st_ino) return fd;
  }
  return -1;
}

// What a link leads to, so that the link itself is kept.
std::string target(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
  std::error_code error;
  const std::filesystem::path end = std::filesystem::canonical(path, error);
  if (error) {
    throw InputError({path}, "cannot be written: it is a link to nothing",
                     "remove the link or make what it leads to");
  }
  return end.string();
}

mode_t new_file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

OutputFiles::~OutputFiles() {
  for (const Pending& p : pending_) ::unlink(p.temporary.c_str());
}

void OutputFiles::add(const std::string& path, std::string_view content) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail(path, errno);
  if (!exists) return write_beside(target(path), content, new_file_mode());
  if (S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (const int fd = standard_stream(status); fd >= 0) {
    if (const int error = write_all(fd, content); error != 0) fail(path, error);
    return;
  }
  if (!S_ISREG(status.st_mode)) return write_directly(path, content);
  // Renaming over a file needs no right to write to it; whoever took that right meant it.
  if (::access(path.c_str(), W_OK) != 0) fail(path, errno);
  write_beside(target(path), content, status.st_mode & 07777);
}

void OutputFiles::write_beside(const std::string& path, std::string_view content, mode_t mode) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) fail(path, errno);
  pending_.push_back({temporary, path});
  int error = ::fchmod(fd, mode) == 0 ? 0 : errno;
  if (error == 0) error = write_all(fd, content);
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error != 0) fail(path, error);
}

void OutputFiles::commit() {
  while (!pending_.empty()) {
    const Pending p = pending_.back();
    if (::rename(p.temporary.c_str(), p.path.c_str()) != 0) fail(p.path, errno);
    pending_.pop_back();
  }
}

}  // namespace warpath
