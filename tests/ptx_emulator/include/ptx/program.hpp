#pragma once

#include <functional>
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
  using KeyOfName = std::function<std::string(const std::string&)>;

  Program() = default;
  /// @param key_of_name maps names to keys for comparison, because a kernel may have slightly
  ///   different names in the PTX and in the program that launches it.
  explicit Program(KeyOfName key_of_name) : key_of_name_(std::move(key_of_name)) {}

  /// Adds the kernels of a file. @throws SyntaxError if the file cannot be read.
  void add_file(const std::string& path);
  /// Adds the kernels of a text.
  void add_text(const std::string& text);

  /// Returns the kernel of that name; null if there is none.
  /// @throws SyntaxError for unknown instructions and directives.
  const Kernel* find(const std::string& name);

 private:
  std::string key_of(const std::string& name) const {
    return key_of_name_ ? key_of_name_(name) : name;
  }

  KeyOfName key_of_name_;
  std::map<std::string, std::string> entries_;  // texts
  std::set<std::string> dynamic_shared_names_;
  std::map<std::string, Kernel> kernels_;
};

}  // namespace ptx
