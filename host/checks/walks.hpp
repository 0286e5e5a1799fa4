#pragma once

#include <vector>

#include "host/checks/pairs.hpp"
#include "warpath/random_walks.hpp"

namespace warpath::checks {

/// Scans and references for random walks: no reference begins at a viewpoint without
/// neighbours.
struct WalkWorld {
  SyntheticBatch made;
  PathSet references{};
  std::vector<std::uint32_t> scan_of{};

  /// Takes the references of the batch.
  explicit WalkWorld(SyntheticBatch batch) : made(std::move(batch)) {
    for (const Pair& pair : made.batch.pairs) {
      const auto path = made.batch.references[pair.reference];
      if (scans()[pair.scan]->neighbours(path.front()).empty()) continue;
      add_path(references, path);
      scan_of.push_back(pair.scan);
    }
  }

  const std::vector<const Scan*>& scans() const { return made.batch.scans; }
  RandomWalks walks(const StepCounts& steps, WalkSample sample = WalkSample::cycle,
                    std::uint64_t seed = 11) const {
    return {scans(), references, scan_of, steps, seed, sample};
  }
};

}  // namespace warpath::checks
