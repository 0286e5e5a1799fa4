#pragma once

#include <stdexcept>

namespace ptx {

/// Reports what a kernel must not do.
struct Fault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ptx
