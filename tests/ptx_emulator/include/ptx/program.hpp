#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "ptx/kernel.hpp"

namespace ptx {

/// Reports PTX that the emulator cannot read.
struct SyntaxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads PTX and finds kernels by the name of their entry. Each kernel is read when it is first
/// asked for, so that unknown instructions in other kernels do not matter.
class Program {
 public:
  /// Adds the kernels of a file. @throws SyntaxError if the file cannot be read.
  void add_file(const std::string& path);
  /// Adds the kernels of a text.
  void add_text(const std::string& text);

  /// Returns the kernel of that name; null if there is none.
  /// @throws SyntaxError for unknown instructions and directives.
  const Kernel* find(const std::string& name);

 private:
  std::map<std::string, std::string> entries_;  // texts
  std::set<std::string> dynamic_shared_names_;
  std::map<std::string, Kernel> kernels_;
};

}  // namespace ptx
