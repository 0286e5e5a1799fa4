#pragma once

namespace warpath {

/// What a stream that people read leads to; by default a file or a pipe.
struct Terminal {
  bool is_terminal = false;
  bool colour = false;  ///< bold and dim may be used
  int width = 80;       ///< columns; $COLUMNS where no terminal says its own
};

/// What is at the other end of an open file. No colours where it is no terminal, $NO_COLOR is set
/// or $TERM is dumb.
Terminal terminal_of(int descriptor);

}  // namespace warpath
