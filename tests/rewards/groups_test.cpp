// Tests advantages within groups against the equations in double precision, and groups that stand
// for numbers of references.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/views/paths.hpp"
#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"
#include "warpath/rewards.hpp"

namespace warpath::testing {
namespace {

constexpr std::uint32_t size = 6, groups = 20, count = size * groups;

// Holds rollouts in groups: the first without spread, the second inactive, of the third one active.
struct GroupScene {
  std::vector<float> reward, advantage = std::vector<float>(count, -7.0f),
                             mean = std::vector<float>(count, -7.0f), std = mean;
  std::vector<std::uint8_t> active, spread = std::vector<std::uint8_t>(count, 9);

  explicit GroupScene(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::uint32_t k = 0; k < count; ++k) {
      reward.push_back(static_cast<float>(random() >> 40) * 0x1p-20f - 4.0f);
      active.push_back(random() % 4 != 0);
    }
    std::fill_n(reward.begin(), size, 15.93f);
    std::fill_n(active.begin(), size, std::uint8_t{1});
    std::fill_n(active.begin() + size, 2 * size, std::uint8_t{0});
    active[2 * size + 3] = 1;
  }
  GroupBatch batch() {
    return {.count = count,
            .group_size = size,
            .active = active.data(),
            .reward = reward.data(),
            .advantage = advantage.data(),
            .mean = mean.data(),
            .std = std.data(),
            .spread = spread.data()};
  }
};

struct Plain {
  double n = 0, sum = 0, mean = 0, std = 0;

