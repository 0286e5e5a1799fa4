#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

// What `--help`, `warpath help`, the man page and shell completion read from the commands and their
// options.

namespace warpath {

struct OptionGroup {
  std::string name;
  std::vector<const CLI::Option*> options;
};

/// Returns the options of a command in groups as help shows them, "Options" last, without its
/// positional arguments.
std::vector<OptionGroup> option_groups(const CLI::App& command);

/// Returns the arguments of a command that have no name.
std::vector<const CLI::Option*> positional_arguments(const CLI::App& command);

std::vector<const CLI::App*> all_commands(const CLI::App& app);

/// Returns the names of an option as they are typed: {"-h", "--help"}.
std::vector<std::string> option_names(const CLI::Option& option);

/// Sets the value word of every option of all commands: a kind ("FILE", "PRESET", "METRIC,..." for
/// a list of them) or the accepted words ("cpu|cuda").
void name_values(CLI::App& app);

/// Returns the value word of an option, as `name_values` set it; empty for a flag.
std::string value_word(const CLI::Option& option);

/// Returns "warpath eval [OPTION]... --graphs FOLDER [PREDICTIONS...]".
std::string usage_line(const CLI::App& command);

/// Holds a row of the tables below.
struct Explained {
  std::string_view name, meaning;
};
std::vector<Explained> exit_codes();
std::vector<Explained> environment_variables();

/// Formats `--help` in 80 columns.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

/// Returns the page of `man warpath`, in troff.
std::string man_page(const CLI::App& app);

}  // namespace warpath
