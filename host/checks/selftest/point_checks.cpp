#include "host/checks/selftest/point_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/checks/order.hpp"
#include "host/checks/point_pairs.hpp"
#include "host/checks/selftest/conventions.hpp"
#include "host/core/base/progress.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/cpu/points.hpp"
#include "host/core/cuda/points.hpp"

namespace warpath::selftest {

using namespace checks;

namespace {

Check named(std::string name, const Mismatches& found) {
  if (found.count > 0) name += ": " + found.first;
  return counted(std::move(name), found);
}

// ---------------------------------------------------------------- scoring variants

ScoringVariant as_given(Backend backend) {
  return {std::string(name(backend)), [backend](const PointBatch& batch, const Convention& c) {
            return score(batch, c, backend);
          }};
}

ScoringVariant in_another_order(Backend backend, Random& random) {
  return {"order of pairs", [backend, &random](const PointBatch& batch, const Convention& c) {
            const Order order = random_order(random, batch.pairs.size());
            return in_order(score(reordered(batch, order), c, backend), order);
          }};
}

// Scores one metric alone, and a few random ones. Only their values are compared.
ScoringVariant some_metrics(Backend backend, Random& random) {
  return {"some metrics only", [backend, &random](const PointBatch& batch, const Convention& c) {
            MetricSet some;
            for (std::uint64_t k = random.below(4); k <= 3; ++k) {
              some.insert(static_cast<Metric>(random.below(path_metric_count)));
            }
            Scores all = score(batch, c, backend), part = score(batch, c, backend, some);
            for (const Metric m : MetricSet::of_paths()) {
              if (some[m]) all.column[m] = std::move(part.column[m]);
            }
            return all;
          }};
}

ScoringVariant with_instructions(const cpu::CpuKernels& isa) {
  return {isa.name, [&isa](const PointBatch& batch, const Convention& c) {
            return cpu::score(batch, c, {.kernels = &isa});
          }};
}

ScoringVariant on_threads(Random& random) {
  return {"threads", [&random](const PointBatch& batch, const Convention& c) {
            const int threads = 1 + static_cast<int>(random.below(max_threads));
            return cpu::score(batch, c, {.threads = threads});
          }};
}

ScoringVariant in_chunks(Random& random) {
  return {"chunks", [&random](const PointBatch& batch, const Convention& c) {
            // One chunk per pair would take too long for a large batch.
            const std::size_t least = batch.pairs.size() / 50 + 1;
            const auto pairs = static_cast<std::uint32_t>(least + random.below(8 * least));
            return cuda::score(cuda::device_or_error(), batch, c, {.chunk_pairs = pairs});
          }};
}

std::vector<ScoringVariant> all_ways(Backend backend, Random& random) {
  std::vector<ScoringVariant> ways{as_given(backend), in_another_order(backend, random)};
  if (backend == Backend::cpu) {
    for (const cpu::CpuKernels* isa : cpu::usable_kernels())
      ways.push_back(with_instructions(*isa));
    ways.push_back(on_threads(random));
  }
  if (backend == Backend::cuda) {
    ways.push_back(as_given(Backend::cpu));
    ways.push_back(in_chunks(random));
  }
  ways.push_back(some_metrics(backend, random));
  return ways;
}

}  // namespace

void PointChecks::add(const PointBatch& batch, const Convention& convention) {
  const Scores got = ways_[0].score(batch, convention);
  const Scores exact = score(batch, convention, Backend::reference);
  against_reference_.add(compare_with_reference(got, exact, batch, convention));
  for (std::size_t k = 1; k < ways_.size(); ++k) {
    same_[k].add(compare_bits(ways_[k].score(batch, convention), got, batch, convention));
  }
}

std::vector<Check> PointChecks::results() const {
  std::vector<Check> checks{named("points against the reference", against_reference_)};
  checks[0].worst = against_reference_.worst;
  checks[0].allowed = 1.0;
  for (std::size_t k = 1; k < ways_.size(); ++k) {
    checks.push_back(named("points, same bits: " + ways_[k].name, same_[k]));
  }
  return checks;
}

// Returns the conventions that the fast back ends have for points.
static std::vector<Convention> of_points(std::vector<Convention> all) {
  std::erase_if(all, [](const Convention& c) { return !batch::points_fit_single_precision(c); });
  return all;
}

std::vector<Check> check_points(const SelftestOptions& options) {
  Random random(options.seed), choices(options.seed);
  PointChecks checks(all_ways(options.backend, choices));
  const Workload workloads[]{
      {std::max<std::size_t>(options.pairs / 10, 1), of_points(preset_conventions())},
      {std::max<std::size_t>(options.pairs / 200, 1), of_points(setting_conventions())}};
  base::Progress progress("testing paths of points", scored_pairs(workloads), "pairs");
  for (const Workload& workload : workloads) {
    for (const bool task_success : {false, true}) {
      const PointBatch batch = adversarial_point_pairs(random, workload.pairs, task_success);
      for (const Convention& c : workload.conventions) {
        checks.add(batch, c);
        progress.add(workload.pairs);
      }
    }
  }
  return checks.results();
}

}  // namespace warpath::selftest
