#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace warpath {

/// Input that cannot be worked with: the run stops, nothing is written, exit code 1.
/// The message is one line: `file: item: field: problem; remedy`, absent parts left out.
/// Trouble of a single item is not an error but a `Status` (see scores.hpp).
class InputError : public std::runtime_error {
 public:
  struct Where {
    std::string file;
    std::string item{};   ///< the id or the position of the element at fault
    std::string field{};  ///< the key, column or option at fault
  };

  InputError(const Where& where, std::string_view problem, std::string_view remedy);
};

/// A command line that makes no sense: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warpath
