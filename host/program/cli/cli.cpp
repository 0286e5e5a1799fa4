#include "host/program/cli/cli.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>

#include "host/core/base/clean_text.hpp"
#include "host/core/base/suggest.hpp"
#include "host/files/io/output_file.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/completion.hpp"
#include "host/program/cli/help.hpp"
#include "warpath/error.hpp"
#include "warpath/version.hpp"

namespace warpath::cli {
namespace {

constexpr std::string_view examples = R"(warpath scores navigation paths against reference paths.

  warpath demo
      the synthetic study of the nDTW paper: its agents side by side
  warpath eval --graphs connectivity/ --dataset R2R_val_seen.json my_agent.json
      every metric of an agent; --preset r2r defines them as the official server
  warpath validate --graphs connectivity/ --dataset R2R_val_seen.json agent.json
      what a server would say of a submission, before it is sent
  warpath convert duet_agent.json --to evalai --out submission.json
      the form that the server takes

warpath help lists all commands, warpath help COMMAND its options.
)";

// Prints a failure in one line and returns its exit code.
int failure(std::ostream& err, std::string_view text, int code) {
  err << "warpath: " << base::clean_text(text) << '\n';
  return code;
}

// Describes an option that the command does not have.
std::string unknown_option(const Command& command, const std::string& argument) {
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string_view> names;
  for (const OptionGroup& group : option_groups(command)) {
    for (const Option* option : group.options) {
      names.insert(names.end(), option->names.begin(), option->names.end());
    }
  }
  const std::string question = base::did_you_mean(name, names);
  return fmt::format("no option '{}'{}{}", name, question.empty() ? "" : "; ", question);
}

std::string unknown_command(const Command& program, const std::string& wanted) {
  std::vector<std::string_view> names;
  for (const Command& command : program.commands) names.push_back(command.name);
  return base::no_such("command", wanted, names);
}

// Describes the problem of the command line: misspelled words come before missing ones.
std::string usage_problem(const Command& program, const CommandLine& line) {
  const bool is_of_program = line.command == &program;
  for (const std::string& word : line.unknown_words) {
    if (word.starts_with('-')) return unknown_option(*line.command, word);
    if (is_of_program) return unknown_command(program, word);
  }
  return line.problem;
}

void parse_and_run(Command& program, const std::vector<std::string>& arguments, Io& io) {
  const CommandLine line = parse(program, arguments);
  const Command& command = *line.command;
  if (!line.problem.empty()) {
    const std::string problem = usage_problem(program, line);
    throw UsageError(fmt::format("{} warpath {}--help",
                                 problem.ends_with('?') ? problem + " See" : problem + "; see",
                                 &command == &program ? "" : command.name + " "));
  }
  if (line.asks_for_help)
    io.out << help_text(command);
  else if (line.asks_for_version)
    io.out << "warpath " WARPATH_VERSION "\n";
  else if (command.run)
    command.run();
}

void run(Command& program, const std::vector<std::string>& arguments, Io& io) {
  if (arguments.empty()) {
    io.out << examples;
  } else if (arguments.front() == complete_command) {
    io.out << completions(program, {arguments.begin() + 1, arguments.end()});
  } else {
    parse_and_run(program, arguments, io);
  }
  if (!io.out.flush() && io.exit_code == 0) {
    throw InputError({"standard output"}, "cannot be written",
                     "free some space or write to a file");
  }
}

// Tells whether the system refused to start a thread. TBB says so by a text alone.
bool is_for_want_of_threads(const std::exception& e) {
  const auto* const error = dynamic_cast<const std::system_error*>(&e);
  return (error != nullptr && error->code() == std::errc::resource_unavailable_try_again) ||
         std::string_view(e.what()).find("pthread_create") != std::string_view::npos;
}

// Runs the program. Every exception but a failed allocation ends here as one line and an exit code.
int run_and_report(Command& program, const std::vector<std::string>& arguments, Io& io) {
  try {
    run(program, arguments, io);
  } catch (const UsageError& e) {
    return failure(io.err, e.what(), 2);
  } catch (const io::ReaderGone&) {
    return code_of_reader_gone;
  } catch (const std::overflow_error& e) {
    return failure(io.err, fmt::format("{}; are positions and weights in metres?", e.what()), 1);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const Error& e) {
    return failure(io.err, e.what(), 1);
  } catch (const std::exception& e) {
    if (is_for_want_of_threads(e)) {
      return failure(io.err,
                     "no room for another thread; raise the limit (ulimit -u, a container's pids), "
                     "or run it on one core: taskset -c 0 warpath …",
                     1);
    }
    return failure(io.err, fmt::format("{}; this is a bug: please report it", e.what()), 1);
  } catch (...) {
    return failure(io.err, "an error that says nothing of itself; please report it", 1);
  }
  return io.exit_code;
}

struct OwnCommand {
  std::string_view name;
  void (*add)(Command& program, Io& io);
};

// In the order of the help.
constexpr OwnCommand own_commands[] = {
    {"demo", add_demo},           {"eval", add_eval},
    {"explain", add_explain},     {"check", add_check},
    {"rewards", add_rewards},     {"validate", add_validate},
    {"convert", add_convert},     {"distances", add_distances},
    {"random", add_random},       {"merge", add_merge},
    {"aggregate", add_aggregate}, {"baseline", add_baseline},
    {"perturb", add_perturb},     {"r4r", add_r4r},
    {"dataset", add_dataset},     {"presets", add_presets},
    {"metrics", add_metrics},
};

// Adds the command that is called. All together take a millisecond, so they are added only where
// something lists them, or where the word is none of them.
void add_commands(Command& program, std::string_view called, Io& io) {
  const auto* const own = std::ranges::find(own_commands, called, &OwnCommand::name);
  if (own != std::end(own_commands)) return own->add(program, io);
  for (const OwnCommand& command : own_commands) command.add(program, io);
  add_package_commands(program, io);
#if defined(WARPATH_HAS_CHECKS)
  add_selftest(program, io);
  add_bench(program, io);
#else
  add_omitted_checks(program, io);
#endif
  add_completion(program, io);
  add_help(program, io);
}

int set_up_and_run(const std::vector<std::string>& arguments, Io& io) {
  Command program("warpath", "Batch evaluation of navigation paths.");
  program.add_option("--version", {}, "Display program version information and exit");
  add_commands(program, arguments.empty() ? "" : arguments.front(), io);
  name_values(program);
  return run_and_report(program, arguments, io);
}

}  // namespace

int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err,
            const io::Terminal& terminal, const std::string& program,
            const evaluation::SharedWork* shared) {
  try {
    Io io{out, err, terminal};
    io.command_line = arguments;
    io.program = program;
    io.shared = shared;
    return set_up_and_run(arguments, io);
  } catch (const std::bad_alloc&) {
    err << out_of_memory_line;
    return 1;
  }
}

}  // namespace warpath::cli
