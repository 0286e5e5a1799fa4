#include "host/cli/cli.hpp"

#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/io/clean_text.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr std::string_view examples = R"(warpath scores navigation paths against reference paths.

  warpath demo
      the synthetic study of the nDTW paper: its agents side by side, nothing needed
  warpath eval --graphs connectivity/ --dataset R2R_val_seen.json my_agent.json
      every metric of an agent, as `paper` defines them; --preset r2r as the official server
  warpath validate --graphs connectivity/ --dataset R2R_val_seen.json my_agent.json
      what a server would say of a submission, before it is sent

warpath --help lists all commands, warpath COMMAND --help its options.
)";

// Prints a failure in one line and says which exit code it means.
int failure(std::ostream& err, std::string_view text, int code) {
  err << "warpath: " << clean_text(text) << '\n';
  return code;
}

int parse_and_run(CLI::App& app, std::vector<std::string> arguments, Io& io) {
  std::ranges::reverse(arguments);  // CLI11 takes the last first
  try {
    app.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    io.out << (chosen.empty() ? app.help() : chosen.front()->help("warpath"));
  } catch (const CLI::CallForVersion&) {
    io.out << "warpath " WARPATH_VERSION "\n";
  } catch (const CLI::ParseError& e) {
    return failure(io.err, fmt::format("{}; see warpath {}--help", e.what(),
                                       app.get_subcommands().empty()
                                           ? ""
                                           : app.get_subcommands().front()->get_name() + " "),
                   2);
  } catch (const UsageError& e) {
    return failure(io.err, e.what(), 2);
  } catch (const InputError& e) {
    return failure(io.err, e.what(), 1);
  } catch (const std::overflow_error& e) {
    return failure(io.err, fmt::format("{}; are positions and weights in metres?", e.what()), 1);
  } catch (const std::bad_alloc&) {
    return failure(io.err, "out of memory; score fewer agents at a time", 1);
  }
  return io.exit_code;
}

}  // namespace

int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  Io io{out, err};
  io.command_line = arguments;
  CLI::App app("Batch evaluation of navigation paths.", "warpath");
  app.set_version_flag("--version", "warpath " WARPATH_VERSION);
  app.require_subcommand(0, 1);
  add_demo(app, io);
  add_eval(app, io);
  add_explain(app, io);
  add_validate(app, io);
  add_presets(app, io);
  add_metrics(app, io);
  add_selftest(app, io);
  add_bench(app, io);

  int code = 0;
  if (arguments.empty()) {
    out << examples;
  } else {
    code = parse_and_run(app, arguments, io);
  }
  if (!out.flush() && code == 0) {
    return failure(err,
                   "standard output cannot be written; free some space, keep its reader running "
                   "or write to a file",
                   1);
  }
  return code;
}

}  // namespace warpath