  Plain(const GroupScene& scene, std::uint32_t first, std::uint32_t end, int ddof) {
    const auto each = [&](auto body) {
      for (std::uint32_t k = first; k < end; ++k) {
        if (scene.active[k] != 0) body(static_cast<double>(scene.reward[k]));
      }
    };
    each([&](double r) { ++n, sum += r; });
    if (n == 0) return;
    mean = sum / n;
    double squares = 0;
    each([&](double r) { squares += (r - mean) * (r - mean); });
    if (n > ddof) std = std::sqrt(squares / (n - ddof));
  }
};

void expect_plain(const GroupScene& got, const GroupBatch& batch) {
  const int ddof = static_cast<int>(batch.ddof);
  const Plain all(got, 0, count, ddof);
  for (std::uint32_t g = 0; g < groups; ++g) {
    const std::uint32_t first = g * size;
    const Plain group(got, first, first + size, ddof);
    EXPECT_EQ(std::isnan(got.mean[g]), group.n == 0);
    EXPECT_EQ(std::isnan(got.std[g]), group.n == 0);
    if (group.n > 0) {
      EXPECT_FLOAT_EQ(got.mean[g], static_cast<float>(group.mean));
      EXPECT_FLOAT_EQ(got.std[g], static_cast<float>(group.std));
    }
    EXPECT_EQ(got.spread[g], g > 2 && group.n > 1 ? 1 : 0) << g;
    for (std::uint32_t k = first; k < first + size; ++k) {
      if (got.active[k] == 0 || got.spread[g] == 0) {
        EXPECT_EQ(got.advantage[k], 0.0f) << k;
        continue;
      }
      const double r = static_cast<double>(got.reward[k]);
      const double baseline =
          batch.baseline == GroupBaseline::mean ? group.mean : (group.sum - r) / (group.n - 1);
      const double scale = batch.scale == GroupScale::std     ? group.std + batch.epsilon
                           : batch.scale == GroupScale::batch ? all.std + batch.epsilon
                                                              : 1.0;
      EXPECT_FLOAT_EQ(got.advantage[k], static_cast<float>((r - baseline) / scale)) << k;
    }
  }
}

TEST(GroupAdvantages, EqualTheEquationsInDouble) {
  for (const GroupBaseline baseline : {GroupBaseline::mean, GroupBaseline::others}) {
    for (const GroupScale scale : {GroupScale::std, GroupScale::batch, GroupScale::none}) {
      for (const std::uint32_t ddof : {0u, 1u}) {
        GroupScene scene(run_seed() + ddof);
        GroupBatch batch = scene.batch();
        batch.baseline = baseline;
        batch.scale = scale;
        batch.ddof = ddof;
        batch.epsilon = ddof == 0 ? 1e-8 : 1e-4;
        group_advantages(batch);
        expect_plain(scene, batch);
      }
    }
  }
}

TEST(GroupAdvantages, HaveTheBitsOfGroupsInAnyOrder) {
  GroupScene want(run_seed() + 1), got(run_seed() + 1);
  group_advantages(want.batch());
  // Members keep their order among themselves.
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::mt19937_64 random(run_seed());
  std::vector<std::uint64_t> key(count);
  for (std::uint32_t g = 0; g < groups; ++g) {
    for (std::uint32_t k = 0; k < size; ++k) key[g * size + k] = random() % 100 + 100 * k;
  }
  std::ranges::stable_sort(order, {}, [&](std::uint32_t k) { return key[k]; });
  std::vector<std::int16_t> number;
  for (std::uint32_t k = 0; k < count; ++k) {
    got.reward[k] = want.reward[order[k]];
    got.active[k] = want.active[order[k]];
    number.push_back(static_cast<std::int16_t>(groups - 1 - order[k] / size));
  }
  GroupBatch batch = got.batch();
  batch.group_size = 0;
  batch.groups = {number.data(), 2};
  batch.group_count = groups;
  group_advantages(batch);
  for (std::uint32_t k = 0; k < count; ++k) EXPECT_EQ(got.advantage[k], want.advantage[order[k]]);
  for (std::uint32_t g = 0; g < groups; ++g) {
    EXPECT_EQ(std::isnan(got.mean[groups - 1 - g]), std::isnan(want.mean[g]));
    if (!std::isnan(want.mean[g])) {
      EXPECT_EQ(got.mean[groups - 1 - g], want.mean[g]);
      EXPECT_EQ(got.std[groups - 1 - g], want.std[g]);
    }
    EXPECT_EQ(got.spread[groups - 1 - g], want.spread[g]);
  }
}

TEST(GroupAdvantages, NeedNothingButRewards) {
  GroupScene all(run_seed() + 2), some(run_seed() + 2);
  std::ranges::fill(all.active, std::uint8_t{1});
  group_advantages(all.batch());
  GroupBatch batch = some.batch();
  batch.active = nullptr;
  batch.mean = batch.std = nullptr;
  batch.spread = nullptr;
  group_advantages(batch);
  EXPECT_EQ(some.advantage, all.advantage);
  EXPECT_EQ(some.mean, std::vector<float>(count, -7.0f));
}

std::string error_of(const GroupBatch& batch) {
  return error_of_call([&] { group_advantages(batch); });
}

TEST(GroupAdvantages, RefuseWhatCannotBe) {
  GroupScene scene(run_seed() + 3);
  const std::vector<std::int64_t> number(count, 3);
  const auto with = [&](auto change) {
    GroupBatch batch = scene.batch();
    change(batch);
    return error_of(batch);
  };
  const auto number_them = [&](GroupBatch& b) {
    b.group_size = 0;
    b.groups = number.data();
    b.group_count = groups;
  };
  EXPECT_NE(with([](auto& b) { b.group_size = 7; }).find("group_size: is 7, which does not divide"),
            std::string::npos);
  EXPECT_NE(with([](auto& b) { b.group_size = 0; }).find("groups are not given"),
            std::string::npos);
  EXPECT_NE(with([&](auto& b) { b.groups = number.data(); }).find("and groups are given"),
            std::string::npos);
  EXPECT_EQ(with(number_them), "");
  EXPECT_NE(with([&](auto& b) { number_them(b), b.group_count = 3; }).find("names group 3 of 3"),
            std::string::npos);
  EXPECT_NE(with([&](auto& b) { number_them(b), b.group_count = count + 1; }).find("group_count"),
            std::string::npos);
  EXPECT_NE(with([](auto& b) { b.ddof = 2; }).find("ddof: is 2"), std::string::npos);
  for (const double wrong : {-1e-9, std::nan(""), HUGE_VAL}) {
    EXPECT_NE(with([&](auto& b) { b.epsilon = wrong; }).find("epsilon: is"), std::string::npos);
  }
  EXPECT_NE(with([](auto& b) { b.reward = nullptr; }).find("reward: is null"), std::string::npos);
  EXPECT_NE(with([](auto& b) { b.advantage = nullptr; }).find("advantage: is null"),
            std::string::npos);
  EXPECT_EQ(with([](auto& b) { b = {}; }), "") << "no rollouts";
  std::ranges::fill(scene.advantage, -7.0f);
  for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), HUGE_VALF}) {
    scene.reward[2] = wrong;
    EXPECT_NE(error_of(scene.batch()).find("rollout 2: has the reward"), std::string::npos);
  }
  EXPECT_EQ(scene.advantage, std::vector<float>(count, -7.0f)) << "nothing is written";
  scene.active[2] = 0;
  EXPECT_EQ(error_of(scene.batch()), "");
}

