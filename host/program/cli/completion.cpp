#include "host/program/cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "host/core/base/suggest.hpp"
#include "host/core/definitions/presets.hpp"
#include "host/files/aggregate/rules.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/help.hpp"
#include "host/program/cli/options.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"
#include "warpath/metrics.hpp"
#include "warpath/reward_settings.hpp"

namespace warpath::cli {
namespace {

// Values that an option takes, derived from its value word: "lt|le" lists the words themselves,
// "PRESET" stands for any preset, "METRIC,..." for a list of metrics.
struct Values {
  std::vector<std::string> words;
  bool is_list = false;

  std::string joined() const { return fmt::format("{}", fmt::join(words, " ")); }
};

Values values_of(const Option& option, const Command& program) {
  constexpr std::string_view list = ",...";
  std::string word = option.value_word;
  Values values;
  values.is_list = word.ends_with(list);
  if (values.is_list) word.resize(word.size() - list.size());
  if (word == "PRESET") {
    for (const definitions::PresetUse& use : definitions::preset_uses()) {
      values.words.emplace_back(use.preset);
      values.words.insert(values.words.end(), use.aliases.begin(), use.aliases.end());
    }
  } else if (word == "REWARD") {
    for (const RewardPreset& p : reward_presets()) values.words.push_back(p.settings.preset);
  } else if (word == "METRIC") {
    for (const MetricInfo& m : metric_table()) values.words.emplace_back(m.name);
  } else if (word == "FORMAT") {
    for (const std::string_view name : all_format_names()) values.words.emplace_back(name);
  } else if (word == "RULE") {
    for (const aggregate::AggregateRule& rule : aggregate::aggregate_rules())
      values.words.emplace_back(rule.name);
  } else if (word == "COMMAND") {
    for (const Command& command : program.commands) values.words.push_back(command.name);
  } else if (word.find('|') != std::string::npos) {
    std::istringstream words(word);
    for (std::string each; std::getline(words, each, '|');) values.words.push_back(each);
  }
  return values;
}

std::vector<const Option*> all_options(const Command& command) {
  std::vector<const Option*> options;
  for (const OptionGroup& group : option_groups(command)) {
    options.insert(options.end(), group.options.begin(), group.options.end());
  }
  return options;
}

// Returns "demo eval …": the names of all commands.
std::string names_of_commands(const Command& program) {
  std::string names;
  for (const Command& command : program.commands) names += command.name + ' ';
  return names;
}

std::string names_of_options(const Command& command) {
  std::string names;
  for (const Option* option : all_options(command)) {
    for (const std::string& name : option->names) names += name + ' ';
  }
  return names;
}

// Returns the values of the arguments that have no option before them.
Values values_of_arguments(const Command& command, const Command& program) {
  const auto arguments = positional_arguments(command);
  return arguments.empty() ? Values{} : values_of(*arguments.front(), program);
}

// ---------------------------------------------------------------- bash

constexpr std::string_view bash_start = R"(# bash completion for warpath: source this file.
_warpath() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]} options= values= arguments= list=
  COMPREPLY=()
  # bash takes --name=value for three words.
  if [[ $current == = ]]; then
    current=
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  if ((COMP_CWORD == 1)); then
)";

constexpr std::string_view bash_end = R"(  esac
  if [[ -n $list ]]; then
    local before=
    [[ $current == *,* ]] && before=${current%,*},
    COMPREPLY=($(compgen -P "$before" -W "$list" -- "${current##*,}"))
  elif [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$current"))
  elif [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif [[ -n $arguments && $previous != -* ]]; then
    COMPREPLY=($(compgen -W "$arguments" -- "$current"))
  fi
}
complete -o default -F _warpath warpath
)";

std::string bash_values(const Command& command, const Command& program) {
  std::string cases;
  for (const Option* option : all_options(command)) {
    const Values values = values_of(*option, program);
    if (values.words.empty()) continue;
    cases += fmt::format("        {}) {}='{}' ;;\n", fmt::join(option->names, "|"),
                         values.is_list ? "list" : "values", values.joined());
  }
  return cases.empty() ? "" : "      case $previous in\n" + cases + "      esac\n";
}

