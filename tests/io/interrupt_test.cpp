// Tests the program itself: what it shows on a terminal, and how signals end it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support/files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/walk_scene.hpp"

namespace warpath::testing {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// This run would take minutes.
const Arguments long_selftest{"selftest", "--pairs", "40000", "--seed", "1"};

class Interrupt : public ::testing::Test {
 protected:
  ~Interrupt() override {
    ::close(nowhere);
    ::close(err_file);
  }

  // Evaluates that many items. The results of 5,000 fill a pipe.
  Arguments eval(int items, const Arguments& more) const {
    std::string predictions;
    for (int k = 0; k < items; ++k) {
      predictions += (k == 0 ? "[" : ",") + ("{\"instr_id\":\"" + std::to_string(k)) +
                     "_0\",\"trajectory\":[[\"a\",0,0]]}";
    }
    folder.write("agent.json", predictions + "]");
    return with({"eval", "--graphs", graph, "--dataset", data, folder.path("agent.json"),
                 "--missing", "skip"},
                more);
  }

  std::string err() const { return read_text(folder.path("err")); }

  const TemporaryFolder folder;
  const std::string graph =
      folder.write("graph.json", R"({"scan":"s","nodes":[{"id":"a","position":[0,0,0]},
                                {"id":"b","position":[1,0,0]}],"edges":[["a","b"]]})");
  const std::string data = folder.write("dataset.json", R"([
    {"path_id":"0","scan":"s","path":["a","b"],"instructions":[""],"heading":0,"distance":0}])");
  const int nowhere = ::open("/dev/null", O_WRONLY);
  const int err_file = ::open(folder.write("err", "").c_str(), O_WRONLY);
};

TEST_F(Interrupt, ShowsProgressAndThenWhatWasDoneOnATerminal) {
  SKIP_WITHOUT_TERMINAL();
  PseudoTerminal terminal(100);
  Program program(long_selftest, {nowhere, terminal.end()});
  ASSERT_NE(terminal.read_until("testing paths of viewpoints: ").find(",000 pairs"),
            std::string::npos);
  const auto sent = Clock::now();
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 128 + SIGINT);
  EXPECT_LT(Clock::now() - sent, std::chrono::milliseconds(1500));
  const std::string text = terminal.read_until("written");
  const std::size_t message =
      text.find("\rwarpath: interrupted while testing paths of viewpoints: ");
  ASSERT_NE(message, std::string::npos) << text;
  EXPECT_NE(text.find(",000 pairs; no file was written", message), std::string::npos) << text;
}

TEST_F(Interrupt, ShowsNoProgressInAPipe) {
  Program program({"bench", "--backend", "reference", "--seconds", "0.1"}, {nowhere, err_file});
  EXPECT_EQ(program.wait(), 0);
  EXPECT_EQ(err(), "");
}

TEST_F(Interrupt, LeavesNoTemporaryFileAfterEachSignal) {
  const std::string pipe = folder.path("pipe"), json = folder.path("out.json");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Arguments arguments = eval(1, {"--json", json, "--csv", pipe, "--quiet"});
  const auto before = folder.list();
  for (const auto& [signal, word] :
       {std::pair(SIGINT, "interrupted"), std::pair(SIGTERM, "terminated"),
        std::pair(SIGHUP, "hung up"), std::pair(SIGQUIT, "ended by SIGQUIT"),
        std::pair(SIGUSR1, "ended by SIGUSR1"), std::pair(SIGUSR2, "ended by SIGUSR2")}) {
    folder.write("err", "");
    Program program(arguments, {nowhere, err_file});
    // The pipe has no reader, so the program waits there after writing the other file.
    ASSERT_TRUE(program.wait_until_it_writes(folder.path("out.json")));
    const auto sent = Clock::now();
    program.send(signal);
    EXPECT_EQ(program.wait(), 128 + signal);
    EXPECT_LT(Clock::now() - sent, std::chrono::milliseconds(1500));
    EXPECT_NE(err().find(std::string("warpath: ") + word + "; no file was written\n"),
              std::string::npos)
        << err();
    EXPECT_EQ(folder.list(), before);
  }
}

TEST_F(Interrupt, LeavesNoTemporaryFileWhenItIsKilled) {
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int probe = ::open(folder.path("").c_str(), O_TMPFILE | O_WRONLY, 0600);
  if (probe < 0) GTEST_SKIP() << "the file system has no files without a name";
  ::close(probe);
  const Arguments arguments = eval(1, {"--json", folder.path("out.json"), "--csv", pipe});
  const auto before = folder.list();
  Program program(arguments, {nowhere, err_file});
  ASSERT_TRUE(program.wait_until_it_writes(folder.path("out.json")));
  program.send(SIGKILL);
  EXPECT_EQ(program.wait(), 128 + SIGKILL);
  EXPECT_EQ(folder.list(), before);
}

