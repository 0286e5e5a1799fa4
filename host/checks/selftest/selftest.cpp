#include "host/checks/selftest/selftest.hpp"

#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>

#include "host/checks/compare.hpp"
#include "host/checks/order.hpp"
#include "host/checks/pairs.hpp"
#include "host/checks/selftest/conventions.hpp"
#include "host/checks/selftest/device_checks.hpp"
#include "host/checks/selftest/point_checks.hpp"
#include "host/checks/selftest/primitives.hpp"
#include "host/checks/selftest/resident_checks.hpp"
#include "host/core/base/progress.hpp"
#include "host/core/cpu/backend.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "host/core/reference/reference.hpp"

namespace warpath::selftest {

using namespace checks;

namespace {

Check measured(std::string name, const Difference& found, double limit) {
  return {std::move(name), found.cases, found.worst, limit,
          found.worst <= limit && found.cases > 0};
}

// ---------------------------------------------------------------- primitives

const PrimitiveUnit& unit_of(std::string_view isa) {
  static const PrimitiveUnit* const units[] = {
#if defined(WARPATH_HAS_AVX512)
    &avx512_primitives,
#endif
#if defined(WARPATH_HAS_AVX2)
    &avx2_primitives,
#endif
#if defined(WARPATH_HAS_PORTABLE)
    &portable_primitives,
#endif
  };
  return **std::ranges::find(units, isa, &PrimitiveUnit::isa);
}

// Returns a row per primitive over all instruction sets; a failed one names the sets it fails on.
std::vector<Check> primitive_checks(std::uint64_t seed) {
  std::vector<Mismatches> found(primitive_count);
  std::vector<std::string> names(primitive_count), failing(primitive_count);
  for (const cpu::CpuKernels* isa : cpu::usable_kernels()) {
    for (const PrimitiveCheck& check : check_primitives(unit_of(isa->name), seed)) {
      names[check.primitive] = check.name;
      found[check.primitive].add({check.lanes, check.wrong});
      if (check.wrong > 0) failing[check.primitive] += std::string(" on ") + isa->name;
    }
  }
  std::vector<Check> checks;
  for (int p = 0; p < primitive_count; ++p) {
    checks.push_back(counted("lanes: " + names[p] + failing[p], found[p]));
  }
  const double error = exp_error(seed);
  checks.push_back({"exp_nonpositive against double", 200'000, error, exp_error_allowed,
                    error <= exp_error_allowed});
  return checks;
}

// ---------------------------------------------------------------- metrics

// Scores batches in every possible way and counts what differs.
class MetricChecks {
 public:
  MetricChecks(Backend backend, std::uint64_t seed)
      : backend_(backend), random_(seed), isas_(cpu::usable_kernels()), by_isa_(isas_.size()) {}

  void add(const PairBatch& batch, const Convention& convention) {
    const Scores got = score(batch, convention, backend_);
    against_reference_.add(compare(got, reference::score(batch, convention), batch, convention));
    check_order(batch, convention, got);
    if (backend_ == Backend::cuda) by_cpu_.add(same(got, cpu::score(batch, convention)));
    if (backend_ != Backend::cpu) return;
    check_instruction_sets(batch, convention, got);
    check_chunks(batch, convention, got);
    check_sets(batch, convention, got);
  }

  std::vector<Check> results() const {
    std::vector<Check> checks;
    for (const MetricInfo& m : path_metric_table()) {
      checks.push_back(measured(fmt::format("{} against the reference", m.name),
                                against_reference_.metric[m.metric], allowed(m.metric)));
    }
    checks.push_back(counted("statuses and 0/0 rules", against_reference_.status));
    checks.push_back(counted("same bits: order of pairs", order_));
    if (backend_ == Backend::cuda) checks.push_back(counted("same bits: cpu", by_cpu_));
    if (backend_ != Backend::cpu) return checks;
    for (std::size_t k = 0; k < isas_.size(); ++k) {
      checks.push_back(counted(std::string("same bits: ") + isas_[k]->name, by_isa_[k]));
    }
    checks.push_back(counted("same bits: windows, threads", chunks_));
    checks.push_back(counted("same bits: some metrics only", sets_));
    return checks;
  }