std::string bash_script(const Command& program) {
  std::string script(bash_start);
  script += fmt::format("    COMPREPLY=($(compgen -W '{}{}' -- \"$current\"))\n    return\n  fi\n",
                        names_of_commands(program), names_of_options(program));
  script += "  case $command in\n";
  for (const Command& command : program.commands) {
    script += fmt::format("    {})\n      options='{}'\n", command.name, names_of_options(command));
    const Values arguments = values_of_arguments(command, program);
    if (!arguments.words.empty())
      script += fmt::format("      arguments='{}'\n", arguments.joined());
    script += bash_values(command, program) + "      ;;\n";
  }
  return script.append(bash_end);
}

// ---------------------------------------------------------------- zsh

// Escapes text for single quotes and for a description in brackets.
std::string zsh_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out.append("\\").append(1, c);
    else
      out += c;
  }
  return out;
}

std::string zsh_action(const Values& values) {
  if (values.words.empty()) return "_files";
  if (values.is_list) return fmt::format("_values -s , value {}", zsh_escaped(values.joined()));
  return fmt::format("({})", zsh_escaped(values.joined()));
}

std::string zsh_option(const Option& option, const Command& program) {
  std::string lines;
  for (const std::string& name : option.names) {
    lines += fmt::format(" \\\n        '*{}[{}]{}'", name, zsh_escaped(option.help),
                         option.is_flag() ? ""
                                          : fmt::format(":{}:{}", zsh_escaped(option.value_word),
                                                        zsh_action(values_of(option, program))));
  }
  return lines;
}

std::string zsh_script(const Command& program) {
  std::string script = "#compdef warpath\n_warpath() {\n  local -a commands=(\n";
  for (const Command& command : program.commands) {
    script += fmt::format("    '{}:{}'\n", command.name, zsh_escaped(command.help));
  }
  script +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
      "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const Command& command : program.commands) {
    script += fmt::format("    {})\n      _arguments", command.name);
    for (const Option* option : all_options(command)) script += zsh_option(*option, program);
    script += fmt::format(" \\\n        '*:argument:{}'\n      ;;\n",
                          zsh_action(values_of_arguments(command, program)));
  }
  return script +
         "  esac\n}\n# Sourced, or found on fpath.\n"
         "if [[ $funcstack[1] == _warpath ]]; then _warpath \"$@\"; else compdef _warpath warpath; "
         "fi\n";
}

// ---------------------------------------------------------------- fish

std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_option(const Command& command, const Option& option, const Command& program) {
  std::string line =
      fmt::format("complete -c warpath -n '__fish_seen_subcommand_from {}'", command.name);
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  const Values values = values_of(option, program);
  if (!values.words.empty() && values.is_list) {
    line += " -x -a " + fish_quoted(fmt::format("(__fish_append , {})", values.joined()));
  } else if (!values.words.empty()) {
    line += " -x -a " + fish_quoted(values.joined());
  } else if (!option.is_flag()) {
    line += " -r";
  }
  return line + " -d " + fish_quoted(option.help) + '\n';
}

std::string fish_script(const Command& program) {
  std::string script = "# fish completion for warpath\n";
  for (const Command& command : program.commands) {
    const std::string& name = command.name;
    script += fmt::format("complete -c warpath -n __fish_use_subcommand -f -a {} -d {}\n", name,
                          fish_quoted(command.help));
    for (const Option* option : all_options(command)) {
      script += fish_option(command, *option, program);
    }
    const Values arguments = values_of_arguments(command, program);
    if (arguments.words.empty()) continue;
    script += fmt::format("complete -c warpath -n '__fish_seen_subcommand_from {}' -f -a {}\n",
                          name, fish_quoted(arguments.joined()));
  }
  return script;
}

struct Shell {
  std::string_view name;
  std::string (*script)(const Command&);
};
constexpr Shell shells[]{{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

}  // namespace

std::vector<std::string_view> completed_shells() {
  std::vector<std::string_view> names;
  for (const Shell& shell : shells) names.push_back(shell.name);
  return names;
}

std::string completion_script(const Command& program, std::string_view shell) {
  for (const Shell& s : shells) {
    if (base::equal_letters(s.name, shell)) return s.script(program);
  }
  throw UsageError(base::no_such("completion for", shell, completed_shells()));
}

void add_completion(Command& program, Io& io) {
  Command& command = program.add_command("completion", "Print a script that completes commands");
  auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "source what is printed in that shell's start-up file")
      .name_value(fmt::format("{}", fmt::join(completed_shells(), "|")))
      .require();
  command.run = [shell, &program, &io] { io.out << completion_script(program, *shell); };
}

}  // namespace warpath::cli
