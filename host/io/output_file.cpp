#include "host/io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "warpath/error.hpp"

namespace warpath {
namespace {

// Holds all output files of the program. It is never destroyed, because a signal may need it at
// exit.
struct Registry {
  std::mutex mutex;
  std::set<OutputFiles*> live;
  std::size_t written = 0;     // files that are complete
  std::string partly_written;  // a pipe or device that is being written directly
};

Registry& registry() {
  static Registry& only = *new Registry;
  return only;
}

std::string remedy_for(int error) {
  switch (error) {
    case ENOSPC:
      return "free some space or name another place";
    case ENOENT:
      return "make the folder first";
    case EACCES:
    case EPERM:
    case EROFS:
      return "name a place that this user can write to";
    case EISDIR:
      return "name a file, not a folder";
    case ELOOP:
      return "remove the link, which leads to itself";
    case EPIPE:
      return "keep its reader running";
    case EFBIG:
      return "raise the limit of file sizes (ulimit -f) or name another place";
    default:
      return "name another place";
  }
}

void name_partly_written(const std::string& path) {
  const std::lock_guard lock(registry().mutex);
  registry().partly_written = path;
}

// Writes all parts. Returns 0 or the errno of the failed call.
int write_parts(int fd, const OutputFiles::NextPart& next) {
  int error = 0;
  for (std::string part; error == 0 && next(part); part.clear()) error = write_all(fd, part);
  return error;
}

// Writes to a file in place. Returns 0 or the errno of the failed call.
int write_directly(int fd, const std::string& path, const OutputFiles::NextPart& next) {
  name_partly_written(path);
  if (const int error = write_parts(fd, next); error != 0) return error;
  const std::lock_guard lock(registry().mutex);
  ++registry().written;
  registry().partly_written.clear();
  return 0;
}

void write_directly(const std::string& path, const OutputFiles::NextPart& next) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) fail_to_write(path, errno);
  const int error = write_directly(fd, path, next);
  ::close(fd);
  if (error != 0) fail_to_write(path, error);
}

// Returns the descriptor of standard output or error if it is this file, else -1. Replacing such a
// file would take it away from whoever opened it.
int standard_stream(const struct stat& file) {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat stream {};
    const bool is_open = ::fstat(fd, &stream) == 0;
    if (is_open && stream.st_dev == file.st_dev && stream.st_ino == file.st_ino) return fd;
  }
  return -1;
}

// Returns the target of a link, so that the link itself is kept.
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

void fail_to_write(const std::string& path, int error) {
  throw InputError({path}, fmt::format("cannot be written: {}", std::strerror(error)),
                   remedy_for(error));
}

int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

OutputFiles::OutputFiles() {
  const std::lock_guard lock(registry().mutex);
  registry().live.insert(this);
}

OutputFiles::~OutputFiles() {
  const std::lock_guard lock(registry().mutex);
  registry().live.erase(this);
  for (const Pending& p : pending_) ::unlink(p.temporary.c_str());
}

void OutputFiles::add(const std::string& path, std::string content) {
  bool is_written = false;
  add(path, [&](std::string& part) {
    if (is_written) return false;
    part = std::move(content);
    return is_written = true;
  });
}

void OutputFiles::add(const std::string& path, const NextPart& next) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail_to_write(path, errno);
  if (!exists) return write_beside(target(path), next, new_file_mode());
  if (S_ISDIR(status.st_mode)) fail_to_write(path, EISDIR);
  if (const int fd = standard_stream(status); fd >= 0) {
    const int error = write_directly(fd, path, next);
    if (error == EPIPE && fd == STDOUT_FILENO) throw ReaderGone();
    if (error != 0) fail_to_write(path, error);
    return;
  }
  if (!S_ISREG(status.st_mode)) return write_directly(path, next);
  // Renaming over a file needs no write permission for it, so the permission is checked here.
  if (::access(path.c_str(), W_OK) != 0) fail_to_write(path, errno);
  write_beside(target(path), next, status.st_mode & 07777);
}

void OutputFiles::write_beside(const std::string& path, const NextPart& next, mode_t mode) {
  const int fd = make_temporary(path);
  int error = ::fchmod(fd, mode) == 0 ? 0 : errno;
  if (error == 0) error = write_parts(fd, next);
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error != 0) fail_to_write(path, error);
}

int OutputFiles::make_temporary(const std::string& path) {
  const std::lock_guard lock(registry().mutex);
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) fail_to_write(path, errno);
  pending_.push_back({temporary, path});
  return fd;
}

void OutputFiles::commit() {
  const std::lock_guard lock(registry().mutex);
  while (!pending_.empty()) {
    const Pending p = pending_.back();
    if (::rename(p.temporary.c_str(), p.path.c_str()) != 0) fail_to_write(p.path, errno);
    pending_.pop_back();
    ++registry().written;
  }
}

std::string OutputFiles::abandon_all() {
  Registry& all = registry();
  all.mutex.lock();
  for (const OutputFiles* files : all.live) {
    for (const Pending& p : files->pending_) ::unlink(p.temporary.c_str());
  }
  std::string text = all.written == 0   ? "no file was written"
                     : all.written == 1 ? "one file was written"
                                        : fmt::format("{} files were written", all.written);
  if (!all.partly_written.empty()) text += ", " + all.partly_written + " in part";
  return text;
}

}  // namespace warpath
