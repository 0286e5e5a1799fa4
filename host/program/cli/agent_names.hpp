#pragma once

#include <string>

#include "warpath/evaluate.hpp"

namespace warpath::cli {

/// Moves the names from prediction files, NAME=FILE, to `files.names`. With `files.runs` several
/// files of an agent are NAME=FILE,FILE. @param only_name --name, which names a single agent
/// @throws UsageError if a word is no such thing, or two agents have one name
void name_agents(EvalFiles& files, const std::string& only_name);

}  // namespace warpath::cli
