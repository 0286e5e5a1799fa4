#pragma once

#include <map>
#include <string>

namespace warpath {

/// Texts in memory that stand in for files, by name. Where a file is named that has a text
/// here, the text is read in its place; messages and reports name it as they name a file.
using InputTexts = std::map<std::string, std::string>;

}  // namespace warpath
