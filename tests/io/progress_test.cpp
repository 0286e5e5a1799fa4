// Tests how progress is shown on a terminal, with a fake screen and clock.

#include "host/core/base/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "host/checks/pairs.hpp"
#include "tests/support/files.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

// Emulates a terminal of one line.
class ScreenTest : public ::testing::Test {
 protected:
  base::ProgressLine::Screen screen(int columns = 80) {
    return {columns, [this](std::string_view text) { show(text); }, [this] { return now; }};
  }

  void show(std::string_view text) {
    writes.emplace_back(text);
    for (const char c : text) {
      if (c == '\r') {
        cursor = 0;
        continue;
      }
      line.resize(std::max(line.size(), cursor + 1), ' ');
      line[cursor++] = c;
    }
  }

  // Returns the text without trailing blanks.
  std::string shown() const { return line.substr(0, line.find_last_not_of(' ') + 1); }

  double now = 100.0;
  std::vector<std::string> writes;
  std::string line;
  std::size_t cursor = 0;
};

TEST_F(ScreenTest, ShowsAmountRateAndRemainingTime) {
  base::ProgressLine on_screen(screen());
  base::Progress progress("scoring", 45'234, "pairs");
  progress.add(12'000);
  now += 4.0;
  on_screen.draw();
  EXPECT_EQ(shown(), "scoring: 12,000 of 45,234 pairs, 3,000/s, 12 s left");
  progress.add(33'234);
  on_screen.draw();
  EXPECT_EQ(shown(), "scoring: 45,234 of 45,234 pairs, 11,308/s, 0 s left");
}

TEST_F(ScreenTest, ShowsDecimalsAndMinutesForSlowWork) {
  base::ProgressLine on_screen(screen());
  base::Progress progress("timing", 1000, "rows");
  progress.add(10);
  now += 20.0;
  on_screen.draw();
  EXPECT_EQ(shown(), "timing: 10 of 1,000 rows, 0.5/s, 33 min 00 s left");
  now += 180.0;
  on_screen.draw();
  EXPECT_EQ(shown(), "timing: 10 of 1,000 rows, 0.1/s, 5 h 30 min left");
}

TEST_F(ScreenTest, IsErasedAtTheEndOfTheWork) {
  base::ProgressLine on_screen(screen());
  {
    base::Progress progress("scoring", 10, "pairs");
    now += 1.0;
    on_screen.draw();
    ASSERT_NE(shown(), "");
  }
  EXPECT_EQ(shown(), "");
  EXPECT_EQ(cursor, 0u);
}

TEST_F(ScreenTest, IsErasedAtTheEndOfTheProgram) {
  base::Progress* left_over = nullptr;
  {
    base::ProgressLine on_screen(screen());
    left_over = new base::Progress("scoring", 10, "pairs");
    now += 1.0;
    on_screen.draw();
  }
  EXPECT_EQ(shown(), "");
  const std::size_t before = writes.size();
  delete left_over;
  EXPECT_EQ(writes.size(), before) << "written to a screen that is gone";
}

TEST_F(ScreenTest, ErasesTheRestOfALongerText) {
  base::ProgressLine on_screen(screen());
  base::Progress progress("timing", 3, "rows");
  now += 1.0;
  progress.name_part("a long name of a part");
  on_screen.draw();
  EXPECT_EQ(shown(), "timing: 0 of 3 rows (a long name of a part)");
  progress.name_part("short");
  on_screen.draw();
  EXPECT_EQ(shown(), "timing: 0 of 3 rows (short)");
}

TEST_F(ScreenTest, NeverReachesTheLastColumn) {
  base::ProgressLine on_screen(screen(20));
  base::Progress progress("scoring", 1'000'000, "pairs");
  now += 1.0;
  on_screen.draw();
  EXPECT_EQ(shown(), "scoring: 0 of 1,000");
  EXPECT_EQ(line.size(), 19u);
}

TEST_F(ScreenTest, ShowsNothingForAShortRun) {
  base::ProgressLine on_screen(screen());
  base::Progress progress("scoring", 10, "pairs");
  now += 0.4;
  progress.add(5);
  on_screen.draw();
  EXPECT_TRUE(writes.empty());
}

TEST_F(ScreenTest, ShowsNoWorkInsideOtherWork) {
  base::ProgressLine on_screen(screen());
  base::Progress whole("testing", 4, "rounds");
  now += 1.0;
  {
    base::Progress part("scoring", 10, "pairs");
    part.add(10);
    on_screen.draw();
    EXPECT_EQ(shown(), "testing: 0 of 4 rounds");
  }
  on_screen.draw();
  EXPECT_EQ(shown(), "testing: 0 of 4 rounds");
}

TEST_F(ScreenTest, CountsTheWorkOfAllThreads) {
  base::ProgressLine on_screen(screen());
  base::Progress progress("scoring", 4000, "pairs");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) progress.add();
    });
  }
  for (std::thread& thread : threads) thread.join();
  now += 1.0;
  on_screen.draw();
  EXPECT_EQ(shown(), "scoring: 4,000 of 4,000 pairs, 4,000/s, 0 s left");
}

// ---------------------------------------------------------------- who shows it

// Returns the texts drawn while a batch is scored, and the last one drawn when all was done.
std::vector<std::string> texts_of_scoring(const PairBatch& batch, Backend backend) {
  std::vector<std::string> texts;
  double now = 0.0;
  base::ProgressLine line(
      {200, [&](std::string_view text) { texts.emplace_back(text); }, [&] { return now += 1.0; }});
  std::atomic<bool> is_done = false;
  std::thread drawing([&] {
    while (!is_done) line.draw();
  });
  score(batch, Convention(), backend);
  is_done = true;
  drawing.join();
  return texts;
}

bool contains(const std::vector<std::string>& texts, std::string_view part) {
  return std::ranges::any_of(texts, [&](const std::string& t) { return t.find(part) != t.npos; });
}

TEST(ProgressOf, ScoringCountsEveryPair) {
  checks::Random random(1);
  const checks::SyntheticBatch made =
      checks::uniform_pairs(random, {"short", {5, 6}, {5, 9}, 40}, 20'000);
  for (const Backend backend : {Backend::cpu, Backend::reference}) {
    bool is_counted = false;
    // On a busy machine the drawing thread may miss a whole batch.
    for (int turn = 0; turn < 100 && !is_counted; ++turn) {
      is_counted =
          contains(texts_of_scoring(made.batch, backend), "scoring: 20,000 of 20,000 pairs");
    }
    EXPECT_TRUE(is_counted) << name(backend);
  }
}

TEST_F(ScreenTest, ShowsNothingOnceHidden) {
  base::ProgressLine on_screen(screen());
  base::Progress progress("scoring", 10, "pairs");
  now += 1.0;
  on_screen.draw();
  base::hide_progress();
  EXPECT_EQ(shown(), "");
  on_screen.draw();
  EXPECT_EQ(shown(), "");
}

TEST_F(ScreenTest, ShowsNothingIfQuiet) {
  const TemporaryFolder folder;
  for (const bool is_quiet : {false, true}) {
    base::ProgressLine on_screen(screen());
    std::vector<std::string> arguments{"eval",      "--graphs", folder.path("none"),
                                       "--dataset", "none",     "none"};
    if (is_quiet) arguments.push_back("--quiet");
    EXPECT_EQ(run(arguments).code, 1);
    base::Progress progress("scoring", 10, "pairs");
    now += 1.0;
    on_screen.draw();
    EXPECT_EQ(shown() == "", is_quiet);
  }
}

}  // namespace
}  // namespace warpath::testing
