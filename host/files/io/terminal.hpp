#pragma once

namespace warpath::io {

/// Describes a stream that people read; by default a file or a pipe.
struct Terminal {
  bool is_terminal = false;
  bool colour = false;  ///< bold and dim may be used
  int width = 80;       ///< columns; $COLUMNS if the terminal states none
};

/// Describes the target of an open descriptor. There are no colours if it is not a terminal,
/// $NO_COLOR is set or $TERM is dumb.
Terminal terminal_of(int descriptor);

}  // namespace warpath::io
