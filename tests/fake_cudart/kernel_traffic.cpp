#include "tests/fake_cudart/kernel_traffic.hpp"

#include "host/core/batch/distance_tables.hpp"
#include "host/core/cuda/backend.hpp"
#include "host/core/cuda/device.hpp"
#include "tests/fake_cudart/fake_cudart.hpp"

namespace warpath::testing {
namespace {

checks::SyntheticBatch make_pairs(const Workload& work) {
  checks::Random random(1);
  checks::SyntheticBatch synthetic_batch =
      checks::uniform_pairs(random, work.shape, profiled_pairs);
  if (work.scans == 1) return synthetic_batch;
  synthetic_batch.batch.scans.resize(work.scans, synthetic_batch.batch.scans[0]);
  for (Pair& pair : synthetic_batch.batch.pairs) {
    pair.scan = static_cast<std::uint32_t>(random.below(work.scans));
  }
  return synthetic_batch;
}

/// Lets the runtime count into a profile, also if a kernel fails, no longer than the scope.
class Counting {
 public:
  explicit Counting(ptx::Profile& into) { cudart().profile = &into; }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  ~Counting() { cudart().profile = nullptr; }
};

}  // namespace

ptx::Profile profile(const Workload& work, const MetricSet& metrics) {
  const checks::SyntheticBatch synthetic_batch = make_pairs(work);
  const batch::DistanceTables tables(synthetic_batch.batch.scans, Convention());
  const cuda::FoundDevice found = cuda::find_device();
  const cuda::Options how{.metrics = metrics, .chunk_pairs = profiled_pairs, .small_batch = 0};
  ptx::Profile measured;
  const Counting counting(measured);
  if (work.keeps_scores) {
    Scores scores;
    cuda::score(*found.device, synthetic_batch.batch, tables, Convention(), how, scores);
  } else {
    cuda::statistics(*found.device, synthetic_batch.batch, tables, Convention(), how);
  }
  return measured;
}

}  // namespace warpath::testing
