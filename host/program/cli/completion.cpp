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

// Collects the words that begin as what was typed does.
class Offers {
 public:
  // `kept` is typed before, and belongs to the shell's word.
  Offers(std::string typed, std::string kept) : typed_(std::move(typed)), kept_(std::move(kept)) {}

  void add(std::string_view word, std::string_view meaning = "") {
    if (word.starts_with(typed_)) lines_ += fmt::format("{}{}\t{}\n", kept_, word, meaning);
  }
  void add_options(const Command& command) {
    for (const OptionGroup& group : option_groups(command)) {
      for (const Option* option : group.options) {
        for (const std::string& name : option->names) add(name, option->help);
      }
    }
  }
  void add_values(const Option& option, const Command& program);

  const std::string& typed() const { return typed_; }
  const std::string& lines() const { return lines_; }

 private:
  std::string typed_, kept_, lines_;
};

// Adds the values that an option takes, derived from its value word: "lt|le" lists the words
// themselves, "PRESET" stands for any preset, "METRIC,..." for a list of metrics.
void Offers::add_values(const Option& option, const Command& program) {
  constexpr std::string_view list = ",...";
  std::string word = option.value_word;
  if (word.ends_with(list)) {
    word.resize(word.size() - list.size());
    const std::size_t begin = typed_.rfind(',') + 1;  // 0 without a comma
    kept_ += typed_.substr(0, begin);
    typed_.erase(0, begin);
  }
  if (word == "PRESET") {
    for (const definitions::PresetUse& use : definitions::preset_uses()) {
      add(use.preset);
      for (const std::string_view alias : use.aliases) add(alias);
    }
  } else if (word == "REWARD") {
    for (const RewardPreset& p : reward_presets()) add(p.settings.preset);
  } else if (word == "METRIC") {
    for (const MetricInfo& m : metric_table()) add(m.name);
  } else if (word == "FORMAT") {
    for (const std::string_view name : all_format_names()) add(name);
  } else if (word == "RULE") {
    for (const aggregate::AggregateRule& rule : aggregate::aggregate_rules()) add(rule.name);
  } else if (word == "COMMAND") {
    for (const Command& command : program.commands) add(command.name, command.help);
  } else if (word.find('|') != std::string::npos) {
    std::istringstream words(word);
    for (std::string each; std::getline(words, each, '|');) add(each);
  }
}

const Option* find_option(const Command& command, const std::string& name) {
  const auto found = std::ranges::find_if(command.options, [&](const Option& option) {
    return std::ranges::find(option.names, name) != option.names.end();
  });
  return found == command.options.end() || found->is_argument() ? nullptr : &*found;
}

struct Shell {
  std::string_view name, script;
};

constexpr Shell shells[]{{"bash", R"(# bash completion for warpath: source this file.
_warpath() {
  local word meaning
  COMPREPLY=()
  while IFS=$'\t' read -r word meaning; do
    COMPREPLY+=("$word")
  done < <("${COMP_WORDS[0]/#\~/$HOME}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _warpath warpath
)"},
                         {"zsh", R"(#compdef warpath
_warpath() {
  local -a offered shown
  local word meaning
  while IFS=$'\t' read -r word meaning; do
    offered+=("$word")
    shown+=("$word${meaning:+  -- $meaning}")
  done < <(${~words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  if (( $#offered )); then
    compadd -l -d shown -a offered
  else
    _files
  fi
}
# Sourced, or found on fpath.
if [[ $funcstack[1] == _warpath ]]; then _warpath "$@"; else compdef _warpath warpath; fi
)"},
                         {"fish", R"(# fish completion for warpath
function __warpath_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~' $HOME $words[1])
    set -l offered ($program __complete $words[2..-1] "$current" 2>/dev/null)
    if test (count $offered) -gt 0
        printf '%s\n' $offered
    else
        __fish_complete_path "$current"
    end
end
complete -c warpath -f -a '(__warpath_complete)'
)"}};

}  // namespace

std::string completions(const Command& program, std::vector<std::string> words) {
  std::string typed, kept;
  if (!words.empty()) {
    typed = std::move(words.back());
    words.pop_back();
  }
  // --name=value is one word, but three in bash.
  const std::size_t equals = typed.find('=');
  if (typed == "=") {
    typed.clear();
  } else if (!words.empty() && words.back() == "=") {
    words.pop_back();
  } else if (typed.starts_with("--") && equals != std::string::npos) {
    words.push_back(typed.substr(0, equals));
    kept = typed.substr(0, equals + 1);
    typed.erase(0, equals + 1);
  }
  Offers offers(std::move(typed), std::move(kept));
  if (words.empty()) {
    for (const Command& command : program.commands) offers.add(command.name, command.help);
    offers.add_options(program);
    return offers.lines();
  }
  const auto command = std::ranges::find(program.commands, words.front(), &Command::name);
  if (command == program.commands.end()) return "";
  const Option* option = find_option(*command, words.back());
  const std::vector<const Option*> arguments = positional_arguments(*command);
  if (option != nullptr && !option->is_flag()) {
    offers.add_values(*option, program);
  } else if (offers.typed().starts_with('-')) {
    offers.add_options(*command);
  } else if (!arguments.empty()) {
    offers.add_values(*arguments.front(), program);
  }
  return offers.lines();
}

void add_completion(Command& program, Io& io) {
  std::vector<std::string_view> names;
  for (const Shell& shell : shells) names.push_back(shell.name);
  Command& command = program.add_command("completion", "Print a script that completes commands");
  auto wanted = std::make_shared<std::string>();
  command.add_option("shell", *wanted, "source what is printed in that shell's start-up file")
      .name_value(fmt::format("{}", fmt::join(names, "|")))
      .require();
  command.run = [wanted, names, &io] {
    for (const Shell& shell : shells) {
      if (!base::equal_letters(shell.name, *wanted)) continue;
      io.out << shell.script;
      return;
    }
    throw UsageError(base::no_such("completion for", *wanted, names));
  };
}

}  // namespace warpath::cli
