#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace warpath::definitions {

/// Says which of our presets or rules gives the numbers of a public repository.
struct Evaluator {
  std::string_view name;       ///< of the project, as its authors write it
  std::string_view task;       ///< whose evaluation this is
  std::string_view paper;      ///< whose tables of the task its code made; empty: none was found
  std::string_view code;       ///< repository, and the commit that was read, if it is known
  std::string_view lines{};    ///< file and lines; empty: that of the preset's source
  std::string_view preset{};   ///< of warpath eval; empty: it has none
  std::string_view rule{};     ///< of warpath aggregate; empty: it has none
  std::string_view differs{};  ///< what it does otherwise; empty: nothing that was found
};

/// Returns all repositories that were read, by name. Any thread may call it.
std::span<const Evaluator> evaluators();

/// Finds the evaluators of a project, those whose numbers a preset or rule of this name gives, or
/// "all"; where there are none, those of projects with the name in theirs ("3DFF"). Case, blanks
/// and hyphens do not matter: "navgpt2" is NavGPT-2.
/// @throws UsageError that names the project that was probably meant, and all of them
std::vector<Evaluator> find_evaluators(std::string_view name);

/// Returns the preset of a project's evaluators; empty if it has none, or if no project has the
/// name.
/// @throws UsageError where its tasks have presets or rules of their own, or where the name is that
/// of a rule or of a project that has a rule alone
std::string_view find_preset_of_project(std::string_view name);

}  // namespace warpath::definitions
