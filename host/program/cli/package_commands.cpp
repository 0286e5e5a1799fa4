#include <fmt/format.h>

#include "host/program/cli/commands.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

// A command of the Python package, whose own `warpath` runs it before this program is asked.
struct PackageCommand {
  std::string_view name, does;
  std::string_view extra;  // of the package, that brings what the command needs
};
constexpr PackageCommand package_commands[]{
    {"plot", "Draw paths, alignments and agents", "plot"},
    {"report", "Write a page that shows agents and items in a browser", "report"},
    {"compare", "Test whether agents differ, metric by metric", "compare"},
    {"study", "Compare rankings by metrics with rankings by people", "study"},
    {"correlate", "Correlate scores of instructions with how people follow them", "study"},
    {"traces", "Say what followers saw and how well they did", "study"},
    {"compatibility", "Score how instructions and trajectories match", "study"},
};

}  // namespace

void add_package_commands(Command& program, Io&) {
  for (const PackageCommand& each : package_commands) {
    const std::string package = fmt::format("pip install \".[{}]\"", each.extra);
    Command& command = program.add_command(std::string(each.name),
                                           fmt::format("{} (Python: {})", each.does, package));
    command.takes_any_words = true;  // its options are the package's
    command.run = [name = std::string(each.name), package] {
      throw InputError(
          {}, fmt::format("{} is a command of the Python package", name),
          fmt::format("in the checkout: {}, then: python -m warpath {}", package, name));
    };
  }
}

}  // namespace warpath::cli
