#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "warpath/backend.hpp"

namespace warpath::selftest {

/// One line of the self-test.
struct Check {
  std::string name;
  std::size_t cases;
  double worst;  ///< the largest difference, or the number of values that are not the same
  double allowed;
  bool ok;
};

struct SelftestOptions {
  Backend backend = Backend::cpu;  ///< not automatic
  std::size_t pairs = 10'000;      ///< of viewpoints; all are scored under each preset
  std::uint64_t seed = 1;
};

/// That are tried; also where the machine has fewer.
inline constexpr int max_threads = 4;

/// Tests a back end on this machine: the operations it is made of, every metric against the
/// reference under every preset and setting, on pairs of viewpoints and on continuous paths, and
/// that nothing but the input decides a single bit.
std::vector<Check> run_selftest(const SelftestOptions& options);

bool passed(const std::vector<Check>& checks);

}  // namespace warpath::selftest
