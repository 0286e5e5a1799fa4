#include "host/files/io/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace warpath::io {
namespace {

constexpr int max_width = 10'000;  // columns of text that is still readable

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Returns 0 if neither the terminal nor the environment states a width.
int width_of(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::string_view columns = environment("COLUMNS");
  int width = 0;
  std::from_chars(columns.data(), columns.data() + columns.size(), width);
  return std::min(width, max_width);
}

}  // namespace

Terminal terminal_of(int descriptor) {
  Terminal terminal;
  terminal.is_terminal = ::isatty(descriptor) == 1;
  if (const int width = width_of(descriptor); width > 0) terminal.width = width;
  terminal.colour =
      terminal.is_terminal && environment("NO_COLOR").empty() && environment("TERM") != "dumb";
  return terminal;
}

}  // namespace warpath::io
