#include "tests/cudart/traffic.hpp"

#include "host/batch/distance_tables.hpp"
#include "host/cuda/backend.hpp"
#include "host/cuda/device.hpp"
#include "tests/cudart/fake_cudart.hpp"

namespace warpath::testing {
namespace {

synthetic::SyntheticBatch make_pairs(const Workload& work) {
  synthetic::Random random(1);
  synthetic::SyntheticBatch made = synthetic::uniform_pairs(random, work.shape, profiled_pairs);
  if (work.scans == 1) return made;
  made.batch.scans.resize(work.scans, made.batch.scans[0]);
  for (Pair& pair : made.batch.pairs) {
    pair.scan = static_cast<std::uint32_t>(random.below(work.scans));
  }
  return made;
}

}  // namespace

ptx::Profile profile(const Workload& work, const MetricSet& metrics) {
  const synthetic::SyntheticBatch made = make_pairs(work);
  const batch::DistanceTables tables(made.batch.scans, Convention());
  const cuda::FoundDevice found = cuda::find_device();
  const cuda::Options how{.metrics = metrics, .chunk_pairs = profiled_pairs};
  ptx::Profile measured;
  cudart().profile = &measured;
  if (work.keeps_scores) {
    Scores scores;
    cuda::score(*found.device, made.batch, tables, Convention(), how, scores);
  } else {
    cuda::summarize(*found.device, made.batch, tables, Convention(), how);
  }
  cudart().profile = nullptr;
  return measured;
}

}  // namespace warpath::testing
