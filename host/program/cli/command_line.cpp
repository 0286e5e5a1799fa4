#include "host/program/cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <utility>

namespace warpath::cli {
namespace {

template <class T>
bool refers_to(const OptionTarget& target) {
  return std::holds_alternative<std::reference_wrapper<T>>(target);
}

std::string value_word_of(const OptionTarget& target) {
  if (std::holds_alternative<std::monostate>(target) || refers_to<bool>(target)) return "";
  if (refers_to<std::string>(target) || refers_to<std::vector<std::string>>(target)) return "TEXT";
  return "NUMBER";
}

ValueCheck from_cli11(const CLI::Validator& validator) {
  return {[validator](std::string& value) { return validator(value); },
          validator.get_description()};
}

// Adds an option to CLI11's command. Returns none for the options that CLI11 has by itself.
struct AddToCli11 {
  CLI::Option* operator()(std::monostate) const { return nullptr; }
  CLI::Option* operator()(std::reference_wrapper<bool> flag) const {
    return command.add_flag(name, flag.get());
  }
  template <class T>
  CLI::Option* operator()(std::reference_wrapper<T> value) const {
    return command.add_option(name, value.get());
  }

  CLI::App& command;
  std::string name;
};

// An option and CLI11's.
struct AddedOption {
  Option* option;
  CLI::Option* added;
};

void describe(const Option& option, CLI::Option& added) {
  added.required(option.is_required);
  // CLI11's own words for numbers, such as UINT, are part of its messages.
  if (!option.is_flag() && option.value_word != "NUMBER") added.type_name(option.value_word);
  if (option.expected_values > 0) added.expected(option.expected_values);
  if (option.takes_single_values) added.allow_extra_args(false);
  if (option.takes_last) added.take_last();
  // The last check that is added to CLI11 comes first.
  for (auto check = option.checks.rbegin(); check != option.checks.rend(); ++check) {
    added.transform(CLI::Validator(check->problem, check->accepted));
  }
}

// Adds the options of a command to CLI11's, and themselves to the list.
void add_options(Command& command, CLI::App& to, std::vector<AddedOption>& list) {
  for (Option& option : command.options) {
    const AddToCli11 add{to, fmt::format("{}", fmt::join(option.names, ","))};
    CLI::Option* const added = std::visit(add, option.target);
    if (added == nullptr) continue;
    describe(option, *added);
    list.push_back({&option, added});
  }
  for (const Option& option : command.options) {
    for (const std::string& other : option.excluded) {
      to.get_option(option.names.front())->excludes(to.get_option(other));
    }
  }
}

// Adds all commands, and the options of those that the arguments may call: options take time.
std::vector<AddedOption> add_all(Command& program, const std::vector<std::string>& arguments,
                                 CLI::App& to) {
  std::vector<AddedOption> list;
  to.set_version_flag("--version");
  to.require_subcommand(0, 1);
  add_options(program, to, list);
  for (Command& command : program.commands) {
    CLI::App* const added = to.add_subcommand(command.name);
    added->prefix_command(command.takes_any_words);
    if (std::ranges::find(arguments, command.name) == arguments.end()) continue;
    add_options(command, *added, list);
  }
  return list;
}

const Command* called_command(const Command& program, const CLI::App& parsed) {
  const auto called = parsed.get_subcommands();
  if (called.empty()) return &program;
  return &*std::ranges::find(program.commands, called.front()->get_name(), &Command::name);
}

}  // namespace

ValueCheck int_within(int min, int max) {
  return from_cli11(CLI::Range(min, max));
}

ValueCheck size_in_bytes() {
  return from_cli11(CLI::AsSizeValue(false));
}

Option::Option(std::vector<std::string> n, OptionTarget t, std::string h)
    : names(std::move(n)), target(t), help(std::move(h)), value_word(value_word_of(t)) {}

Option& Option::put_in(std::string_view new_group) {
  group = new_group;
  return *this;
}

Option& Option::name_value(std::string word) {
  value_word = std::move(word);
  return *this;
}

Option& Option::require(bool is) {
  is_required = is;
  return *this;
}

Option& Option::check(ValueCheck check) {
  checks.push_back(std::move(check));
  return *this;
}

Option& Option::exclude(std::string_view other) {
  excluded.emplace_back(other);
  return *this;
}

Option& Option::show_default() {
  std::ostringstream text;
  const auto write = [&](const auto& value) {
    if constexpr (requires { text << value.get(); }) text << value.get();
  };
  std::visit(write, target);
  default_text = text.str();
  return *this;
}

Option& Option::expect_values(int count) {
  expected_values = count;
  return *this;
}

Option& Option::take_single_values() {
  takes_single_values = true;
  return *this;
}

Option& Option::take_last() {
  takes_last = true;
  return *this;
}

bool Option::is_list() const {
  return refers_to<std::vector<std::string>>(target);
}

Command::Command(std::string n, std::string h, const Command* p)
    : name(std::move(n)), help(std::move(h)), program(p) {
  options.emplace_back(std::vector<std::string>{"-h", "--help"}, OptionTarget{},
                       "Print this help message and exit");
}

Option& Command::add_option(std::string option_name, OptionTarget target, std::string option_help) {
  return options.emplace_back(std::vector{std::move(option_name)}, target, std::move(option_help));
}

Command& Command::add_command(std::string command_name, std::string command_help) {
  return commands.emplace_back(std::move(command_name), std::move(command_help), this);
}

CommandLine parse(Command& program, std::vector<std::string> arguments) {
  CLI::App app("", program.name);
  const std::vector<AddedOption> list = add_all(program, arguments, app);
  std::ranges::reverse(arguments);  // CLI11 reads the arguments from the back
  CommandLine line{&program};
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    line.asks_for_help = true;
  } catch (const CLI::CallForVersion&) {
    line.asks_for_version = true;
  } catch (const CLI::ParseError& error) {
    line.problem = error.what();
    line.unknown_words = app.remaining(true);
  }
  line.command = called_command(program, app);
  for (const AddedOption& each : list) each.option->is_given = each.added->count() > 0;
  return line;
}

}  // namespace warpath::cli
