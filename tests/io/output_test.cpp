// Tests where results go: links, pipes and standard output, and what an output may not replace.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "host/files/io/output_file.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"
#include "tests/support/program.hpp"
#include "tests/support/standard_input.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

namespace fs = std::filesystem;
class Output : public ::testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::string graph = folder.write("graphs/s_connectivity.json", R"([
    {"image_id":"a","pose":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],"included":true,"unobstructed":[false,true]},
    {"image_id":"b","pose":[1,0,0,2, 0,1,0,0, 0,0,1,0, 0,0,0,1],"included":true,"unobstructed":[true,false]}])");
  const std::string data = folder.write("dataset.json", R"([
    {"path_id":"1","scan":"s","path":["a","b"],"instructions":[""],"heading":0,"distance":0}])");
  const std::string agent =
      folder.write("agent.json", R"([{"instr_id":"1_0","trajectory":[["a",0,0]]}])");

  Arguments eval(const Arguments& more) const {
    return with({"eval", "--graphs", folder.path("graphs"), "--dataset", data, agent}, more);
  }

  static void write(const std::string& path, const std::string& content) {
    io::OutputFiles outputs;
    outputs.add(path, content);
    outputs.commit();
  }

  static std::string error_of(const std::string& path) {
    return testing::error_of_call([&] { write(path, "new"); });
  }
};

struct Result {
  int code;
  std::string err;
};

// Runs the program itself with this descriptor as its standard output.
Result run_program(const Arguments& arguments, int standard_output) {
  const TemporaryFolder folder;
  const int err = ::open(folder.write("err", "").c_str(), O_WRONLY);
  Program program(arguments, {standard_output, err});
  ::close(err);
  const int code = program.wait();
  return {code, read_text(folder.path("err"))};
}

// ---------------------------------------------------------------- where it goes

