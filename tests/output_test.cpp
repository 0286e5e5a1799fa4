// Where results go: links, pipes and standard output, and what an output may not replace.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "host/io/output_file.hpp"
#include "host/report/json_writer.hpp"
#include "tests/support/files.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class Output : public ::testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::string graph = folder.write("graphs/s_connectivity.json", R"([
    {"image_id":"a","pose":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],"included":true,"unobstructed":[false,true]},
    {"image_id":"b","pose":[1,0,0,1, 0,1,0,0, 0,0,1,0, 0,0,0,1],"included":true,"unobstructed":[true,false]}])");
  const std::string data = folder.write("dataset.json", R"([
    {"path_id":"1","scan":"s","path":["a","b"],"instructions":[""],"heading":0,"distance":0}])");
  const std::string agent =
      folder.write("agent.json", R"([{"instr_id":"1_0","trajectory":[["a",0,0]]}])");

  Arguments eval(const Arguments& more) const {
    Arguments all{"eval", "--graphs", folder.path("graphs"), "--dataset", data, agent};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  static void write(const std::string& path, const std::string& content) {
    OutputFiles outputs;
    outputs.add(path, content);
    outputs.commit();
  }

  static std::string error_of(const std::string& path) {
    try {
      write(path, "new");
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
};

struct Program {
  int code;  // -1 where a signal ended it
  std::string err;
};

// Runs the program itself, its standard output being this descriptor.
Program run_program(const Arguments& arguments, int standard_output) {
  const TemporaryFolder folder;
  const std::string err = folder.write("err", "");
  std::string file = program();
  std::vector<char*> argv{file.data()};
  for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    ::dup2(standard_output, STDOUT_FILENO);
    ::dup2(::open(err.c_str(), O_WRONLY), STDERR_FILENO);
    ::execv(file.c_str(), argv.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(err)};
}

// ---------------------------------------------------------------- where it goes

TEST_F(Output, ALinkStaysALink) {
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

TEST_F(Output, ALinkToNothingIsRefusedAndKept) {
  const std::string dangling = folder.path("dangling"), loop = folder.path("loop");
  fs::create_symlink("nowhere", dangling);
  fs::create_symlink("loop", loop);
  EXPECT_NE(error_of(dangling).find("link to nothing; remove the link"), std::string::npos);
  EXPECT_NE(error_of(loop).find("leads to itself"), std::string::npos);
  EXPECT_TRUE(fs::is_symlink(dangling));
  EXPECT_TRUE(fs::is_symlink(loop));
  EXPECT_FALSE(fs::exists(folder.path("nowhere")));
}

TEST_F(Output, ALinkToADeviceStaysALink) {
  const std::string link = folder.path("null");
  fs::create_symlink("/dev/null", link);
  write(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Output, APipeIsWrittenThrough) {
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

TEST_F(Output, StandardOutputByItsPathIsNotReplaced) {
  const std::string file = folder.write("redirected", "");
  const int fd = ::open(file.c_str(), O_WRONLY);
  const Program program = run_program(eval({"--csv", "/dev/stdout"}), fd);
  EXPECT_EQ(program.code, 0) << program.err;
  EXPECT_TRUE(fs::is_symlink("/dev/stdout"));
  const std::string text = read_text(file);
  EXPECT_TRUE(text.starts_with("run,instr_id,")) << text;
  EXPECT_NE(text.find("  agent "), std::string::npos) << "the table is gone: " << text;
  struct stat opened {}, named {};
  ::fstat(fd, &opened);
  ::stat(file.c_str(), &named);
  EXPECT_EQ(opened.st_ino, named.st_ino);
  ::close(fd);
}

TEST_F(Output, AClosedPipeIsAFailedRun) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const auto before = folder.list();
  for (const char* csv : {"out.csv", "/dev/stdout"}) {
    const std::string path = *csv == '/' ? csv : folder.path(csv);
    const Program program =
        run_program(eval({"--json", folder.path("out.json"), "--csv", path}), ends[1]);
    EXPECT_EQ(program.code, 1);
    EXPECT_EQ(std::ranges::count(program.err, '\n'), 1) << program.err;
    EXPECT_NE(program.err.find("cannot be written"), std::string::npos) << program.err;
    EXPECT_EQ(folder.list(), before);
  }
  ::close(ends[1]);
}

// ---------------------------------------------------------------- what it may not replace

TEST_F(Output, AnInputIsNotOverwritten) {
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

TEST_F(Output, TwoOutputsAreTwoFiles) {
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

// RFC 4180, quotes and all.
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

TEST_F(Output, CsvQuotesWhatHasToBe) {
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

TEST(JsonWriter, IsUtf8WhateverItIsGiven) {
  JsonWriter writer;
  writer.open("", '{');
  writer.text("name", "ü\xff" "a\xe2\x82 \"\x01");
  writer.close('}');
  simdjson::dom::parser parser;
  EXPECT_EQ(std::string_view(parser.parse(writer.take())["name"]), "ü\uFFFDa\uFFFD\uFFFD \"\x01");
}

// ---------------------------------------------------------------- options

TEST_F(Output, PredictionsMayFollowAnOption) {
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

TEST_F(Output, AMetricNamedTwiceIsThereOnce) {
  const CliResult result = run(eval({"--csv", "-", "--quiet", "--metrics", "SR,sr,NE,SR"}));
  EXPECT_TRUE(result.out.starts_with("run,instr_id,scan,status,SR,NE\n")) << result.out;
}

TEST_F(Output, OutputsNeedAName) {
  for (const char* option : {"--csv", "--json"}) {
    EXPECT_EQ(run(eval({option, ""})).code, 2) << option;
  }
}

TEST(DemoOptions, SeedsAreWholeNumbersOf64Bits) {
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
