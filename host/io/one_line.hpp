#pragma once

#include <string>

namespace warpath {

/// The text as a terminal shows it in one line: a space for each byte of a control character.
std::string one_line(std::string text);

}  // namespace warpath
