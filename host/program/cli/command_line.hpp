#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// The command line as a tree: commands describe their options in it, parse() reads arguments by it,
// and help, manual and completion print it. The library that parses, CLI11, takes seconds to
// compile, so command_line.cpp alone includes it.

namespace warpath::cli {

/// Checks the value of an option.
struct ValueCheck {
  /// Returns what is wrong with the value, "" if nothing is. May change the text that is then read.
  std::function<std::string(std::string& value)> problem;
  /// Describes the accepted values in a message that one is missing: "INT in [0 - 15]".
  std::string accepted{};
};

/// Refuses what is no whole number from `min` to `max`.
ValueCheck int_within(int min, int max);
/// Refuses what is no number of bytes, and writes out units, such as those of 8G.
ValueCheck size_in_bytes();

/// Refers to the variable that an option sets. A bool makes the option a flag, a vector takes
/// several values, and without a variable the parser itself answers the option.
using OptionTarget =
    std::variant<std::monostate, std::reference_wrapper<bool>, std::reference_wrapper<int>,
                 std::reference_wrapper<std::uint64_t>, std::reference_wrapper<double>,
                 std::reference_wrapper<std::optional<std::uint32_t>>,
                 std::reference_wrapper<std::optional<double>>, std::reference_wrapper<std::string>,
                 std::reference_wrapper<std::vector<std::string>>>;

/// Describes an option, or an argument, which has no hyphens in its name.
struct Option {
  /// @param names as they are typed: {"-h", "--help"}
  /// @param target must be there while arguments are parsed
  Option(std::vector<std::string> names, OptionTarget target, std::string help);

  // Each of these says something of the option and returns it.
  Option& put_in(std::string_view group);
  Option& name_value(std::string word);
  Option& require(bool is_required = true);
  Option& check(ValueCheck check);
  /// Refuses this option together with another one of the command.
  Option& exclude(std::string_view other);
  /// Shows the present value of the target in help.
  Option& show_default();
  /// Takes exactly so many values.
  Option& expect_values(int count);
  /// Takes one value each time that the option is given.
  Option& take_single_values();
  /// Takes the last value where the option is given several times, instead of refusing that.
  Option& take_last();

  bool is_argument() const { return !names.front().starts_with('-'); }
  bool is_flag() const { return value_word.empty(); }
  bool is_list() const;

  std::vector<std::string> names;
  OptionTarget target;
  std::string help;
  std::string group = "Options";
  std::string value_word;  ///< "TEXT", "NUMBER", "FILE", "lt|le"
  std::string default_text;
  std::vector<ValueCheck> checks;  ///< in turn
  std::vector<std::string> excluded;
  int expected_values = 0;  ///< 0: as the target takes them
  bool is_required = false, takes_single_values = false, takes_last = false;
  bool is_given = false;  ///< set by parse()
};

/// Describes a command, or the program with all of its commands.
struct Command {
  /// Describes a command with the option --help. @param program none: this is the program
  Command(std::string name, std::string help, const Command* program = nullptr);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Adds an option and returns it. It keeps its address.
  Option& add_option(std::string option_name, OptionTarget target, std::string option_help);
  /// Adds a command of the program and returns it. It keeps its address.
  Command& add_command(std::string command_name, std::string command_help);

  std::string name, help;
  const Command* program;
  std::deque<Option> options;
  std::list<Command> commands;
  std::function<void()> run;
  bool takes_any_words = false;  ///< those that it does not know are another program's
};

/// Says what the arguments of a program ask for.
struct CommandLine {
  const Command* command;  ///< that is called; the program itself where none is
  bool asks_for_help = false, asks_for_version = false;
  std::string problem{};                     ///< with the arguments; empty: none
  std::vector<std::string> unknown_words{};  ///< where there is a problem
};

/// Reads arguments into the targets of the options that they name, and runs nothing.
/// @param arguments without the program's own name
CommandLine parse(Command& program, std::vector<std::string> arguments);

}  // namespace warpath::cli
