#include "host/checks/selftest/walk_checks.hpp"

#include <optional>
#include <stdexcept>

#include "host/checks/compare.hpp"
#include "host/checks/selftest/device_workloads.hpp"
#include "host/checks/walks.hpp"
#include "host/core/cpu/walks.hpp"
#include "host/core/cuda/walks.hpp"

namespace warpath::selftest {

using namespace checks;

namespace {

const StepCounts step_counts{{0, 1}, {3, 4}, {4, 7}, {5, 9}, {6, 5}, {12, 3}, {25, 1}};

// Returns the walks of those references that a kernel of the device takes; nothing where it takes
// none.
std::optional<RandomWalks> taken(const RandomWalks& walks, const cuda::DeviceWalks& on_device) {
  PathSet references;
  std::vector<std::uint32_t> scan_of;
  for (std::uint32_t r = 0; r < walks.references().size(); ++r) {
    if (!on_device.takes(r)) continue;
    add_path(references, walks.references()[r]);
    scan_of.push_back(walks.scan_of()[r]);
  }
  if (scan_of.empty()) return {};
  return RandomWalks(walks.scans(), references, scan_of, walks.steps(), walks.seed(),
                     walks.sample());
}

void compare_walks(cuda::Device& device, const RandomWalks& walks, std::size_t count,
                   const Request& request, bool repeat, Mismatches& found) {
  const auto& [metrics, convention] = request;
  const walks::WalkTables tables(walks, convention);
  // All numbers have one upper half, but for the last ones.
  const std::uint64_t first = (std::uint64_t{1} << 32) - count + count / 8;
  try {
    cuda::DeviceWalks on_device(device, walks, tables, convention,
                                {.metrics = metrics, .repeat_walks = repeat});
    if (!on_device.takes_all()) {  // a device of little shared memory
      const auto fitting = taken(walks, on_device);
      if (fitting) compare_walks(device, *fitting, count, request, repeat, found);
      return;
    }
    const BatchStatistics expected =
        cpu::statistics(walks, tables, convention, {.metrics = metrics}, first, count);
    found.add(compare_statistics(on_device.statistics(first, count), expected));
  } catch (const std::overflow_error&) {  // by values that no kernel should have written
    found.add(false);
  }
}

}  // namespace

Check check_walks(cuda::Device& device, std::size_t walks, std::uint64_t seed) {
  Random random(seed);
  Mismatches found;
  // Replicated rows do not fit into a block for scans of 500 viewpoints.
  for (const std::size_t viewpoints : {150, 500}) {
    const WalkWorld world(uniform_pairs(random, {"", {1, 20}, {1, 1}, viewpoints, 1}, 60));
    for (const WalkSample sample : {WalkSample::cycle, WalkSample::uniform}) {
      const RandomWalks all = world.walks(step_counts, sample, seed);
      const bool repeat = sample == WalkSample::uniform;
      for (const Request& request : requests()) {
        compare_walks(device, all, walks, request, repeat, found);
      }
    }
  }
  return counted("same bits: random walks, every kernel", found);
}

}  // namespace warpath::selftest
