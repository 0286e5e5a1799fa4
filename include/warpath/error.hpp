#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "warpath/export.hpp"

namespace warpath {

/// Every error that is not a bug; the message is one line.
class WARPATH_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Input that cannot be worked with: the run stops, nothing is written, exit code 1.
/// The message is one line: `file: item: field: problem; remedy`, absent parts left out.
/// Trouble of a single item is not an error but a `Status` (see scores.hpp).
class WARPATH_EXPORT InputError : public Error {
 public:
  struct Where {
    std::string file;
    std::string item{};   ///< the id or the position of the element at fault
    std::string field{};  ///< the key, column or option at fault
  };

  InputError(const Where& where, std::string_view problem, std::string_view remedy);
};

/// A command line that makes no sense: exit code 2.
class WARPATH_EXPORT UsageError : public Error {
 public:
  using Error::Error;
};

/// A call of the CUDA runtime, or the start of a kernel, that failed: what was computed on the
/// device is of no use. The message is one line: `call failed: name, text (file:line); remedy`, the
/// remedy left out where there is none.
class WARPATH_EXPORT CudaError : public Error {
 public:
  struct Failure {
    std::string call;         ///< with its numbers, where they help: `cudaMalloc of 64 bytes`
    int code;                 ///< a cudaError_t
    std::string name;         ///< of the code: `cudaErrorMemoryAllocation`
    std::string text;         ///< in CUDA's words: `out of memory`
    std::string_view file{};  ///< the source that called; shown without its folders
    unsigned line = 0;
  };

  CudaError(const Failure& failure, std::string_view remedy);

  /// The cudaError_t.
  int code() const { return code_; }

 private:
  int code_;
};

}  // namespace warpath
