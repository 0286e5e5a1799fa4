#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "host/checks/benchmark/device_rows.hpp"
#include "host/checks/pairs.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/cuda/arrays.hpp"
#include "host/core/cuda/resident_scorer.hpp"

// Times rollouts that lie on the device in rows of equal length: by calls on a stream, and by
// launches of a CUDA graph that holds one call.

namespace warpath::benchmark {
namespace {

constexpr const char *by_stream = "rollouts, stream", *by_graph = "rollouts, graph";
constexpr std::uint32_t rollout_length = 40;
constexpr std::uint32_t max_rollouts = 65'536, batch_sizes[] = {256, 4096, max_rollouts};

/// Names references by their lengths.
struct Kind {
  checks::LengthRange lengths;
  const char* name;
};

std::uint32_t size_of(const DeviceRows& rows, std::uint32_t batch) {
  return static_cast<std::uint32_t>(scaled(batch, rows.seconds()));
}

std::string shape_of(std::uint32_t count, const Kind& kind) {
  return fmt::format("B {}, T {}, {}", count, rollout_length, kind.name);
}

// Tells whether any row of a batch is asked for.
bool wants_batch(const DeviceRows& rows, const std::string& shape, const NamedSet& set) {
  return rows.wants_any({by_stream, by_graph}, {shape}, {set});
}

// Tells whether any row of that kind and set is asked for.
bool wants_set(const DeviceRows& rows, const Kind& kind, const NamedSet& set) {
  return std::ranges::any_of(batch_sizes, [&](std::uint32_t batch) {
    return wants_batch(rows, shape_of(size_of(rows, batch), kind), set);
  });
}

/// Holds rollouts of one length, against references that follow one another.
struct MadeRollouts {
  checks::SyntheticBatch made;
  std::vector<std::uint32_t> reference, lengths;

  explicit MadeRollouts(checks::LengthRange references, std::uint32_t count) {
    checks::Random random(1);
    made = checks::uniform_pairs(random, {"", references, {rollout_length, rollout_length}, 150, 4},
                                 count);
    for (const Pair& pair : made.batch.pairs) reference.push_back(pair.reference);
    lengths.assign(made.batch.pairs.size(), rollout_length);
  }
};

void time_batch(DeviceRows& rows, const cuda::ResidentScorer& scorer, const Batch& batch,
                const MetricSet& metrics, DeviceRow row, cuda::Stream stream) {
  cuda::Device& device = rows.device();
  const cuda::DeviceArray<char> workspace(device, scorer.workspace_bytes(batch));
  const cuda::DeviceArray<float> results(device, std::size_t{batch.count} * path_metric_count);
  const cuda::WaitAtEnd wait(device, stream);
  ScoreArrays scores;
  for (const Metric m : MetricSet::of_paths()) {
    if (metrics[m]) scores.column[m] = results.data() + std::size_t{batch.count} * index_of(m);
  }
  const auto score = [&] { scorer.score(batch, scores, workspace.data(), stream); };
  const auto add = [&](const char* group, const std::function<void()>& start) {
    row.group = group;
    rows.add_resident(row, [&] {
      return resident_rate(batch.count, rows.seconds(), [&](int times) {
        for (int k = 0; k < times; ++k) start();
        device.wait(stream);
      });
    });
  };
  add(by_stream, score);
  if (!rows.wants(by_graph, row.shape, row.metrics)) return;
  scorer.warm_up(batch, workspace.data(), stream);
  const std::unique_ptr<cuda::RecordedWork> graph = device.record(stream, score);
  add(by_graph, [&] { graph->launch(stream); });
}

void time_set(DeviceRows& rows, const MadeRollouts& rollouts, const Kind& kind,
              const NamedSet& set) {
  cuda::Device& device = rows.device();
  const cuda::UniqueStream stream(device);
  const PairBatch& batch = rollouts.made.batch;
  const batch::DistanceTables tables(batch.scans, Convention());
  const std::vector<std::uint32_t> scan_of(batch.references.size(), 0);
  const cuda::ResidentScorer scorer(device, batch.references, scan_of, tables, Convention(),
                                    {.metrics = set.metrics});
  const auto reference = cuda::uploaded<std::uint32_t>(device, rollouts.reference, stream.get());
  const auto nodes = cuda::uploaded<std::uint16_t>(device, batch.queries.elements, stream.get());
  const auto lengths = cuda::uploaded<std::uint32_t>(device, rollouts.lengths, stream.get());
  const double cells = checks::mean_cells(batch);
  for (const std::uint32_t size : batch_sizes) {
    const std::uint32_t count = size_of(rows, size);
    const std::string shape = shape_of(count, kind);
    if (!wants_batch(rows, shape, set)) continue;
    const Batch view{.count = count,
                     .queries = {nodes.data(),
                                 {.lengths = lengths.data(),
                                  .pitch = rollout_length,
                                  .max_length = rollout_length}},
                     .reference = reference.data()};
    time_batch(rows, scorer, view, set.metrics, {"", shape, set.name, count, cells, {}},
               stream.get());
  }
}

}  // namespace

void time_rollouts(DeviceRows& rows) {
  const std::vector<NamedSet> sets = named_sets({"nDTW", "everything"});
  for (const Kind& kind : {Kind{{5, 16}, "|R| <= 16"}, Kind{{5, 30}, "|R| <= 30"}}) {
    const auto is_wanted = [&](const NamedSet& set) { return wants_set(rows, kind, set); };
    if (std::ranges::none_of(sets, is_wanted)) continue;
    const MadeRollouts rollouts(kind.lengths, size_of(rows, max_rollouts));
    for (const NamedSet& set : sets) {
      if (is_wanted(set)) time_set(rows, rollouts, kind, set);
    }
  }
}

}  // namespace warpath::benchmark
