// Tests the program itself where the system refuses it something: threads, memory, files without a
// name.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "tests/support/good_files.hpp"
#include "tests/support/program.hpp"

namespace warpath::testing {
namespace {

namespace fs = std::filesystem;

class Limits : public ::testing::Test {
 protected:
  struct Result {
    int code;
    std::string err;
  };

  Result run_program(const Arguments& arguments, Program::Surroundings surroundings) const {
    const int out = ::open("/dev/null", O_WRONLY);
    const std::string file = scene.folder.write("err", "");
    surroundings.out = out;
    surroundings.err = ::open(file.c_str(), O_WRONLY);
    Program program(arguments, surroundings);
    const int code = program.wait();
    ::close(out);
    ::close(surroundings.err);
    const std::string err = read_text(file);
    fs::remove(file);
    return {code, err};
  }

  // Runs it with the library of failing calls; its path is empty in builds that have none.
  Result run_failing(const Arguments& arguments, const std::string& what) const {
    return run_program(
        arguments, {.out = -1, .err = -1, .environment = {"LD_PRELOAD=" + failing_calls(), what}});
  }

  Arguments fix(const std::string& file) const {
    return {"validate", "--graphs",  scene.graphs, "--dataset",
            scene.data, scene.agent, "--fix",      file};
  }

  const Scene scene{};
};

bool is_one_line_of(const std::string& text, const std::string& part) {
  return std::ranges::count(text, '\n') == 1 && text.starts_with("warpath: ") &&
         text.find(part) != std::string::npos;
}

// ---------------------------------------------------------------- threads

TEST_F(Limits, RunsWithoutRoomForAThread) {
  if (failing_calls().empty()) GTEST_SKIP() << "a sanitizer starts threads of its own";
  ::chmod(scene.folder.path().c_str(), 0777);
  const auto at = [&](const Arguments& arguments, int threads) {
    return run_program(arguments, {.out = -1, .err = -1, .max_threads = threads});
  };
  const Result version = at({"--version"}, 0);
  if (version.code == 126 || version.code == 127) GTEST_SKIP() << "nobody may not run the program";
  EXPECT_EQ(version.code, 0) << version.err;
  EXPECT_EQ(version.err, "");
  for (const int threads : {0, 1, 2, 3}) {
    const Result result = at(scene.eval(), threads);
    // Where there is room for the thread of the signals alone, the library of threads fails.
    const bool is_refused = threads > 0 && result.code == 1 &&
                            is_one_line_of(result.err, "no room for another thread; raise");
    EXPECT_TRUE(result.code == 0 || is_refused) << threads << ": " << result.err;
  }
}

// ---------------------------------------------------------------- memory

TEST_F(Limits, EndInOneLineWhereAnAllocationFails) {
  if (failing_calls().empty()) GTEST_SKIP() << "no library to preload in this build";
  const auto before = scene.folder.list();
  // Spread over a run, which makes some ten thousand allocations; the first are the loader's.
  for (int failure = 0; failure < 20'000; failure += 1 + failure / 6) {
    for (const char* alone : {"", ",1"}) {
      const Result result =
          run_failing(scene.eval(), "WARPATH_FAIL_MALLOC=" + std::to_string(failure) + alone);
      if (result.code == 0) {
        fs::remove(scene.folder.path("out.json"));
        fs::remove(scene.folder.path("out.csv"));
        continue;
      }
      EXPECT_EQ(result.code, 1) << failure << alone << ": " << result.err;
      EXPECT_TRUE(is_one_line_of(result.err, "; ")) << failure << alone << ": " << result.err;
      EXPECT_EQ(scene.folder.list(), before);
    }
  }
}

// ---------------------------------------------------------------- files

TEST_F(Limits, WriteFilesOfOtherFileSystems) {
  if (failing_calls().empty()) GTEST_SKIP() << "no library to preload in this build";
  const std::string file = scene.folder.path("fixed.json");
  for (const char* without : {"WARPATH_FAIL_TMPFILE=1", "WARPATH_FAIL_RENAMEAT2=1"}) {
    const auto run_without = [&](const Arguments& arguments) {
      Program::Surroundings both{
          .out = -1,
          .err = -1,
          .environment = {"LD_PRELOAD=" + failing_calls(), "WARPATH_FAIL_TMPFILE=1", without}};
      return run_program(arguments, both);
    };
    const Result made = run_without(fix(file));
    EXPECT_EQ(made.code, 0) << made.err;
    const std::string text = read_text(file);
    EXPECT_NE(text.find("1_0"), std::string::npos);
    EXPECT_EQ(run_without(fix(file)).code, 2) << "it is there";
    EXPECT_EQ(run_without(scene.eval()).code, 0);
    EXPECT_EQ(run_without(scene.eval()).code, 0) << "reports may be replaced";
    EXPECT_EQ(read_text(file), text);
    for (const std::string& name : scene.folder.list()) {
      EXPECT_EQ(name.find(".json."), std::string::npos) << name;
    }
    fs::remove(file);
  }
}

// ---------------------------------------------------------------- settings of libraries

TEST_F(Limits, SayWhichVariableTakesTheParserAway) {
  const Result result =
      run_program(scene.eval(),
                  {.out = -1, .err = -1, .environment = {"SIMDJSON_FORCE_IMPLEMENTATION=garbage"}});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            "warpath: SIMDJSON_FORCE_IMPLEMENTATION: 'garbage' is no JSON parser that this "
            "processor has; unset this environment variable\n");
}

}  // namespace
}  // namespace warpath::testing
