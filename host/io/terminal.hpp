#pragma once

namespace warpath {

/// What a stream that people read leads to.
struct Terminal {
  bool is_terminal = false;
  bool colour = false;  ///< bold and dim may be used
  int width = 80;       ///< columns
};

}  // namespace warpath
