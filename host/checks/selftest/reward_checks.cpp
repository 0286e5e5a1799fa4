#include "host/checks/selftest/reward_checks.hpp"

#include <algorithm>
#include <vector>

#include "host/checks/selftest/floats_on_device.hpp"
#include "host/checks/selftest/resident_arrays.hpp"
#include "host/checks/synthetic/pairs.hpp"
#include "host/core/batch/check_views.hpp"
#include "host/core/cuda/resident_tracker.hpp"
#include "warpath/reward_tracker.hpp"
#include "warpath/rewards.hpp"

namespace warpath::selftest {
namespace {

using synthetic::Random;

constexpr std::uint32_t max_length = 12;

/// Holds the queries of pairs in rows of max_length.
struct RolloutRows {
  std::vector<std::int64_t> nodes, lengths, stopped;

  explicit RolloutRows(const PairBatch& batch) {
    for (const Pair& pair : batch.pairs) {
      const auto query = batch.queries[pair.query];
      nodes.insert(nodes.end(), query.begin(), query.end());
      lengths.push_back(static_cast<std::int64_t>(query.size()));
      stopped.push_back(lengths.size() % 3 != 0);
      nodes.resize(lengths.size() * max_length);
    }
  }
  std::vector<std::int64_t> column(std::uint32_t t) const {
    std::vector<std::int64_t> column;
    for (std::size_t k = 0; k < lengths.size(); ++k) column.push_back(nodes[k * max_length + t]);
    return column;
  }
};

/// Rewards one batch under one preset on the CPU and on a device.
class RewardCheck {
 public:
  RewardCheck(cuda::Device& device, const PairBatch& batch, const RewardSettings& settings,
              Mismatches& found)
      : device_(device),
        rows_(batch),
        count_(static_cast<std::uint32_t>(batch.pairs.size())),
        found_(found),
        scan_of_(scans(batch)),
        on_cpu_(batch.scans, batch.references, scan_of_, settings),
        tables_(batch.scans, batch.references, scan_of_, settings, {}),
        on_device_(device, tables_),
        nodes_(device, rows_.nodes, 2),
        lengths_(device, rows_.lengths, 4),
        stopped_(device, rows_.stopped, 1),
        stream_(device) {
    for (const Pair& pair : batch.pairs) reference_.push_back(pair.reference);
    stopped_bytes_.assign(rows_.stopped.begin(), rows_.stopped.end());
  }

  void check_rollouts(bool prefixes) {
    const IntegersOnDevice reference(device_, reference_, 4);
    const std::size_t size = rows_.nodes.size();
    std::vector<float> reward(size), ndtw(size), cls(size), returns(size);
    FloatsOnDevice there(device_, size), there_ndtw(device_, size), there_cls(device_, size),
        there_returns(device_, size);
    Batch batch;
    batch.count = count_;
    batch.queries = paths(rows_.nodes.data(), rows_.lengths.data());
    batch.reference = reference_.data();
    batch.stopped = stopped_bytes_.data();
    RewardArrays out;
    out.reward = reward.data();
    if (prefixes) out.ndtw = ndtw.data(), out.cls = cls.data();
    on_cpu_.compute(batch, out);
    ReturnsBatch sums{.count = count_,
                      .layout = batch.queries.layout,
                      .reward = reward.data(),
                      .discount = 0.9,
                      .returns = returns.data()};
    add_up_rewards(sums);
    batch.queries = sums_paths(sums);
    batch.reference = reference.view();
    batch.stopped = static_cast<const std::uint8_t*>(stopped_.view().data);
    out.reward = there.data();
    if (prefixes) out.ndtw = there_ndtw.data(), out.cls = there_cls.data();
    const cuda::DeviceArray<char> workspace(device_, on_device_.workspace_bytes({.count = count_}));
    on_device_.compute(batch, out, workspace.data(), stream_.get());
    sums.reward = there.data();
    sums.returns = there_returns.data();
    on_device_.add_up(batch::view_of(sums), stream_.get());
    device_.wait(stream_.get());
    there.compare(reward, found_);
    there_returns.compare(returns, found_);
    if (!prefixes) return;
    there_ndtw.compare(ndtw, found_);
    there_cls.compare(cls, found_);
  }

