#include "host/io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

}  // namespace

OutputFiles::~OutputFiles() {
  for (const Pending& p : pending_) ::unlink(p.temporary.c_str());
}

void OutputFiles::add(const std::string& path, std::string_view content) {
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(path, EISDIR);
  if (exists && !S_ISREG(status.st_mode)) return write_directly(path, content);
  // Renaming over a file needs no right to write to it; whoever took that right meant it.
  if (exists && ::access(path.c_str(), W_OK) != 0) fail(path, errno);

  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) fail(path, errno);
  pending_.push_back({temporary, path});
  const mode_t mask = ::umask(0);
  ::umask(mask);
  int error = ::fchmod(fd, exists ? status.st_mode & 07777 : 0666 & ~mask) == 0 ? 0 : errno;
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
