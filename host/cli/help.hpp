#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

// What is known of the commands and their options, as `--help`, `warpath help`, the man page and
// shell completion all read it from the commands themselves.

namespace warpath {

struct OptionGroup {
  std::string name;
  std::vector<const CLI::Option*> options;
};

/// The options of a command as they are shown, "Options" last; without its positional arguments.
std::vector<OptionGroup> option_groups(const CLI::App& command);

/// What stands on a command line without a name before it.
std::vector<const CLI::Option*> positional_arguments(const CLI::App& command);

std::vector<const CLI::App*> all_commands(const CLI::App& app);

/// The names of an option as one types them: {"-h", "--help"}.
std::vector<std::string> option_names(const CLI::Option& option);

/// Has the options of all commands say what they take: a kind ("FILE", "PRESET", "METRIC,..." for a
/// list of them) or the words themselves ("cpu|cuda").
void name_values(CLI::App& app);

/// What an option takes, as `name_values` says; empty for a flag.
std::string value_word(const CLI::Option& option);

/// "warpath eval [OPTION]... --graphs FOLDER [PREDICTIONS...]"
std::string usage_line(const CLI::App& command);

/// A row of the tables below.
struct Explained {
  std::string_view name, meaning;
};
std::vector<Explained> exit_codes();
std::vector<Explained> environment_variables();

/// Lays out `--help` in 80 columns.
class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

/// The page of `man warpath`, in troff.
std::string man_page(const CLI::App& app);

}  // namespace warpath
