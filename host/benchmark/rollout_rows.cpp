#include <fmt/format.h>

#include <numeric>

#include "host/batch/distance_tables.hpp"
#include "host/benchmark/device_rows.hpp"
#include "host/cuda/arrays.hpp"
#include "host/cuda/resident_scorer.hpp"
#include "host/synthetic/pairs.hpp"

// Times rollouts that lie on the device in rows of equal length, by calls on a stream.

namespace warpath::benchmark {
namespace {

constexpr std::uint32_t rollout_length = 40, max_rollouts = 65'536;

template <class T, class From>
cuda::DeviceArray<T> on_device(cuda::Device& device, const From& from, cuda::Stream stream) {
  cuda::HostDeviceArray<T> array(device, from.size());
  std::ranges::copy(from, array.host.data());
  array.upload(device, from.size(), stream);
  device.wait(stream);
  return std::move(array.device);
}

/// Holds rollouts of one length, against references that follow one another.
struct MadeRollouts {
  synthetic::SyntheticBatch made;
  std::vector<std::uint32_t> reference, lengths;

  explicit MadeRollouts(synthetic::LengthRange references, std::uint32_t count) {
    synthetic::Random random(1);
    made = uniform_pairs(random, {"", references, {rollout_length, rollout_length}, 150, 4}, count);
    for (const Pair& pair : made.batch.pairs) reference.push_back(pair.reference);
    lengths.assign(made.batch.pairs.size(), rollout_length);
  }
};

void time_set(DeviceRows& rows, const MadeRollouts& rollouts, const std::string& references,
              const NamedSet& set) {
  cuda::Device& device = rows.device();
  const cuda::UniqueStream stream(device);
  const PairBatch& batch = rollouts.made.batch;
  const batch::DistanceTables tables(batch.scans, Convention());
  const std::vector<std::uint32_t> scan_of(batch.references.size(), 0);
  const cuda::ResidentScorer scorer(device, batch.references, scan_of, tables, Convention(),
                                    {.metrics = set.metrics});
  const auto reference = on_device<std::uint32_t>(device, rollouts.reference, stream.get());
  const auto nodes = on_device<std::uint16_t>(device, batch.queries.elements, stream.get());
  const auto lengths = on_device<std::uint32_t>(device, rollouts.lengths, stream.get());
  for (const std::uint32_t of : {256u, 4096u, max_rollouts}) {
    const auto count = static_cast<std::uint32_t>(scaled(of, rows.seconds()));
    const DeviceBatch view{.count = count,
                           .queries = {.viewpoints = nodes.data(),
                                       .layout = {.lengths = lengths.data(),
                                                  .pitch = rollout_length,
                                                  .max_length = rollout_length}},
                           .reference = reference.data()};
    const cuda::DeviceArray<char> workspace(device, scorer.workspace_bytes(count, rollout_length));
    const cuda::DeviceArray<float> results(device, std::size_t{count} * metric_count);
    DeviceScores scores;
    for (const Metric m : MetricSet::all()) {
      if (set.metrics[m]) scores.column[m] = results.data() + std::size_t{count} * index_of(m);
    }
    rows.add_resident({"rollouts, stream",
                       fmt::format("B {}, T {}, {}", count, rollout_length, references),
                       set.name,
                       count,
                       mean_cells(batch),
                       {}},
                      [&] {
                        return resident_rate(count, rows.seconds(), [&](int times) {
                          for (int k = 0; k < times; ++k) {
                            scorer.score(view, scores, workspace.data(), stream.get());
                          }
                          device.wait(stream.get());
                        });
                      });
  }
}

}  // namespace

void time_rollouts(DeviceRows& rows) {
  const auto count = static_cast<std::uint32_t>(scaled(max_rollouts, rows.seconds()));
  const std::pair<synthetic::LengthRange, const char*> kinds[] = {{{5, 16}, "|R| <= 16"},
                                                                  {{5, 30}, "|R| <= 30"}};
  for (const auto& [range, name] : kinds) {
    const MadeRollouts rollouts(range, count);
    for (const NamedSet& set : named_sets({"nDTW", "everything"})) {
      time_set(rows, rollouts, name, set);
    }
  }
}

}  // namespace warpath::benchmark
