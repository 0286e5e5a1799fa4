// Tests returns and advantages against the recurrences in double precision.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/pair_cases.hpp"
#include "tests/support/reward_cases.hpp"

namespace warpath::testing {
namespace {

// Holds what is added up, laid out as the queries of rollouts are.
struct Sums {
  HostRollouts host;
  std::vector<float> reward, value, bootstrap, returns, advantage;

  Sums(const std::vector<Rollout>& rollouts, const Form& form, std::uint64_t seed)
      : host(rollouts, form, false), returns(host.size(), RewardResults::unwritten) {
    std::mt19937_64 random(seed);
    const auto number = [&] { return static_cast<float>(random() >> 40) * 0x1p-22f - 2.0f; };
    advantage = returns;
    for (std::size_t at = 0; at < host.size(); ++at) {
      reward.push_back(number());
      value.push_back(number());
    }
    for (std::size_t k = 0; k < rollouts.size(); ++k) bootstrap.push_back(number());
  }
  ReturnsBatch batch() {
    return {.count = host.batch().count,
            .layout = host.layout(),
            .active = host.batch().active,
            .reward = reward.data(),
            .value = value.data(),
            .bootstrap = bootstrap.data(),
            .discount = 0.95,
            .decay = 0.9,
            .returns = returns.data(),
            .advantage = advantage.data()};
  }
};

void expect_plain_sums(const Sums& got, const ReturnsBatch& batch,
                       const std::vector<Rollout>& rollouts) {
  for (std::size_t k = 0; k < rollouts.size(); ++k) {
    const double behind = batch.bootstrap != nullptr ? batch.bootstrap[k] : 0.0;
    double later = behind, next_value = behind, advantage = 0.0;
    for (std::size_t t = rollouts[k].nodes.size(); t-- > 0;) {
      const std::size_t at = got.host.at(k, t);
      if (!rollouts[k].active) {
        EXPECT_EQ(got.returns[at], RewardResults::unwritten);
        EXPECT_EQ(got.advantage[at], RewardResults::unwritten);
        continue;
      }
      const double value = batch.value != nullptr ? batch.value[at] : 0.0;
      later = batch.reward[at] + batch.discount * later;
      advantage = batch.reward[at] + batch.discount * next_value - value +
                  batch.discount * batch.decay * advantage;
      next_value = value;
      ASSERT_NEAR(got.returns[at], later, 5e-5) << k << " " << t;
      ASSERT_NEAR(got.advantage[at], advantage, 5e-5) << k << " " << t;
    }
    if (got.host.layout().offsets.data != nullptr || !rollouts[k].active) continue;
    for (std::size_t at = got.host.at(k, rollouts[k].nodes.size()); at < got.host.end(k); ++at) {
      const bool in_row = at < got.host.begin(k) + got.host.layout().max_length;
      EXPECT_EQ(got.returns[at], in_row ? 0.0f : RewardResults::unwritten);
      EXPECT_EQ(got.advantage[at], in_row ? 0.0f : RewardResults::unwritten);
    }
  }
}

TEST(RewardReturns, EqualTheRecurrencesInDouble) {
  const RewardWorld world = make_reward_world(run_seed() + 990);
  for (const Form& form : {Form{}, Form{4, 8, false}, Form{4, 1, true}, Form{4, 4, false, true}}) {
    Sums sums(world.rollouts, form, run_seed());
    const ReturnsBatch batch = sums.batch();
    add_up_rewards(batch);
    expect_plain_sums(sums, batch, world.rollouts);
  }
}

TEST(RewardReturns, NeedNeitherValuesNorABootstrap) {
  const RewardWorld world = make_reward_world(run_seed() + 991);
  for (const double factor : {0.0, 0.5, 1.0}) {
    Sums sums(world.rollouts, {}, run_seed());
    ReturnsBatch batch = sums.batch();
    batch.value = nullptr;
    batch.bootstrap = nullptr;
    batch.discount = factor;
    batch.decay = 1.0 - factor;
    add_up_rewards(batch);
    expect_plain_sums(sums, batch, world.rollouts);
  }
}

TEST(RewardReturns, WriteOnlyWhatIsWanted) {
  const RewardWorld world = make_reward_world(run_seed() + 992);
  Sums all(world.rollouts, {}, 1), some(world.rollouts, {}, 1);
  add_up_rewards(all.batch());
  ReturnsBatch batch = some.batch();
  batch.returns = nullptr;
  add_up_rewards(batch);
  EXPECT_EQ(some.advantage, all.advantage);
  EXPECT_EQ(some.returns, std::vector<float>(some.host.size(), RewardResults::unwritten));
  batch = some.batch();
  batch.advantage = nullptr;
  add_up_rewards(batch);
  EXPECT_EQ(some.returns, all.returns);
}

// The numbers are those of the sources' own trainers.
struct Worked {
  const char* source;
  std::vector<float> reward, value;
  float bootstrap;
  double discount, decay;
  std::vector<float> returns, advantage;
};

TEST(RewardReturns, HaveTheNumbersOfTheSources) {
  const Worked all[] = {
      {"VALAN, V-trace on policy without values",
       {1, 1, -4},
       {},
       0,
       0.95,
       1,
       {-1.66f, -2.8f, -4},
       {}},
      {"EnvDrop, a stop", {1, 1, 2}, {}, 0, 0.9, 1, {3.52f, 2.8f, 2}, {}},
      {"EnvDrop, a time-out", {1, -1, 1}, {}, 0.5, 0.9, 1, {1.2745f, 0.305f, 1.45f}, {}},
      {"BabyWalk", {0.2f, 0.15f, 1}, {}, 0, 0.95, 1, {1.245f, 1.1f, 1}, {}},
      {"DC-VLN", {1, -1, 1, 2}, {}, 0, 0.9, 1, {2.368f, 1.52f, 2.8f, 2}, {}},
      {"VLN-CE", {1.3f, 2.45f}, {1, 2}, 0, 0.99, 0.95, {}, {2.703225f, 0.45f}},
  };
  for (const Worked& w : all) {
    const auto n = static_cast<std::uint32_t>(w.reward.size());
    std::vector<float> returns(n), advantage(n);
    ReturnsBatch batch{.count = 1,
                       .layout = {.lengths = &n, .pitch = n, .max_length = n},
                       .reward = w.reward.data(),
                       .value = w.value.empty() ? nullptr : w.value.data(),
                       .bootstrap = &w.bootstrap,
                       .discount = w.discount,
                       .decay = w.decay,
                       .returns = returns.data(),
                       .advantage = advantage.data()};
    add_up_rewards(batch);
    for (std::size_t t = 0; t < w.returns.size(); ++t) {
      EXPECT_NEAR(returns[t], w.returns[t], 1e-6) << w.source << " " << t;
    }
    for (std::size_t t = 0; t < w.advantage.size(); ++t) {
      EXPECT_NEAR(advantage[t], w.advantage[t], 1e-6) << w.source << " " << t;
    }
  }
}

// ---------------------------------------------------------------- bad input

std::string error_of(const ReturnsBatch& batch) {
  return error_of_call([&] { add_up_rewards(batch); });
}

TEST(RewardReturns, RefuseFactorsOutOfRange) {
  const RewardWorld world = make_reward_world(run_seed() + 993, {.rollouts = 3});
  Sums sums(world.rollouts, {}, 1);
  for (const double wrong : {-0.1, 1.01, std::nan(""), HUGE_VAL}) {
    ReturnsBatch batch = sums.batch();
    batch.discount = wrong;
    EXPECT_NE(error_of(batch).find("discount: is"), std::string::npos) << error_of(batch);
    batch = sums.batch();
    batch.decay = wrong;
    EXPECT_NE(error_of(batch).find("decay: is"), std::string::npos) << error_of(batch);
  }
}

TEST(RewardReturns, RefuseArraysThatCannotBeRead) {
  std::vector<float> reward(8, 1.0f), returns(8, -1.0f);
  std::vector<std::int32_t> lengths = {2, 3};
  ReturnsBatch batch{.count = 2,
                     .layout = {.lengths = lengths.data(), .pitch = 4, .max_length = 4},
                     .reward = reward.data(),
                     .returns = returns.data()};
  EXPECT_EQ(error_of(batch), "");
  std::ranges::fill(returns, -1.0f);
  for (const std::int32_t wrong : {5, -1, -2'000'000'000}) {
    lengths[1] = wrong;
    EXPECT_NE(error_of(batch).find("rollout 1"), std::string::npos) << wrong << error_of(batch);
  }
  EXPECT_EQ(returns, std::vector<float>(8, -1.0f)) << "nothing is written";
  lengths[1] = 0;
  EXPECT_EQ(error_of(batch), "") << "no rewards, no returns";
  EXPECT_EQ(returns[4], 0.0f);
  batch.reward = nullptr;
  EXPECT_NE(error_of(batch).find("reward: is null"), std::string::npos);
  batch.reward = reward.data();
  batch.layout.max_length = 5;
  EXPECT_NE(error_of(batch).find("layout: has rows of 4"), std::string::npos) << error_of(batch);
  batch.count = 0;
  EXPECT_EQ(error_of(batch), "");
  const std::vector<std::int32_t> offsets = {0, 4, 2};
  batch.count = 2;
  batch.layout = {.offsets = offsets.data(), .max_length = 8};
  EXPECT_NE(error_of(batch).find("rollout 1"), std::string::npos) << "offsets run backwards";
}

}  // namespace
}  // namespace warpath::testing
