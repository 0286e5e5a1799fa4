#include "host/program/cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <memory>

#include "host/core/base/suggest.hpp"
#include "host/files/io/wrap.hpp"
#include "host/program/cli/commands.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

constexpr int help_width = 80;
constexpr std::size_t name_columns = 24;

// Returns "  --name      what it is"; the second part begins at column name_columns.
std::string row(const std::string& name, const std::string& text) {
  const std::string indent(name_columns, ' ');
  std::string first = "  " + name;
  const std::size_t used = io::columns(first);
  if (used + 2 > name_columns) return first + '\n' + io::wrap(text, help_width, indent, indent);
  return io::wrap(text, help_width, first.append(name_columns - used, ' '), indent);
}

std::string row(const Option& option) {
  const std::string names = fmt::format("{}", fmt::join(option.names, ", "));
  std::string text = option.help;
  if (option.is_required) text += " (required)";
  if (!option.default_text.empty()) text += fmt::format(" (default {})", option.default_text);
  return row(option.is_flag() ? names : names + " " + option.value_word, text);
}

std::string section(std::string_view title, const std::vector<Explained>& rows) {
  std::string text = fmt::format("\n{}\n", title);
  for (const Explained& r : rows) text += row(std::string(r.name), std::string(r.meaning));
  return text;
}

// A word that help shows in place of "TEXT".
struct ValueWord {
  std::string_view option, word;
};
constexpr ValueWord value_words[]{
    {"--also", "PRESET,..."}, {"--by", "none|scan|length|language"},
    {"--csv", "FILE"},        {"--dataset", "FILE"},
    {"--fix", "FILE"},        {"--format", "FORMAT"},
    {"--graphs", "FOLDER"},   {"--item", "ID"},
    {"--json", "FILE"},       {"--metrics", "METRIC,..."},
    {"--out", "FOLDER"},      {"--pairs", "FILE"},
    {"--preset", "PRESET"},   {"--reference", "path|planner|trusted|all"},
    {"--reward", "REWARD"},   {"--rewards", "REWARD"},
    {"--steps-from", "FILE"}, {"--task-success", "FILE"},
    {"--rules", "RULE,..."},  {"command", "COMMAND"},
};

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string argument_word(const Option& argument) {
  std::string word = upper(argument.names.front());
  if (argument.is_list()) word += "...";
  return argument.is_required ? word : "[" + word + "]";
}

struct HelpCommand {
  HelpCommand(Command& command, const Command& whole) : program(whole) {
    command.add_option("command", wanted, "the command to explain; without it, all are listed");
    command.add_option("--man", is_man, "print the whole manual, for man or groff -man");
  }

  void run(Io& io) const {
    if (is_man) {
      io.out << man_page(program);
      return;
    }
    if (wanted.empty()) {
      io.out << help_text(program);
      return;
    }
    std::vector<std::string_view> names;
    for (const Command& command : program.commands) {
      if (base::equal_letters(command.name, wanted)) {
        io.out << help_text(command);
        return;
      }
      names.push_back(command.name);
    }
    throw UsageError(base::no_such("command", wanted, names));
  }

  const Command& program;
  std::string wanted;
  bool is_man = false;
};

}  // namespace

std::vector<OptionGroup> option_groups(const Command& command) {
  std::vector<OptionGroup> groups;
  for (const Option& option : command.options) {
    if (option.is_argument()) continue;
    auto group = std::ranges::find(groups, option.group, &OptionGroup::name);
    if (group == groups.end()) group = groups.insert(group, {option.group, {}});
    group->options.push_back(&option);
  }
  // Options that all commands have come last; --help is the first of them.
  if (!groups.empty()) std::rotate(groups.begin(), std::next(groups.begin()), groups.end());
  return groups;
}

std::vector<const Option*> positional_arguments(const Command& command) {
  std::vector<const Option*> arguments;
  for (const Option& option : command.options) {
    if (option.is_argument()) arguments.push_back(&option);
  }
  return arguments;
}

void name_values(Command& program) {
  for (Command& command : program.commands) {
    for (Option& option : command.options) {
      const auto* const value =
          std::ranges::find(value_words, option.names.front(), &ValueWord::option);
      if (option.value_word == "TEXT" && value != std::end(value_words)) {
        option.name_value(std::string(value->word));
      }
    }
  }
}

std::string usage_line(const Command& command) {
  if (command.program == nullptr) return command.name + " COMMAND [OPTION]...";
  std::string line = command.program->name + " " + command.name + " [OPTION]...";
  for (const OptionGroup& group : option_groups(command)) {
    for (const Option* option : group.options) {
      if (option->is_required) line += " " + option->names.back() + " " + option->value_word;
    }
  }
  for (const Option* argument : positional_arguments(command)) {
    line += " " + argument_word(*argument);
  }
  return line;
}

std::vector<Explained> exit_codes() {
  return {{"0", "done"},
          {"1",
           "an input, an output or an item was refused, or a self-test failed: one line on "
           "standard error says which and what to do"},
          {"2", "the command line makes no sense"},
          {"129, 130, 143", "ended by SIGHUP, SIGINT (Ctrl-C) or SIGTERM; no file is left in part"},
          {"141", "the reader of standard output went away (| head)"}};
}

std::vector<Explained> environment_variables() {
  return {
      {"NO_COLOR", "anything: no colours on a terminal"},
      {"COLUMNS", "the width of tables, where output is no terminal that says its own"},
      {"WARPATH_ISA", "avx512, avx2 or portable: the vector registers that --backend cpu uses"},
      {"WARPATH_GPU_MEMORY", "how many MiB of a GPU's memory to take (else half of what is free)"},
      {"XDG_CACHE_HOME", "where bench --save keeps from how many pairs on a GPU pays"}};
}

std::string help_text(const Command& command) {
  const std::string usage = "Usage: " + usage_line(command);
  std::string text = io::wrap(command.help, help_width) + '\n' +
                     io::wrap(usage, help_width, "", std::string(4, ' '));
  if (!command.commands.empty()) text += "\nCommands\n";
  for (const Command& each : command.commands) text += row(each.name, each.help);
  const auto arguments = positional_arguments(command);
  if (!arguments.empty()) text += "\nArguments\n";
  for (const Option* argument : arguments) text += row(argument_word(*argument), argument->help);
  for (const OptionGroup& group : option_groups(command)) {
    text += '\n' + group.name + '\n';
    for (const Option* option : group.options) text += row(*option);
  }
  if (command.program == nullptr) text += section("Exit codes", exit_codes());
  return text;
}

void add_help(Command& program, Io& io) {
  Command& command = program.add_command("help", "Explain a command, or print the manual");
  auto options = std::make_shared<HelpCommand>(command, program);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
