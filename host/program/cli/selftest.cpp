#include "host/checks/selftest/selftest.hpp"

#include <fmt/format.h>

#include <memory>
#include <random>

#include "host/program/cli/commands.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/report/table.hpp"

namespace warpath::cli {
namespace {

using selftest::Check;

constexpr std::string_view legend =
    "worst: the largest difference, absolute for fractions and relative for lengths (GP: to NE +\n"
    "d(r_1, r_|R|) + 1 m, EPL: to the length of R, DTW: in its error bound (|R|+|Q|)·2^-24; of\n"
    "points: to what rounding may do to that pair); where 0 is allowed, how many values differ\n";

std::string checks_text(const std::vector<Check>& checks) {
  report::Table table{{"check", "cases", "worst", "allowed", ""}, {}, "lrrrl"};
  for (const Check& check : checks) {
    table.rows.push_back({check.name, fmt::format("{}", check.cases),
                          fmt::format("{:.3g}", check.worst), fmt::format("{:.2g}", check.allowed),
                          check.ok ? "ok" : "FAILED"});
  }
  return table.render(report::Table::Style::text);
}

struct SelftestCommand {
  explicit SelftestCommand(Command& command) {
    add_backend_option(command, backend);
    command.add_option("--pairs", options.pairs, "random pairs to compare")
        .check(whole_number(1, 100'000'000))
        .show_default();
    seed_option =
        &command.add_option("--seed", options.seed, "repeats a run").check(whole_number());
  }

  void run(Io& io) {
    options.backend = resolve_backend(find_backend(backend), options.pairs).backend;
    if (!seed_option->is_given) options.seed = std::random_device()();
    const std::vector<Check> checks = run_selftest(options);
    const bool ok = passed(checks);
    io.out << checks_text(checks) << legend
           << fmt::format("{}, back end {}, seed {}\n", ok ? "PASS" : "FAIL", name(options.backend),
                          options.seed);
    io.exit_code = ok ? 0 : 1;
  }

  selftest::SelftestOptions options;
  std::string backend = "cpu";
  const Option* seed_option;
};

}  // namespace

void add_selftest(Command& program, Io& io) {
  Command& command =
      program.add_command("selftest", "Test this machine's back ends against the reference");
  auto options = std::make_shared<SelftestCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
