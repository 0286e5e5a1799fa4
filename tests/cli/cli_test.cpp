// Tests names, help, manual, completion and exit codes of the program.

#include "host/program/cli/cli.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <new>
#include <sstream>
#include <stdexcept>
#include <streambuf>

#include "host/core/base/suggest.hpp"
#include "host/files/io/terminal.hpp"
#include "host/program/cli/commands.hpp"
#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"
#include "warpath/metrics.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

constexpr const char* commands[]{
    "aggregate", "convert", "distances", "demo",      "eval",       "explain",      "rewards",
    "validate",  "random",  "merge",     "baseline",  "perturb",    "r4r",          "dataset",
    "presets",   "metrics", "selftest",  "bench",     "completion", "help",         "plot",
    "report",    "compare", "study",     "correlate", "traces",     "compatibility"};

// Those that only the Python package has, and the extras that bring what they need.
constexpr std::pair<const char*, const char*> package_commands[]{
    {"plot", "plot"},       {"report", "report"}, {"compare", "compare"},    {"study", "study"},
    {"correlate", "study"}, {"traces", "study"},  {"compatibility", "study"}};

// Holds what a shell command printed to both streams; "" and a code if it failed.
struct ShellResult {
  int code;
  std::string out;
};
ShellResult shell(const std::string& command) {
  FILE* pipe = ::popen(("{ " + command + "; } 2>&1").c_str(), "r");
  std::string out;
  char bytes[4096];
  for (std::size_t got; (got = std::fread(bytes, 1, sizeof bytes, pipe)) > 0;)
    out.append(bytes, got);
  return {::pclose(pipe), out};
}

bool has(const std::string& program) {
  return shell("command -v " + program).code == 0;
}

// ---------------------------------------------------------------- names

TEST(Suggest, FindsTheNameThatWasMeant) {
  const std::vector<std::string_view> names{"eval", "explain", "validate", "--metrics", "nDTW"};
  for (const auto& [wanted, meant] :
       {std::pair("evl", "eval"), std::pair("vale", ""), std::pair("EVAL", "eval"),
        std::pair("eavl", "eval"), std::pair("valdiate", "validate"), std::pair("val", "validate"),
        std::pair("--metric", "--metrics"), std::pair("ndwt", "nDTW"), std::pair("xyz", ""),
        std::pair("", ""), std::pair("e", "")}) {
    EXPECT_EQ(base::suggest(wanted, names), meant) << wanted;
  }
  EXPECT_EQ(base::suggest(std::string(100'000, 'e'), names), "");
  EXPECT_EQ(base::suggest("eval", {}), "");
}

TEST(Names, AreSuggestedAndListedIfMisspelled) {
  const auto says = [](const Arguments& arguments, const std::string& text) {
    const CliResult result = run(arguments);
    EXPECT_EQ(result.code, 2) << text;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(text), std::string::npos) << result.err;
  };
  says({"evl"}, "no command 'evl'; did you mean eval? there are demo, eval, ");
  says({"evl", "--graphs", "x"}, "no command 'evl'");
  says({"qqq"}, "no command 'qqq'; there are demo, ");
  says({"--vresion"}, "no option '--vresion'; did you mean --version? See warpath --help");
  says({"eval", "--metric", "SR"},
       "no option '--metric'; did you mean --metrics? See warpath eval");
  says({"eval", "--graph=x"}, "no option '--graph'; did you mean --graphs?");
  says({"eval", "--qqqqq"}, "no option '--qqqqq'; see warpath eval --help");
  says({"help", "evl"}, "did you mean eval?");
  says({"completion", "bsh"},
       "no completion for 'bsh'; did you mean bash? there are bash, zsh, fish");

  const Arguments eval{"eval", "--graphs", "g", "--dataset", "d", "p"};
  says(with(eval, {"--preset", "indooruav-vla"}), "say warpath aggregate --rules indooruav-vla");
  says(with(eval, {"--preset", "r2"}), "no preset 'r2'; did you mean r2r? there are paper, r2r, ");
  says(with(eval, {"--preset", "hmat"}), "did you mean hamt? ");
  says(with(eval, {"--metrics", "SR,nDWT"}),
       "no metric 'nDWT'; did you mean nDTW? there are PL, NE, ");
  says(with(eval, {"--backend", "cdua"}),
       "no back end 'cdua'; did you mean cuda? there are auto, ");
  says(with(eval, {"--success", "lte"}), "--success: 'lte' is none of lt|le; did you mean lt?");
  says(with(eval, {"--format", "evali"}),
       "no format 'evali'; did you mean evalai? there are r2r, ");
  says(with(eval, {"--ci", "boostrap"}), "did you mean bootstrap?");
}

TEST(Names, AreFoundInAnyLetterCase) {
  EXPECT_EQ(find_preset("R2R").convention.preset, "r2r");
  EXPECT_EQ(find_preset("Hamt").convention.preset, "hamt");
  EXPECT_EQ(find_backend("CPU"), Backend::cpu);
  Convention convention;
  for (const Setting& setting : settings()) {
    if (setting.name == "missing") setting.set(convention, "Skip");
  }
  EXPECT_EQ(convention.missing, Missing::skip);
  EXPECT_EQ(find_metric("ndtw"), Metric::nDTW);
  EXPECT_EQ(run({"help", "EVAL"}).out, run({"help", "eval"}).out);
  EXPECT_EQ(run({"completion", "BASH"}).out, run({"completion", "bash"}).out);
  EXPECT_EQ(run({"completion", "BASH"}).code, 0);
}

TEST(Names, FindPlAsTl) {
  EXPECT_EQ(find_metric("TL"), Metric::PL);
  EXPECT_EQ(find_metric("tl"), Metric::PL);
  EXPECT_NE(run({"metrics"}).out.find("also TL"), std::string::npos);
}

// ---------------------------------------------------------------- help

std::size_t width_of(const std::string& line) {
  return std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; });
}

