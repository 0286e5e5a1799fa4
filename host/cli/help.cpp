#include "host/cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "host/cli/commands.hpp"
#include "host/definitions/suggest.hpp"
#include "host/io/wrap.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr int help_width = 80;
constexpr std::size_t name_columns = 24;

bool is_shown(const CLI::Option* option) {
  return !option->get_group().empty();
}

// Returns "  --name      what it is"; the second part begins at column name_columns.
std::string row(const std::string& name, const std::string& text) {
  const std::string indent(name_columns, ' ');
  std::string first = "  " + name;
  const std::size_t used = columns(first);
  if (used + 2 > name_columns) return first + '\n' + wrap(text, help_width, indent, indent);
  return wrap(text, help_width, first.append(name_columns - used, ' '), indent);
}

std::string row(const CLI::Option& option) {
  const std::string names = fmt::format("{}", fmt::join(option_names(option), ", "));
  const std::string value = value_word(option);
  std::string text = option.get_description();
  if (option.get_required()) text += " (required)";
  if (!option.get_default_str().empty())
    text += fmt::format(" (default {})", option.get_default_str());
  return row(value.empty() ? names : names + " " + value, text);
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

std::string argument_word(const CLI::Option& argument) {
  std::string word = upper(argument.get_name(true));
  if (argument.get_items_expected_max() > 1) word += "...";
  return argument.get_required() ? word : "[" + word + "]";
}

struct HelpCommand {
  HelpCommand(CLI::App& command, CLI::App& whole) : app(whole) {
    command.add_option("command", wanted, "the command to explain; without it, all are listed");
    command.add_flag("--man", is_man, "print the whole manual, for man or groff -man");
  }

  void run(Io& io) const {
    if (is_man) {
      io.out << man_page(app);
      return;
    }
    if (wanted.empty()) {
      io.out << HelpFormatter().make_help(&app, "", CLI::AppFormatMode::Normal);
      return;
    }
    std::vector<std::string_view> names;
    for (const CLI::App* command : all_commands(app)) {
      if (equal_letters(command->get_name(), wanted)) {
        io.out << command->help();
        return;
      }
      names.push_back(command->get_name());
    }
    throw UsageError(no_such("command", wanted, names));
  }

  CLI::App& app;
  std::string wanted;
  bool is_man = false;
};

}  // namespace

std::vector<OptionGroup> option_groups(const CLI::App& command) {
  std::vector<OptionGroup> groups;
  for (const CLI::Option* option : command.get_options(is_shown)) {
    if (option->get_lnames().empty() && option->get_snames().empty()) continue;
    auto group = std::ranges::find(groups, option->get_group(), &OptionGroup::name);
    if (group == groups.end()) group = groups.insert(group, {option->get_group(), {}});
    group->options.push_back(option);
  }
  // Options that all commands have come last; --help is the first of them.
  if (!groups.empty()) std::rotate(groups.begin(), std::next(groups.begin()), groups.end());
  return groups;
}

std::vector<const CLI::Option*> positional_arguments(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* o) { return is_shown(o) && o->get_positional(); });
}

std::vector<const CLI::App*> all_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> option_names(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

void name_values(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    for (const ValueWord& value : value_words) {
      CLI::Option* option = command->get_option_no_throw(std::string(value.option));
      const bool takes_text = option != nullptr && option->get_items_expected_max() > 0 &&
                              value_word(*option) == "TEXT";
      if (takes_text) option->type_name(std::string(value.word));
    }
  }
}

std::string value_word(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  const std::string type = option.get_type_name();  // "INT:INT in [1 - 5]"
  const std::string word = type.substr(0, type.find(':'));
  return word == "INT" || word == "UINT" || word == "FLOAT" ? "NUMBER" : word;
}

std::string usage_line(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  if (parent == nullptr) return command.get_name() + " COMMAND [OPTION]...";
  std::string line = parent->get_name() + " " + command.get_name() + " [OPTION]...";
  for (const OptionGroup& group : option_groups(command)) {
    for (const CLI::Option* option : group.options) {
      if (option->get_required())
        line += " " + option_names(*option).back() + " " + value_word(*option);
    }
  }
  for (const CLI::Option* argument : positional_arguments(command)) {
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

std::string HelpFormatter::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  const std::string usage = "Usage: " + usage_line(*app);
  std::string text = wrap(app->get_description(), help_width) + '\n' +
                     wrap(usage, help_width, "", std::string(4, ' '));
  const auto commands = all_commands(*app);
  if (!commands.empty()) text += "\nCommands\n";
  for (const CLI::App* command : commands) {
    text += row(command->get_name(), command->get_description());
  }
  const auto arguments = positional_arguments(*app);
  if (!arguments.empty()) text += "\nArguments\n";
  for (const CLI::Option* argument : arguments) {
    text += row(argument_word(*argument), argument->get_description());
  }
  for (const OptionGroup& group : option_groups(*app)) {
    text += '\n' + group.name + '\n';
    for (const CLI::Option* option : group.options) text += row(*option);
  }
  if (app->get_parent() == nullptr) text += section("Exit codes", exit_codes());
  return text;
}

void add_help(CLI::App& app, Io& io) {
  CLI::App* command = app.add_subcommand("help", "Explain a command, or print the manual");
  auto options = std::make_shared<HelpCommand>(*command, app);
  command->callback([options, &io] { options->run(io); });
}

}  // namespace warpath
