#pragma once

#include "warpath/convention.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath {

/// Which implementation scores. `automatic` is the fastest that runs here.
enum class Backend {
  automatic,
  reference,  ///< double precision, one thread, straight from the equations
  cpu,        ///< single precision in vector registers, all cores
};

std::string_view name(Backend backend);
/// @throws UsageError that lists the names there are.
Backend find_backend(std::string_view name);
/// The back end that `automatic` stands for here; any other is itself.
Backend resolve(Backend backend);

/// Scores every pair of the batch under the convention: every metric.
Scores score(const PairBatch& batch, const Convention& convention,
             Backend backend = Backend::automatic);

}  // namespace warpath
