// Tests watches: they see every pair once, end a call by an exception, and change no score.

#include "warpath/watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "tests/support/each_backend.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/point_cases.hpp"
#include "warpath/scorer.hpp"

namespace warpath::testing {
namespace {

struct Stop {};

// Counts what a watch is told.
struct Count {
  std::atomic<std::uint64_t> done = 0, calls = 0;

  Watch watch() {
    return [this](std::uint64_t more) {
      done += more;
      ++calls;
    };
  }
};

// Throws at the given call, and counts the calls.
struct StopAt {
  std::uint64_t call;
  std::atomic<std::uint64_t> calls = 0;

  Watch watch() {
    return [this](std::uint64_t) {
      if (++calls == call) throw Stop();
    };
  }
};

class WatchOnEachBackend : public OnEachBackend {
 protected:
  Scorer scorer_of(const PairBatch& batch, int threads = 0) {
    return Scorer(batch.scans, {}, {.backend = GetParam(), .threads = threads});
  }
};
WARPATH_ON_EACH_BACKEND(WatchOnEachBackend);

TEST_P(WatchOnEachBackend, SeesEveryPairOnce) {
  RandomBatch made(run_seed() + 900);
  made.add_every_kind();
  const PairBatch& batch = made.batch();
  const Scorer scorer = scorer_of(batch);
  const Scores want = scorer.score(batch);
  Count score;
  expect_same_scores(scorer.score(batch, score.watch()), want, "watched");
  EXPECT_EQ(score.done, batch.pairs.size());
  EXPECT_GT(score.calls, 0u);
  Count statistics;
  EXPECT_EQ(scorer.statistics(batch, statistics.watch()), scorer.statistics(batch));
  EXPECT_EQ(statistics.done, batch.pairs.size());
}

TEST_P(WatchOnEachBackend, SeesEveryPairOfPointsOnce) {
  RandomPoints made(run_seed() + 901);
  made.add_pairs(300, 20, 30);
  const PointBatch& batch = made.batch();
  const Scorer scorer({}, {}, {.backend = GetParam()});
  Count score;
  expect_same_scores(scorer.score(batch, score.watch()), scorer.score(batch), "watched");
  EXPECT_EQ(score.done, batch.pairs.size());
  Count statistics;
  EXPECT_EQ(scorer.statistics(batch, statistics.watch()), scorer.statistics(batch));
  EXPECT_EQ(statistics.done, batch.pairs.size());
}

TEST_P(WatchOnEachBackend, EndsACallByWhatItThrows) {
  RandomBatch made(run_seed() + 902);
  made.add_pairs(20'000, 12, 20);
  const PairBatch& batch = made.batch();
  const Scorer scorer = scorer_of(batch);
  StopAt score{.call = 1}, statistics{.call = 1};
  EXPECT_THROW(scorer.score(batch, score.watch()), Stop);
  EXPECT_THROW(scorer.statistics(batch, statistics.watch()), Stop);
  expect_same_scores(scorer.score(batch), warpath::score(batch, {}, GetParam()), "afterwards");
}

TEST_P(WatchOnEachBackend, EndsACallOnPointsByWhatItThrows) {
  RandomPoints made(run_seed() + 903);
  made.add_pairs(300, 20, 30);
  const Scorer scorer({}, {}, {.backend = GetParam()});
  StopAt stop{.call = 1};
  EXPECT_THROW(scorer.score(made.batch(), stop.watch()), Stop);
}

TEST(Watch, IsNotCalledAgainAfterItHasThrown) {
  RandomBatch made(run_seed() + 904);
  made.add_pairs(100'000, 12, 20);
  const Scorer scorer(made.batch().scans, {}, {.backend = Backend::cpu, .threads = 1});
  StopAt stop{.call = 3};
  EXPECT_THROW(scorer.score(made.batch(), stop.watch()), Stop);
  EXPECT_EQ(stop.calls, 3u);
}

TEST(Watch, IsCalledByThreadsThatMayScoreMeanwhile) {
  RandomBatch made(run_seed() + 905);
  made.add_pairs(20'000, 12, 20);
  RandomBatch few(run_seed() + 906);
  few.add_pairs(20, 12, 20);
  const Scorer scorer(made.batch().scans, {}, {.backend = Backend::cpu});
  const Scores want = warpath::score(few.batch(), {}, Backend::cpu);
  std::mutex mutex;  // held by the caller's watch, so none of the library's may be
  std::atomic<std::uint64_t> done = 0;
  scorer.score(made.batch(), [&](std::uint64_t more) {
    const std::lock_guard lock(mutex);
    done += more;
    expect_same_scores(warpath::score(few.batch(), {}, Backend::cpu), want, "inside");
  });
  EXPECT_EQ(done, made.batch().pairs.size());
}

}  // namespace
}  // namespace warpath::testing
