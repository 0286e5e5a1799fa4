#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/checks/compare.hpp"
#include "warpath/backend.hpp"

namespace warpath::selftest {

/// Holds a line of the self-test.
struct Check {
  std::string name;
  std::size_t cases;
  double worst;  ///< the largest difference, or the number of values that differ
  double allowed;
  bool ok;
};

/// Returns a line that fails if anything differs, or nothing was compared.
Check counted(std::string name, const checks::Mismatches& found);

struct SelftestOptions {
  Backend backend = Backend::cpu;  ///< not automatic
  std::size_t pairs = 10'000;      ///< of viewpoint paths; all are scored under each preset
  std::uint64_t seed = 1;
};

/// Maximum of the thread counts that are tried, even if the machine has fewer cores.
inline constexpr int max_threads = 4;

/// Tests a back end on this machine: its primitive operations, every metric against the reference
/// under every preset and setting, for viewpoint and continuous paths, and that no bit depends on
/// anything but the input.
std::vector<Check> run_selftest(const SelftestOptions& options);

bool passed(const std::vector<Check>& checks);

}  // namespace warpath::selftest
