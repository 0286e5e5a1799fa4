#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/program/cli/command_line.hpp"

// What `--help`, `warpath help`, the man page and shell completion read from the commands and their
// options.

namespace warpath::cli {

struct OptionGroup {
  std::string name;
  std::vector<const Option*> options;
};

/// Returns the options of a command in groups as help shows them, "Options" last, without its
/// positional arguments.
std::vector<OptionGroup> option_groups(const Command& command);

/// Returns the arguments of a command that have no name.
std::vector<const Option*> positional_arguments(const Command& command);

/// Sets the value word of every option of all commands: a kind ("FILE", "PRESET", "METRIC,..." for
/// a list of them) or the accepted words ("cpu|cuda").
void name_values(Command& program);

/// Returns "warpath eval [OPTION]... --graphs FOLDER [PREDICTIONS...]".
std::string usage_line(const Command& command);

/// Holds a row of the tables below.
struct Explained {
  std::string_view name, meaning;
};
std::vector<Explained> exit_codes();
std::vector<Explained> environment_variables();

/// Returns what `--help` prints, in 80 columns.
std::string help_text(const Command& command);

/// Returns the page of `man warpath`, in troff.
std::string man_page(const Command& program);

}  // namespace warpath::cli
