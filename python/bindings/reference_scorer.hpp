#pragma once

#include <memory>
#include <vector>

#include "python/bindings/references.hpp"
#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"
#include "warpath/scorer.hpp"

namespace warpath::python {

/// Holds a Scorer of the vector back end with its references. It does not change.
struct ReferenceScorer : StandingReferences {
  Convention convention{};
  std::vector<Metric> metrics{};  ///< in the order of the rows of scores
  int threads = 0;
  std::unique_ptr<Scorer> scorer{};
};

/// Holds the scorer of now: set_references puts another in its place, and calls that run in other
/// threads end with the one that they began with. @pre it is read and written with the GIL
struct ReferenceScorerObject {
  std::shared_ptr<const ReferenceScorer> now;
};

}  // namespace warpath::python