TEST_F(Output, WritesAContentInParts) {
  const std::string path = folder.path("parts.txt");
  io::OutputFiles outputs;
  int parts = 0;
  outputs.add(path, [&](std::string& part) {
    EXPECT_EQ(part, "") << "each part begins empty";
    part = std::string(100'000, static_cast<char>('a' + parts));
    return parts++ < 3;
  });
  EXPECT_FALSE(fs::exists(path));
  outputs.commit();
  EXPECT_EQ(read_text(path),
            std::string(100'000, 'a') + std::string(100'000, 'b') + std::string(100'000, 'c'));
}

TEST_F(Output, KeepsALinkAndWritesItsTarget) {
  const std::string real = folder.write("elsewhere/real.json", "old");
  const std::string link = folder.path("link.json"), second = folder.path("second.json");
  fs::create_symlink("elsewhere/real.json", link);
  fs::create_symlink(link, second);
  const auto before = folder.list();
  write(second, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_symlink(second));
  EXPECT_EQ(read_text(real), "new");
  EXPECT_EQ(folder.list(), before);
}

TEST_F(Output, RefusesAndKeepsALinkToNothing) {
  const std::string dangling = folder.path("dangling"), loop = folder.path("loop");
  fs::create_symlink("nowhere", dangling);
  fs::create_symlink("loop", loop);
  EXPECT_NE(error_of(dangling).find("link to nothing; remove the link"), std::string::npos);
  EXPECT_NE(error_of(loop).find("leads to itself"), std::string::npos);
  EXPECT_TRUE(fs::is_symlink(dangling));
  EXPECT_TRUE(fs::is_symlink(loop));
  EXPECT_FALSE(fs::exists(folder.path("nowhere")));
}

TEST_F(Output, KeepsALinkToADevice) {
  const std::string link = folder.path("null");
  fs::create_symlink("/dev/null", link);
  write(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Output, WritesToAPipe) {
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_text(pipe); });
  const CliResult result = run(eval({"--csv", pipe, "--quiet"}));
  reader.join();
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(got.starts_with("run,instr_id,")) << got;
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(Output, DoesNotReplaceStandardOutputGivenByItsPath) {
  const std::string file = folder.write("redirected", "");
  const int fd = ::open(file.c_str(), O_WRONLY);
  const Result program = run_program(eval({"--csv", "/dev/stdout"}), fd);
  EXPECT_EQ(program.code, 0) << program.err;
  EXPECT_TRUE(fs::is_symlink("/dev/stdout"));
  const std::string text = read_text(file);
  EXPECT_TRUE(text.starts_with("run,instr_id,")) << text;
  EXPECT_NE(text.find("  agent "), std::string::npos) << "the table is gone: " << text;
  struct stat opened {
  }, named{};
  ::fstat(fd, &opened);
  ::stat(file.c_str(), &named);
  EXPECT_EQ(opened.st_ino, named.st_ino);
  ::close(fd);
}

// A pipe without a reader.
class ClosedPipe {
 public:
  ClosedPipe() {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    ::close(ends[0]);
    end_ = ends[1];
  }
  ~ClosedPipe() { ::close(end_); }
  int end() const { return end_; }

 private:
  int end_;
};

TEST_F(Output, EndsSilentlyIfItsReaderGoesAway) {
  const ClosedPipe pipe;
  for (const Arguments& arguments :
       {Arguments{"presets"}, eval({}), eval({"--csv", "-", "--quiet"}),
        eval({"--csv", "/dev/stdout"})}) {
    const Result result = run_program(arguments, pipe.end());
    EXPECT_EQ(result.code, 128 + SIGPIPE) << arguments.back();
    EXPECT_EQ(result.err, "") << arguments.back();
  }
}

TEST_F(Output, KeepsFilesCompleteIfItsReaderGoesAway) {
  const ClosedPipe pipe;
  const std::string json = folder.path("out.json"), csv = folder.path("out.csv");
  ASSERT_EQ(run(eval({"--json", json, "--csv", csv})).code, 0);
  const std::string rows = read_text(csv);
  fs::remove(json);
  fs::remove(csv);
  EXPECT_EQ(run_program(eval({"--json", json, "--csv", csv}), pipe.end()).code, 128 + SIGPIPE);
  EXPECT_EQ(read_text(csv), rows);
  EXPECT_TRUE(read_text(json).ends_with("}\n"));
}

TEST_F(Output, FailsIfANamedPipeLosesItsReader) {
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string ids;
  for (int k = 0; k < 5000; ++k)
    ids += ",{\"instr_id\":\"unknown" + std::to_string(k) + "\",\"trajectory\":[]}";
  folder.write("agent.json", R"([{"instr_id":"1_0","trajectory":[["a",0,0]]})" + ids + "]");
  const int end = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  std::thread reader([&] {
    pollfd ready{end, POLLIN, 0};
    ::poll(&ready, 1, 10'000);
    ::close(end);
  });
  const int out = ::open("/dev/null", O_WRONLY);
  const Result result = run_program(eval({"--csv", pipe, "--json", folder.path("out.json")}), out);
  reader.join();
  ::close(out);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("pipe: cannot be written: Broken pipe; keep its reader running"),
            std::string::npos)
      << result.err;
  EXPECT_FALSE(fs::exists(folder.path("out.json")));
}

TEST_F(Output, ReportsAFullStandardOutput) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full";
  const Result result = run_program(eval({"--json", folder.path("out.json")}), full);
  ::close(full);
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("standard output: cannot be written: No space left on device; "
                            "free some space"),
            std::string::npos)
      << result.err;
  EXPECT_FALSE(fs::exists(folder.path("out.json")));
}

TEST_F(Output, LeavesNoReportWherePredictionsCannotGoToStandardOutput) {
  const int full = ::open("/dev/full", O_WRONLY);
  if (full < 0) GTEST_SKIP() << "no /dev/full";
  const std::string json = folder.path("out.json");
  const Arguments baseline{"baseline",  "stop", "--graphs", folder.path("graphs"),
                           "--dataset", data,   "--out",    "-",
                           "--json",    json};
  const Result failed = run_program(baseline, full);
  ::close(full);
  EXPECT_EQ(failed.code, 1);
  EXPECT_NE(failed.err.find("standard output: cannot be written"), std::string::npos) << failed.err;
  EXPECT_FALSE(fs::exists(json));
  const int null = ::open("/dev/null", O_WRONLY);
  const Result written = run_program(baseline, null);
  ::close(null);
  EXPECT_EQ(written.code, 0) << written.err;
  EXPECT_TRUE(fs::exists(json));
}

TEST_F(Output, FailsWithARemedyForAFileBeyondTheLimit) {
  const std::string file = folder.path("out.csv");
  const auto before = folder.list();
  const int out = ::open("/dev/null", O_WRONLY);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Program program(eval({"--csv", file}), {.out = out, .err = ends[1], .max_file_bytes = 4});
  ::close(out);
  ::close(ends[1]);
  EXPECT_EQ(program.wait(), 1);
  std::string err(1000, '\0');
  err.resize(
      static_cast<std::size_t>(std::max<ssize_t>(::read(ends[0], err.data(), err.size()), 0)));
  ::close(ends[0]);
  EXPECT_NE(err.find("File too large; raise the limit of file sizes (ulimit -f)"),
            std::string::npos)
      << err;
  EXPECT_EQ(folder.list(), before);
}

// ---------------------------------------------------------------- what it may not replace

TEST_F(Output, DoesNotOverwriteAnInput) {
  const std::string task = folder.write("task.csv", "1_0,1\n");
  const std::string link = folder.path("link.json");
  fs::create_symlink(agent, link);
  const auto before = folder.list();
  for (const std::string& input :
       {graph, data, agent, link, task, folder.path("graphs/../agent.json")}) {
    const std::string content = read_text(input);
    for (const char* option : {"--json", "--csv"}) {
      const CliResult result = run(eval({"--task-success", task, option, input}));
      EXPECT_EQ(result.code, 2);
      EXPECT_NE(result.err.find("would overwrite the input"), std::string::npos) << result.err;
      EXPECT_EQ(read_text(input), content);
    }
  }
  EXPECT_EQ(folder.list(), before);
}

TEST_F(Output, DoesNotOverwriteAGraphOfAnyFormat) {
  for (const char* name :
       {"s.json", "s.json.gz", "s_navigable.json", "s.csv", "nodes.txt", "links.txt"}) {
    const std::string file = folder.write(std::string("graphs/") + name, "a graph");
    for (const char* option : {"--json", "--csv"}) {
      const CliResult result = run(eval({option, file}));
      EXPECT_EQ(result.code, 2) << name;
      EXPECT_NE(result.err.find("would overwrite the input"), std::string::npos) << result.err;
      EXPECT_EQ(read_text(file), "a graph");
    }
  }
}

TEST_F(Output, ReplacesReportsAmongTheGraphs) {
  const std::string json = folder.path("graphs/out.json"), csv = folder.path("graphs/out.csv");
  for (const char* metrics : {"SR", "NE"}) {
    const CliResult result = run(eval({"--metrics", metrics, "--json", json, "--csv", csv}));
    EXPECT_EQ(result.code, 0) << result.err;
  }
  EXPECT_TRUE(read_text(csv).starts_with("run,instr_id,scan,status,NE\n")) << read_text(csv);
  EXPECT_EQ(run(eval({"--json", folder.write("graphs/empty.json", "")})).code, 0);
}

TEST_F(Output, DoesNotOverwriteStandardInput) {
  const StandardInput input(agent);
  const std::string content = read_text(agent);
  Arguments arguments = eval({"--json", agent});
  *std::ranges::find(arguments, agent) = "-";
  const CliResult result = run(arguments);
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("would overwrite the input standard input"), std::string::npos)
      << result.err;
  EXPECT_EQ(read_text(agent), content);
}

