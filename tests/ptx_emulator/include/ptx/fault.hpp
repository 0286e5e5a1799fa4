#pragma once

#include <stdexcept>

namespace ptx {

/// Reports a forbidden action of a kernel.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ptx