  void check_episodes() {
    const IntegersOnDevice reference(device_, reference_, 4);
    const cuda::DeviceArray<char> memory(device_, cuda::ResidentTracker::bytes(on_device_, count_));
    // So that a kernel that resets nothing is found, and not what others read then.
    device_.fill(memory.data(), 0, memory.size(), stream_.get());
    const cuda::ResidentTracker there(on_device_, count_, memory.data(), {});
    const cuda::DeviceArray<char> workspace(device_, there.workspace_bytes(1));
    RewardTracker here(on_cpu_, count_);
    here.reset({.count = count_, .reference = reference_.data()});
    there.reset({.count = count_, .reference = reference.view()}, stream_.get());
    for (std::uint32_t t = 0; t < 3; ++t) step(here, there, t);
    fork(here, there, workspace.data());
    step(here, there, 0);
    extend(here, there, workspace.data());
    std::vector<float> ends(count_);
    FloatsOnDevice there_ends(device_, count_);
    here.finish(stopped_bytes_.data(), nullptr, ends.data());
    there.finish(static_cast<const std::uint8_t*>(stopped_.view().data), nullptr, there_ends.data(),
                 stream_.get());
    device_.wait(stream_.get());
    there_ends.compare(ends, found_);
  }

 private:
  static std::vector<std::uint32_t> scans(const PairBatch& batch) {
    std::vector<std::uint32_t> scan_of(batch.references.size(), 0);
    for (const Pair& pair : batch.pairs) scan_of[pair.reference] = pair.scan;
    return scan_of;
  }
  static PathsView paths(Integers viewpoints, Integers sizes) {
    return {viewpoints, {.lengths = sizes, .pitch = max_length, .max_length = max_length}};
  }
  PathsView sums_paths(ReturnsBatch& sums) const {
    const PathsView there = paths(nodes_.view(), lengths_.view());
    sums.layout = there.layout;
    return there;
  }

  // Every episode takes column t of its row, which repeats viewpoint 0 behind the query's end.
  void step(RewardTracker& here, const cuda::ResidentTracker& there, std::uint32_t t) {
    const std::vector<std::int64_t> column = rows_.column(t);
    const IntegersOnDevice nodes(device_, column, 2);
    std::vector<float> moves(count_), goal(count_);
    FloatsOnDevice there_moves(device_, count_), there_goal(device_, count_);
    here.step(column.data(), stopped_bytes_.data(), moves.data());
    RewardArrays values;
    values.distance_to_goal = goal.data();
    here.values(values);
    there.step({.nodes = batch::view_of(nodes.view())},
               static_cast<const std::uint8_t*>(stopped_.view().data), nullptr, there_moves.data(),
               stream_.get());
    values.distance_to_goal = there_goal.data();
    there.values(values, stream_.get());
    device_.wait(stream_.get());
    there_moves.compare(moves, found_);
    there_goal.compare(goal, found_);
  }

  // Copies episodes to others of the same scan, for all pairs are in one.
  void fork(RewardTracker& here, const cuda::ResidentTracker& there, void* workspace) {
    std::vector<std::int64_t> from, to;
    for (std::uint32_t e = 0; e < count_; ++e) {
      from.push_back(count_ - 1 - e);
      to.push_back(e);
    }
    const IntegersOnDevice froms(device_, from, 4), tos(device_, to, 8);
    here.fork(count_, from.data(), to.data());
    there.fork(count_, batch::view_of(froms.view()), batch::view_of(tos.view()), workspace,
               stream_.get());
    device_.wait(stream_.get());
  }

  void extend(const RewardTracker& here, const cuda::ResidentTracker& there, void* workspace) {
    std::vector<float> sums(count_);
    FloatsOnDevice there_sums(device_, count_);
    RewardArrays out;
    out.reward = sums.data();
    here.score_extensions(1, paths(rows_.nodes.data(), rows_.lengths.data()), out);
    out.reward = there_sums.data();
    there.score_extensions(1, batch::view_of(paths(nodes_.view(), lengths_.view())), out, workspace,
                           stream_.get());
    device_.wait(stream_.get());
    there_sums.compare(sums, found_);
  }

  cuda::Device& device_;
  const RolloutRows rows_;
  const std::uint32_t count_;
  Mismatches& found_;
  const std::vector<std::uint32_t> scan_of_;
  const Rewards on_cpu_;
  const rewards::RewardTables tables_;
  const cuda::ResidentRewards on_device_;
  const IntegersOnDevice nodes_, lengths_, stopped_;
  const cuda::UniqueStream stream_;
  std::vector<std::int64_t> reference_;
  std::vector<std::uint8_t> stopped_bytes_;
};

}  // namespace

Check check_rewards(cuda::Device& device, std::size_t rollouts, std::uint64_t seed) {
  Random random(seed);
  Mismatches found;
  for (const std::size_t longest : {8, 12, 16, 40}) {
    const auto made =
        synthetic::uniform_pairs(random, {"", {1, longest}, {1, max_length}, 60, 1}, rollouts);
    for (const char* preset : {"ndtw-gain", "hamt", "cls-gain", "babywalk-mix"}) {
      RewardCheck check(device, made.batch, find_reward_preset(preset).settings, found);
      check.check_rollouts(false);
      check.check_rollouts(true);
      check.check_episodes();
    }
  }
  return counted("same bits: rewards, every kernel", found);
}

}  // namespace warpath::selftest