// ---------------------------------------------------------------- references of groups

TEST(RewardGroups, DivideEveryNumberOfARollout) {
  constexpr std::uint32_t last = 0x7ffffffe;
  std::mt19937_64 random(run_seed());
  std::vector<std::uint32_t> sizes{1,        2,   3, 5, 7, 8, 641, 65'535, 65'537, last / 2 + 1,
                                   last - 1, last};
  for (int n = 0; n < 1000; ++n) {
    sizes.push_back(static_cast<std::uint32_t>(random() % last >> random() % 31) + 1);
  }
  for (const std::uint32_t rows : sizes) {
    const kernels::RowsOfReference group = kernels::rows_of_reference(rows);
    for (int n = 0; n < 100; ++n) {
      const auto multiple = static_cast<std::uint32_t>(random() % (last / rows + 1)) * rows;
      for (const std::uint32_t k : {multiple, multiple + rows - 1, multiple - 1, last}) {
        if (k > last) continue;
        ASSERT_EQ(group.reference(k), k / rows) << k << " / " << rows;
      }
    }
  }
}

TEST(RewardGroups, StandForNumbersOfReferences) {
  const std::vector<Edge> edges{{0, 1}, {1, 2}, {2, 3}};
  const Scan scan("lab", {"a", "b", "c", "d"}, {{0, 0, 0}, {2, 0, 0}, {4, 0, 0}, {6, 1, 0}}, edges);
  const std::vector<const Scan*> scans{&scan};
  const PathSet references{.elements = {0, 1, 2, 3, 2}, .offsets = {0, 3, 5}};
  const std::vector<std::uint32_t> scan_of{0, 0};
  const Rewards rewards(scans, references, scan_of, find_reward_preset("ndtw-gain").settings);
  const std::vector<std::int64_t> nodes{0, 1, 2, 0, 1, 0, 3, 2, 1, 3, 3, 2};
  const std::vector<std::uint32_t> lengths{3, 2, 3, 1}, number{0, 0, 1, 1};
  Batch batch;
  batch.count = 4;
  batch.queries = {nodes.data(), {.lengths = lengths.data(), .pitch = 3, .max_length = 3}};
  std::vector<float> want(12), got(12);
  batch.reference = number.data();
  rewards.compute(batch, {.reward = want.data()});
  batch.reference = nullptr;
  batch.group_size = 2;
  rewards.compute(batch, {.reward = got.data()});
  EXPECT_EQ(got, want);
  const auto error = [&] {
    return error_of_call([&] { rewards.compute(batch, {.reward = got.data()}); });
  };
  batch.reference = number.data();
  EXPECT_NE(error().find("group_size: is 2, and reference is given"), std::string::npos);
  batch.reference = nullptr;
  batch.group_size = 3;
  EXPECT_NE(error().find("group_size: is 3, which does not divide 4"), std::string::npos);
  batch.group_size = 4;
  EXPECT_NE(error().find("group_size: is 4 for 4 rollouts of 2 references"), std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
