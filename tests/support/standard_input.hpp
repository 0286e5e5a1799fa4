#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <string>

namespace warpath::testing {

/// Redirects standard input from a file during its lifetime.
class StandardInput {
 public:
  explicit StandardInput(const std::string& file) : saved_(::dup(STDIN_FILENO)) {
    const int fd = ::open(file.c_str(), O_RDONLY);
    ::dup2(fd, STDIN_FILENO);
    ::close(fd);
  }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

}  // namespace warpath::testing