// ---------------------------------------------------------------- two programs at once

TEST_F(Output, KeepsWhatAnotherProgramWroteMeanwhile) {
  using enum io::OutputFiles::Old;
  const std::string path = folder.path("new.json"), report = folder.path("report.json");
  io::OutputFiles first, second;
  first.add(path, "first", kept);
  second.add(report, "report");
  second.add(path, "second", kept);
  first.commit();
  const std::string refused = testing::error_of_call([&] { second.commit(); });
  EXPECT_NE(refused.find("new.json: exists: another program made it meanwhile; name another file "
                         "or say --force"),
            std::string::npos)
      << refused;
  EXPECT_EQ(read_text(path), "first");
  EXPECT_FALSE(fs::exists(report)) << "a failed run leaves no files";
  EXPECT_FALSE(fs::exists(folder.path("new.json.")));
}

TEST_F(Output, ReplacesAnEmptyFileAndWhatItMayReplace) {
  using enum io::OutputFiles::Old;
  const std::string empty = folder.write("empty.json", ""), full = folder.write("full.json", "old");
  fs::permissions(full, fs::perms::owner_read | fs::perms::owner_write);
  const auto before = folder.list();
  io::OutputFiles files;
  files.add(empty, "new", kept);
  files.add(full, "new", replaced);
  files.commit();
  EXPECT_EQ(read_text(empty), "new");
  EXPECT_EQ(read_text(full), "new");
  EXPECT_EQ(fs::status(full).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(folder.list(), before);
}

TEST_F(Output, LetsOneOfManyRunsMakeAFile) {
  constexpr int runs = 8;
  const std::string out = folder.path("fixed.json");
  std::vector<CliResult> results(runs);
  std::vector<std::thread> threads;
  for (int k = 0; k < runs; ++k) {
    threads.emplace_back([&, k] {
      results[static_cast<std::size_t>(k)] = run(
          {"validate", "--graphs", folder.path("graphs"), "--dataset", data, agent, "--fix", out});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::ranges::count(results, 0, &CliResult::code), 1);
  for (const CliResult& result : results) {
    if (result.code == 0) continue;
    EXPECT_NE(result.err.find("say --force"), std::string::npos) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

TEST_F(Output, RefusesTwoOutputsToOneFile) {
  const std::string file = folder.path("out");
  const auto before = folder.list();
  for (const auto& [json, csv] : {std::pair(file, file), std::pair(file, folder.path("./out")),
                                  std::pair(std::string("-"), std::string("-"))}) {
    const CliResult result = run(eval({"--json", json, "--csv", csv}));
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find("--json and --csv would both write to"), std::string::npos);
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(folder.list(), before);
}

// ---------------------------------------------------------------- what is in it

// Parses CSV as in RFC 4180, with quotes.
std::vector<std::vector<std::string>> parse_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      rows.back().back() += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      rows.back().emplace_back();
    } else if (c == '\n' && !quoted) {
      rows.push_back({""});
    } else {
      rows.back().back() += c;
    }
  }
  rows.pop_back();
  return rows;
}

TEST_F(Output, QuotesCsvCellsThatNeedIt) {
  folder.write("dataset.json", R"([{"path_id":"a,\"b\"\nc","scan":"s","path":["a","b"],
    "instructions":["",""],"heading":0,"distance":0}])");
  folder.write("agent.json", R"({"a,\"b\"\nc_0":[["a"]],"a,\"b\"\nc_1":[["a"]]})");
  const CliResult result = run(eval({"--csv", "-", "--metrics", "SR,NE"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = parse_csv(result.out);
  ASSERT_EQ(rows.size(), 3u) << result.out;
  for (const auto& row : rows) EXPECT_EQ(row.size(), 6u);
  EXPECT_EQ(rows[1][1], "a,\"b\"\nc_0");
  EXPECT_EQ(rows[2][1], "a,\"b\"\nc_1");
  EXPECT_EQ(rows[2][4], "1");
}

// ---------------------------------------------------------------- options

TEST_F(Output, AcceptsPredictionsAfterAnOption) {
  const std::string task = folder.write("task.csv", "1_0,0.5\n");
  const Arguments start{"eval", "--graphs", folder.path("graphs"), "--dataset", data};
  for (Arguments more :
       {Arguments{"--task-success", task, agent}, Arguments{"--format", "evalai", agent},
        Arguments{"--format", "r2r", "--format", "evalai", agent}}) {
    more.insert(more.begin(), start.begin(), start.end());
    const CliResult result = run(more);
    EXPECT_EQ(result.code, 0) << result.err;
  }
}

TEST_F(Output, WritesAMetricNamedTwiceOnce) {
  const CliResult result = run(eval({"--csv", "-", "--quiet", "--metrics", "SR,sr,NE,SR"}));
  EXPECT_TRUE(result.out.starts_with("run,instr_id,scan,status,SR,NE\n")) << result.out;
}

TEST_F(Output, RefusesAnEmptyName) {
  for (const char* option : {"--csv", "--json"}) {
    EXPECT_EQ(run(eval({option, ""})).code, 2) << option;
  }
}

TEST(DemoOptions, AcceptSeedsOf64BitsOnly) {
  const TemporaryFolder folder;
  for (const char* seed : {"-1", "18446744073709551616", "1x", "", "0x10"}) {
    const CliResult result = run({"demo", "--out", folder.path("demo"), "--seed", seed});
    EXPECT_EQ(result.code, 2) << seed;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
  EXPECT_FALSE(fs::exists(folder.path("demo")));
  EXPECT_EQ(run({"demo", "--out", folder.path("demo"), "--seed", "18446744073709551615"}).code, 0);
}

}  // namespace
}  // namespace warpath::testing