TEST_F(Interrupt, ReportsAPipeThatIsIncomplete) {
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  Program program(eval(5000, {"--csv", pipe, "--quiet"}), {nowhere, err_file});
  pollfd ready{reader, POLLIN, 0};
  ASSERT_EQ(::poll(&ready, 1, 10'000), 1) << err();
  program.send(SIGINT);
  EXPECT_EQ(program.wait(), 128 + SIGINT);
  ::close(reader);
  EXPECT_NE(err().find("no file was written, " + pipe + " in part"), std::string::npos) << err();
}

TEST_F(Interrupt, KeepsIgnoringASignalIgnoredFromOutside) {
  SKIP_WITHOUT_TERMINAL();
  PseudoTerminal terminal(100);
  Program program(long_selftest, {.out = nowhere, .err = terminal.end(), .ignored_signal = SIGHUP});
  terminal.read_until("testing");
  program.send(SIGHUP);
  program.send(SIGTERM);
  EXPECT_EQ(program.wait(), 128 + SIGTERM);
  EXPECT_NE(terminal.read_until("warpath: terminated").find("warpath: terminated"),
            std::string::npos);
}

// ---------------------------------------------------------------- a run that reports what it did

class InterruptedWalks : public Interrupt {
 protected:
  // Would take days.
  Arguments random(const Arguments& more) const {
    return with({"random", "--graphs", graph, "--dataset", data, "--metrics", "NE,PL"}, more);
  }
  const Arguments endless{"--walks", "1000000000000000",    "--json", folder.path("out.json"),
                          "--csv",   folder.path("out.csv")};
};

TEST_F(InterruptedWalks, AreReportedAsFarAsTheyWereDone) {
  SKIP_WITHOUT_TERMINAL();
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
    PseudoTerminal terminal(100);
    const int out = ::open(folder.write("out", "").c_str(), O_WRONLY);
    Program program(random(endless), {out, terminal.end()});
    ::close(out);
    terminal.read_until(" of 1,000,000,000,000,000 walks, ");
    program.send(signal);
    EXPECT_EQ(program.wait(), 128 + signal);
    const std::string json = read_text(folder.path("out.json")), csv = folder.path("out.csv");
    EXPECT_NE(json.find("\"complete\": false"), std::string::npos) << json;
    const std::string done = number_of(json, "PL", "n");
    EXPECT_NE(json.find("\"done\": " + done + ","), std::string::npos) << json;
    const std::string table = read_text(folder.path("out"));
    for (const std::string& part :
         {std::string("random (interrupted)"), "--walks " + done + " has them",
          "interrupted: the first " + done + " of 1000000000000000 walks"}) {
      EXPECT_NE(table.find(part), std::string::npos) << part << " is not in " << table;
    }
    // A run of so many walks has the same values.
    const CliResult again =
        run(random({"--walks", done, "--json", "-", "--quiet", "--csv", folder.path("again.csv")}));
    ASSERT_EQ(again.code, 0) << again.err;
    const auto runs = [](const std::string& text) {
      return text.substr(text.find("\"runs\""), text.find("\"run_info\"") - text.find("\"runs\""));
    };
    EXPECT_EQ(runs(json), runs(again.out));
    EXPECT_EQ(read_text(csv), read_text(folder.path("again.csv")));
  }
}

TEST_F(InterruptedWalks, EndAtOnceAtTheSecondSignal) {
  SKIP_WITHOUT_TERMINAL();
  PseudoTerminal terminal(100);
  Program program(random(endless), {nowhere, terminal.end()});
  terminal.read_until(" of 1,000,000,000,000,000 walks, ");
  program.send(SIGTERM);
  program.send(SIGINT);  // another one, because equal signals may arrive as one
  const int code = program.wait();
  EXPECT_TRUE(code == 128 + SIGINT || code == 128 + SIGTERM) << code;
  const std::string text = terminal.read_until("written");
  EXPECT_NE(text.find(" while walking: "), std::string::npos) << text;
  EXPECT_NE(text.find(" walks; no file was written"), std::string::npos) << text;
  for (const std::string& name : folder.list()) EXPECT_FALSE(name.starts_with("out.")) << name;
}

TEST_F(InterruptedWalks, HangUpAtOnce) {
  SKIP_WITHOUT_TERMINAL();
  PseudoTerminal terminal(100);
  Program program(random(endless), {nowhere, terminal.end()});
  terminal.read_until(" of 1,000,000,000,000,000 walks, ");
  program.send(SIGHUP);
  EXPECT_EQ(program.wait(), 128 + SIGHUP);
}

}  // namespace
}  // namespace warpath::testing
