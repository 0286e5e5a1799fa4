#pragma once

#include <memory>
#include <vector>

#include "python/bindings/references.hpp"
#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"
#include "warpath/scorer.hpp"

namespace warpath::python {

/// Holds a Scorer of the vector back end with references that stay.
struct ReferenceScorer : StandingReferences {
  Convention convention{};
  std::vector<Metric> metrics{};  ///< in the order of the rows of scores
  std::unique_ptr<Scorer> scorer{};
};

}  // namespace warpath::python