 private:
  static Mismatches same(const Scores& got, const Scores& expected) {
    return compare_values_and_statuses(got, expected, MetricSet::of_paths());
  }

  void check_order(const PairBatch& batch, const Convention& convention, const Scores& expected) {
    const Order order = random_order(random_, batch.pairs.size());
    const PairBatch other = reordered(batch, order);
    order_.add(same(in_order(score(other, convention, backend_), order), expected));
  }

  void check_instruction_sets(const PairBatch& batch, const Convention& convention,
                              const Scores& expected) {
    for (std::size_t k = 0; k < isas_.size(); ++k) {
      by_isa_[k].add(same(cpu::score(batch, convention, {.kernels = isas_[k]}), expected));
    }
  }

  void check_chunks(const PairBatch& batch, const Convention& convention, const Scores& expected) {
    const std::size_t window = 1 + random_.below(std::size_t{1} << (1 + random_.below(14)));
    const int threads = 1 + static_cast<int>(random_.below(max_threads));
    chunks_.add(
        same(cpu::score(batch, convention, {.window = window, .threads = threads}), expected));
  }

  // Scores one metric alone, and a few random ones. The kernels notice that a pair is unreachable
  // only where a metric needs the distance, so such pairs are left out.
  void check_sets(const PairBatch& batch, const Convention& convention, Scores expected) {
    MetricSet some;
    for (std::uint64_t k = random_.below(4); k <= 3; ++k)
      some.insert(static_cast<Metric>(random_.below(path_metric_count)));
    Scores got = cpu::score(batch, convention, {some});
    for (std::size_t row = 0; row < expected.size(); ++row) {
      if (expected.status[row] != Status::unreachable) continue;
      for (const Metric m : MetricSet::of_paths()) {
        if (some[m]) expected.column[m][row] = got.column[m][row] = 0.0;
      }
    }
    sets_.add(compare_bits(got, expected, some));
  }

  Backend backend_;
  Random random_;
  std::vector<const cpu::CpuKernels*> isas_;
  Comparison against_reference_;
  Mismatches order_, chunks_, sets_, by_cpu_;
  std::vector<Mismatches> by_isa_;
};

std::vector<Check> check_viewpoints(const SelftestOptions& options) {
  Random random(options.seed);
  MetricChecks metrics(options.backend, options.seed);
  const Workload workloads[]{{std::max<std::size_t>(options.pairs / 2, 1), preset_conventions()},
                             // Only the settings are new here, so fewer pairs suffice.
                             {std::max<std::size_t>(options.pairs / 20, 1), setting_conventions()}};
  base::Progress progress("testing paths of viewpoints", scored_pairs(workloads), "pairs");
  for (const Workload& workload : workloads) {
    for (const bool task_success : {false, true}) {
      const SyntheticBatch made = adversarial_pairs(random, workload.pairs, task_success);
      for (const Convention& c : workload.conventions) {
        metrics.add(made.batch, c);
        progress.add(workload.pairs);
      }
    }
  }
  return metrics.results();
}

}  // namespace

Check counted(std::string name, const Mismatches& found) {
  const auto worst = static_cast<double>(found.count);
  return {std::move(name), found.cases, worst, 0.0, found.count == 0 && found.cases > 0};
}

std::vector<Check> run_selftest(const SelftestOptions& options) {
  // Uses more threads than this machine may have.
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, max_threads);
  std::vector<Check> checks;
  if (options.backend == Backend::cpu) checks = primitive_checks(options.seed);
  const auto add = [&](const std::vector<Check>& more) {
    checks.insert(checks.end(), more.begin(), more.end());
  };
  add(check_viewpoints(options));
  add(check_points(options));
  if (options.backend == Backend::cuda) {
    add(check_device(cuda::device_or_error(), options.pairs, options.seed));
    add(check_reference_scorer(options.pairs, options.seed));
  }
  return checks;
}

bool passed(const std::vector<Check>& checks) {
  return !checks.empty() && std::ranges::all_of(checks, &Check::ok);
}

}  // namespace warpath::selftest
