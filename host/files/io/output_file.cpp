#include "host/files/io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "warpath/error.hpp"

namespace warpath::io {
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

std::string remedy_for_output(int error) {
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

// Returns the folder that a file is in.
std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == path.npos) return ".";
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

// Returns by which name a file without one can be linked.
std::string handle_of(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

// Makes a file without a name in the folder of a path; -1 where the system cannot make or link one.
int open_nameless(const std::string& path) {
  const int fd = ::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0 || ::access(handle_of(fd).c_str(), F_OK) == 0) return fd;
  ::close(fd);
  return -1;
}

// Writes what the file system still holds back; some report a full disk only then.
int flush(int fd) {
  const int other = ::dup(fd);
  if (other < 0) return errno;
  return ::close(other) == 0 ? 0 : errno;
}

// Gives a file without a name one. Returns 0 or an errno.
int link_nameless(int fd, const std::string& path) {
  const std::string handle = handle_of(fd);
  const int status = ::linkat(AT_FDCWD, handle.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW);
  return status == 0 ? 0 : errno;
}

// Gives it a name beside a path that nothing else has. Returns 0 or an errno.
int link_beside(int fd, const std::string& path, std::string& temporary) {
  constexpr int max_attempts = 100;
  int error = EEXIST;
  for (int k = 0; k < max_attempts && error == EEXIST; ++k) {
    temporary = fmt::format("{}.{:06}", path, (::getpid() + k) % 1'000'000);
    error = link_nameless(fd, temporary);
  }
  if (error != 0) temporary.clear();
  return error;
}

// Moves a file to a place that has to be free, EEXIST where it is not. Returns 0 or an errno.
int move_to_free(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // The file system has no such call, but may have links. One without links leaves a gap between
  // the look and the move.
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno == EEXIST) return errno;
  struct stat status {};
  if (::lstat(to.c_str(), &status) == 0) return EEXIST;
  return ::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

bool is_empty_file(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

mode_t new_file_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void fail_to_write(const std::string& path, int error) {
  throw InputError({path}, fmt::format("cannot be written: {}", std::strerror(error)),
                   remedy_for_output(error));
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
  for (const Pending& p : pending_) {
    discard(p);
    if (p.descriptor >= 0) ::close(p.descriptor);
  }
}

void OutputFiles::add(const std::string& path, std::string content, Old old) {
  bool is_written = false;
  const NextPart whole = [&](std::string& part) {
    if (is_written) return false;
    part = std::move(content);
    return is_written = true;
  };
  add(path, whole, old);
}

void OutputFiles::add(const std::string& path, const NextPart& next, Old old) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) fail_to_write(path, errno);
  if (!exists) return write_beside(target(path), next, new_file_mode(), old);
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
  write_beside(target(path), next, status.st_mode & 07777, old);
}

void OutputFiles::write_beside(const std::string& path, const NextPart& next, mode_t mode,
                               Old old) {
  const int fd = begin(path, old);
  int error = ::fchmod(fd, mode) == 0 ? 0 : errno;
  if (error == 0) error = write_parts(fd, next);
  if (error == 0) error = flush(fd);
  if (error != 0) fail_to_write(path, error);
}

// Makes a file for a path and returns its descriptor.
int OutputFiles::begin(const std::string& path, Old old) {
  const std::lock_guard lock(registry().mutex);
  Pending pending{path, old, open_nameless(path)};
  if (pending.descriptor < 0) {
    pending.temporary = path + ".XXXXXX";
    pending.descriptor = ::mkostemp(pending.temporary.data(), O_CLOEXEC);
    if (pending.descriptor < 0) fail_to_write(path, errno);
  }
  pending_.push_back(pending);
  return pending.descriptor;
}

void OutputFiles::discard(const Pending& pending) {
  if (!pending.temporary.empty()) ::unlink(pending.temporary.c_str());
}

// Gives a file its place.
void OutputFiles::place(Pending& p) {
  const bool has_name = !p.temporary.empty();
  int error = has_name ? move_to_free(p.temporary, p.path) : link_nameless(p.descriptor, p.path);
  if (error == EEXIST && (p.old == Old::replaced || is_empty_file(p.path))) {
    error = has_name ? 0 : link_beside(p.descriptor, p.path, p.temporary);
    if (error == 0 && ::rename(p.temporary.c_str(), p.path.c_str()) != 0) error = errno;
  }
  if (error == EEXIST) {
    throw InputError({p.path}, "exists: another program made it meanwhile",
                     "name another file or say --force");
  }
  if (error != 0) fail_to_write(p.path, error);
}

void OutputFiles::commit() {
  const std::lock_guard lock(registry().mutex);
  std::stable_partition(pending_.begin(), pending_.end(),
                        [](const Pending& p) { return p.old == Old::replaced; });
  while (!pending_.empty()) {
    place(pending_.back());
    ::close(pending_.back().descriptor);
    pending_.pop_back();
    ++registry().written;
  }
}

std::string OutputFiles::abandon_all() {
  Registry& all = registry();
  all.mutex.lock();
  for (const OutputFiles* files : all.live) {
    for (const Pending& p : files->pending_) discard(p);
  }
  std::string text = all.written == 0   ? "no file was written"
                     : all.written == 1 ? "one file was written"
                                        : fmt::format("{} files were written", all.written);
  if (!all.partly_written.empty()) text += ", " + all.partly_written + " in part";
  return text;
}

}  // namespace warpath::io
