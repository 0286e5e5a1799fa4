#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "warpath/export.hpp"

namespace warpath {

/// Is the base of all errors that the library reports. `what()` is one line.
class WARPATH_EXPORT Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reports invalid input data. `what()` is `file: item: field: problem; remedy`, without the parts
/// that are empty. The program prints it and ends with exit code 1; no output file is left behind.
/// A problem of a single item is not an error but a `Status` (see scores.hpp).
class WARPATH_EXPORT InputError : public Error {
 public:
  /// The place of the fault; empty parts are left out of the message.
  struct Where {
    std::string file;
    std::string item{};   ///< id or position of the element at fault
    std::string field{};  ///< key, column or option at fault
  };

  /// @param problem what is wrong, as a sentence about the place: "has no viewpoint".
  /// @param remedy what to do, as an instruction: "give at least one".
  InputError(const Where& where, std::string_view problem, std::string_view remedy);

  /// Returns the place, the problem and the remedy as they were given. They are valid as long as a
  /// copy of the error is.
  const Where& where() const { return parts_->where; }
  const std::string& problem() const { return parts_->problem; }
  const std::string& remedy() const { return parts_->remedy; }

 private:
  struct Parts {
    Where where;
    std::string problem, remedy;
  };
  std::shared_ptr<const Parts> parts_;  // copying an exception may not throw
};

/// Reports an invalid option, argument or name. The program ends with exit code 2.
class WARPATH_EXPORT UsageError : public Error {
 public:
  using Error::Error;
};

/// Reports a call of the CUDA runtime or the launch of a kernel that failed. Results of the call
/// that throws are unusable; its device memory has been given back. `what()` is `call failed: name,
/// text (file:line); remedy`, without the remedy if there is none.
class WARPATH_EXPORT CudaError : public Error {
 public:
  /// Describes the failed call.
  struct Failure {
    std::string call;         ///< the call, with its size if that helps: `cudaMalloc of 64 bytes`
    int code;                 ///< the `cudaError_t`
    std::string name;         ///< name of the code: `cudaErrorMemoryAllocation`
    std::string text;         ///< CUDA's text for the code: `out of memory`
    std::string_view file{};  ///< source file of the call; shown without its folders
    unsigned line = 0;        ///< line of the call
  };

  CudaError(const Failure& failure, std::string_view remedy);

  /// Returns the `cudaError_t`.
  int code() const { return code_; }

 private:
  int code_;
};

}  // namespace warpath