TEST(Help, FitsEightyColumns) {
  std::vector<Arguments> all{{}, {"--help"}, {"help"}};
  for (const char* command : commands) all.push_back({command, "--help"});
  for (const Arguments& arguments : all) {
    const CliResult result = run(arguments);
    EXPECT_EQ(result.code, 0);
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(width_of(line), 80u) << line;
      EXPECT_FALSE(line.ends_with(' ')) << '"' << line << '"';
    }
  }
}

TEST(Help, IsTheSameByCommandAndOption) {
  for (const char* command : commands) {
    const CliResult result = run({"help", command});
    EXPECT_EQ(result.code, 0);
    EXPECT_EQ(result.out, run({command, "--help"}).out);
    EXPECT_NE(result.out.find(std::string("Usage: warpath ") + command), std::string::npos);
  }
  EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
}

TEST(Help, NamesExitCodes) {
  const std::string text = run({"--help"}).out;
  for (const char* code : {"\n  0 ", "\n  1 ", "\n  2 ", "130", "143", "\n  141 "}) {
    EXPECT_NE(text.find(code), std::string::npos) << code;
  }
}

TEST(Help, NamesTheValuesOfEveryOption) {
  const std::string text = run({"eval", "--help"}).out;
  for (const char* line : {"--graphs FOLDER", "--csv FILE", "--metrics METRIC,...",
                           "--success lt|le", "--backend auto|reference|cpu|cuda",
                           "--ci path|scan|none|bootstrap", "\nFiles\n", "\nConvention\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line;
  }
}

TEST(Help, IsShortWithoutArguments) {
  const CliResult result = run({});
  EXPECT_EQ(result.code, 0);
  EXPECT_LE(std::ranges::count(result.out, '\n'), 12);
}

// ---------------------------------------------------------------- manual and completion

TEST(Manual, NamesEveryCommandAndOption) {
  const std::string page = run({"help", "--man"}).out;
  EXPECT_TRUE(page.starts_with(".TH WARPATH 1 ")) << page.substr(0, 100);
  for (const char* command : commands) {
    EXPECT_NE(page.find(std::string(".SS ") + command + "\n"), std::string::npos) << command;
  }
  for (const Setting& setting : settings()) {
    std::string option = "\\-\\-";
    for (const char c : setting.name) option += c == '-' ? "\\-" : std::string(1, c);
    EXPECT_NE(page.find("\\fB" + option + "\\fR"), std::string::npos) << option;
  }
  for (const char* title : {".SH NAME", ".SH \"EXIT STATUS\"", ".SH ENVIRONMENT"}) {
    EXPECT_NE(page.find(title), std::string::npos) << title;
  }
  EXPECT_TRUE(std::ranges::all_of(page, [](unsigned char c) { return c < 0x80; }));
}

TEST(Manual, IsReadByGroffWithoutAWarning) {
  if (!has("groff")) GTEST_SKIP() << "no groff";
  const TemporaryFolder folder;
  const std::string page = folder.write("warpath.1", run({"help", "--man"}).out);
  const ShellResult warnings = shell("groff -man -ww -z '" + page + "'");
  EXPECT_EQ(warnings.code, 0);
  EXPECT_EQ(warnings.out, "");
  const ShellResult text = shell("groff -man -Tascii '" + page + "' | sed 's/.\\x08//g'");
  EXPECT_NE(text.out.find("--metrics"), std::string::npos) << text.out;
}

// Returns what a shell prints of a script.
std::string printed(const std::string& shell_name, const std::string& script) {
  const TemporaryFolder folder;
  std::string out = shell(shell_name + " '" + folder.write("complete", script) + "'").out;
  while (!out.empty() && (out.back() == '\n' || out.back() == ' ')) out.pop_back();
  return out;
}

// Returns the words that bash offers for the last word, which may be empty.
std::string completed(const std::string& script, const Arguments& words) {
  std::string line = ". '" + script + "'; COMP_WORDS=(" + program();
  for (const std::string& word : words) line += " '" + word + "'";
  line += "); COMP_CWORD=" + std::to_string(words.size());
  return printed("bash", line + "; _warpath; echo \"${COMPREPLY[@]}\"");
}

TEST(Completion, OffersCommandsOptionsAndValuesInBash) {
  if (!has("bash")) GTEST_SKIP() << "no bash";
  const TemporaryFolder folder;
  const std::string script = folder.write("warpath.bash", run({"completion", "bash"}).out);
  EXPECT_EQ(completed(script, {"e"}), "eval explain");
  EXPECT_EQ(completed(script, {"eval", "--thr"}), "--threshold");
  EXPECT_EQ(completed(script, {"eval", "--preset", "r4"}), "r4r r4r-hops");
  EXPECT_EQ(completed(script, {"eval", "--preset", "=", "env"}), "envdrop");
  EXPECT_EQ(completed(script, {"eval", "--success", ""}), "lt le");
  EXPECT_EQ(completed(script, {"eval", "--dtw", ""}), "exact fast:1 fast-compiled:1");
  EXPECT_EQ(completed(script, {"eval", "--metrics", "n_q"}), "n_query n_query_raw");
  EXPECT_EQ(completed(script, {"eval", "--metrics", "SR,SP"}), "SR,SPL SR,SP");
  EXPECT_EQ(completed(script, {"eval", "--backend", "c"}), "cpu cuda");
  EXPECT_EQ(completed(script, {"eval", "--csv", ""}), "") << "bash completes files";
  EXPECT_EQ(completed(script, {"selftest", "--"}), "--help --backend --pairs --seed");
  EXPECT_EQ(completed(script, {"completion", ""}), "bash zsh fish");
  EXPECT_EQ(completed(script, {"help", "val"}), "validate");
}

TEST(Completion, KeepsColonsAndMeanings) {
  EXPECT_EQ(run({"__complete", "eval", "--dtw", ""}).out, "exact\t\nfast:1\t\nfast-compiled:1\t\n");
  EXPECT_EQ(run({"__complete", "eval", "--dtw=f"}).out,
            "--dtw=fast:1\t\n--dtw=fast-compiled:1\t\n");
  EXPECT_EQ(run({"__complete", "metr"}).out,
            "metrics\tEvery metric: formula, unit, direction, paper\n");
  EXPECT_EQ(run({"__complete", "nothing", ""}).out, "");
  EXPECT_NE(run({"eval", "--help"}).out.find("--dtw exact|fast:1|fast-compiled:1\n"),
            std::string::npos);
  const std::string zsh = "compdef() { }; compadd() { print -r -- $offered }\n" +
                          run({"completion", "zsh"}).out + "words=('" + program() +
                          "' eval --dtw f); CURRENT=4; _warpath";
  if (has("zsh")) {
    EXPECT_EQ(printed("zsh", zsh), "fast:1 fast-compiled:1");
  }
  const std::string fish =
      run({"completion", "fish"}).out + "complete -C \"'" + program() + "' eval --dtw f\"";
  if (has("fish")) {
    EXPECT_EQ(printed("fish", fish), "fast:1\nfast-compiled:1");
  }
}

TEST(Completion, IsReadByEachShell) {
  const TemporaryFolder folder;
  const std::string offered = run({"__complete", ""}).out;
  for (const char* command : commands) {
    EXPECT_NE(offered.find(std::string(command) + '\t'), std::string::npos) << command;
    std::istringstream options(run({"__complete", command, "-"}).out);
    for (std::string line; std::getline(options, line);)
      EXPECT_TRUE(line.starts_with('-') && std::ranges::count(line, '\t') == 1) << line;
  }
  for (const char* name : {"bash", "zsh", "fish"}) {
    const CliResult result = run({"completion", name});
    EXPECT_EQ(result.code, 0);
    if (!has(name)) continue;
    const ShellResult read =
        shell(std::string(name) + " -n '" + folder.write(name, result.out) + "'");
    EXPECT_EQ(read.code, 0) << read.out;
  }
}

// ---------------------------------------------------------------- commands that are not there

TEST(OmittedChecks, SayHowToBuildThemWhateverFollows) {
  std::ostringstream out, err;
  cli::Io io{out, err};
  cli::Command program("warpath", "");
  cli::add_omitted_checks(program, io);
  for (const std::string name : {"selftest", "bench"}) {
    const cli::CommandLine line = cli::parse(program, {name, "--pairs", "3"});
    ASSERT_EQ(line.problem, "");
    EXPECT_EQ(line.command->name, name);
    try {
      line.command->run();
      ADD_FAILURE() << name;
    } catch (const InputError& error) {
      EXPECT_EQ(error.problem(), "this build leaves out " + name + ", as scripts/demo's does");
      EXPECT_NE(error.remedy().find("-DWARPATH_CHECKS=ON"), std::string::npos);
    }
  }
}

// ---------------------------------------------------------------- commands of the package

TEST(PackageCommands, NameThePackageWhateverFollows) {
  for (const auto& [command, extra] : package_commands) {
    const std::string name = command, package = extra;
    for (const Arguments& more : {Arguments{}, Arguments{"a.json", "--metrics", "SR", "-o", "x"}}) {
      const CliResult result = run(with({name}, more));
      EXPECT_EQ(result.code, 1);
      EXPECT_EQ(result.out, "");
      EXPECT_EQ(result.err,
                "warpath: " + name +
                    " is a command of the Python package; in the checkout: pip install \".[" +
                    package + "]\", then: python -m warpath " + name + "\n");
    }
    EXPECT_NE(run({name, "--help"}).out.find("\".[" + package + "]\""), std::string::npos);
  }
}

// ---------------------------------------------------------------- errors

// A stream whose writes throw.
class Throwing : public std::streambuf {
 public:
  explicit Throwing(std::function<void()> thrower) : throw_(std::move(thrower)) {}

 protected:
  int_type overflow(int_type) override {
    throw_();
    return traits_type::eof();
  }

 private:
  std::function<void()> throw_;
};

CliResult run_throwing(const std::function<void()>& thrower) {
  Throwing buffer(thrower);
  std::ostream out(&buffer);
  out.exceptions(std::ios::badbit);
  std::ostringstream err;
  const int code = cli::run_cli({"presets"}, out, err);
  return {code, "", err.str()};
}

TEST(Errors, EndInOneLineAndACode) {
  struct Case {
    std::function<void()> thrower;
    int code;
    std::string says;
  };
  const CudaError::Failure failure{"cudaMalloc", 2, "cudaErrorMemoryAllocation", "out of memory"};
  for (const Case& c :
       std::vector<Case>{{[] { throw InputError({"f"}, "a\nb", "c"); }, 1, "warpath: f: a b; c\n"},
                         {[] { throw UsageError("none"); }, 2, "warpath: none\n"},
                         {[&] { throw CudaError(failure, "use another GPU"); }, 1,
                          "warpath: cudaMalloc failed: cudaErrorMemoryAllocation, out of memory; "
                          "use another GPU\n"},
                         {[] { throw std::overflow_error("sum"); }, 1,
                          "warpath: sum; are positions and weights in metres?\n"},
                         {[] { throw std::bad_alloc(); }, 1, "warpath: out of memory; "},
                         {[] { throw std::logic_error("vector"); }, 1,
                          "warpath: vector; this is a bug: please report it\n"},
                         {[] { throw 7; }, 1, "warpath: an error that says nothing of itself; "}}) {
    const CliResult result = run_throwing(c.thrower);
    EXPECT_EQ(result.code, c.code) << c.says;
    EXPECT_TRUE(result.err.starts_with(c.says)) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

// ---------------------------------------------------------------- terminals

TEST(Terminals, HaveNoColoursAndTheEnvironmentsWidthForAFile) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::unsetenv("COLUMNS");
  const io::Terminal plain = io::terminal_of(ends[1]);
  EXPECT_FALSE(plain.is_terminal);
  EXPECT_FALSE(plain.colour);
  EXPECT_EQ(plain.width, 80);
  ::setenv("COLUMNS", "120", 1);
  EXPECT_EQ(io::terminal_of(ends[1]).width, 120);
  ::setenv("COLUMNS", "100000000", 1);
  EXPECT_EQ(io::terminal_of(ends[1]).width, 10'000);
  ::setenv("COLUMNS", "-7", 1);
  EXPECT_EQ(io::terminal_of(ends[1]).width, 80);
  ::unsetenv("COLUMNS");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Terminals, HaveColoursUnlessUserOrTerminalRefuses) {
  SKIP_WITHOUT_TERMINAL();
  const PseudoTerminal screen(133);
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(io::terminal_of(screen.end()).is_terminal);
  EXPECT_TRUE(io::terminal_of(screen.end()).colour);
  EXPECT_EQ(io::terminal_of(screen.end()).width, 133);
  ::setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(io::terminal_of(screen.end()).colour) << "empty is the same as not set";
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(io::terminal_of(screen.end()).colour);
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "dumb", 1);
  EXPECT_FALSE(io::terminal_of(screen.end()).colour);
}

}  // namespace
}  // namespace warpath::testing
