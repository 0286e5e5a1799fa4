#pragma once

#include <string>

#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/export.hpp"
#include "warpath/paths.hpp"
#include "warpath/scores.hpp"

namespace warpath {

/// Which implementation scores. `reference` scores whatever the back end
/// * pairs on scans of over 4,096 viewpoints, whose tables would be too large;
/// * under a threshold below 1e-12 or above 1e30, or an spl_min_denominator that is not 0 and below
/// 1e-30 or
///   above 1e30: single precision does not reach that far.
enum class Backend {
  automatic,  ///< cuda where there is a device and the batch is large, else cpu; evaluations of
              ///< files take reference below max_reference_items
  reference,  ///< double precision, all cores, straight from the equations
  cpu,        ///< single precision in vector registers, all cores
  cuda,       ///< single precision on a GPU; the same bits as cpu
};

WARPATH_EXPORT std::string_view name(Backend backend);
/// @throws UsageError that lists the names there are.
WARPATH_EXPORT Backend find_backend(std::string_view name);

struct ResolvedBackend {
  Backend backend;   ///< not automatic
  std::string note;  ///< why it is not the GPU, where this build could use one; or empty
};

/// What `wanted` stands for here, for a batch of that many pairs.
/// @throws InputError where `cuda` is wanted and there is no device.
WARPATH_EXPORT ResolvedBackend resolve_backend(Backend wanted, std::size_t pairs);

/// Items up to which an evaluation by `automatic` takes `reference`: so few that double precision
/// costs less time than reading them.
inline constexpr std::size_t max_reference_items = 100'000;

/// What `wanted` stands for in an evaluation of that many items: as choose(), but `automatic` takes
/// `reference` for up to max_reference_items, and so does every back end under a convention that is
/// beyond single precision (thresholds outside of 1e-12 to 1e30). To be asked once, for all items
/// of a run: pieces of one run that were scored in different precision cannot be merged.
/// @throws as choose()
WARPATH_EXPORT ResolvedBackend resolve_for_evaluation(Backend wanted, std::size_t items,
                                                      const Convention& convention);

/// Scores every pair of the batch under the convention: every metric.
/// @throws CudaError where the device fails; InputError as choose().
WARPATH_EXPORT Scores score(const PairBatch& batch, const Convention& convention,
                            Backend backend = Backend::automatic);

/// What the scores come to: means, intervals, extremes and histograms of these metrics, without
/// keeping any pair's own (for millions of random walks, say). Intervals take pairs for
/// independent. The same to the last bit on cpu and cuda. @throws as score(); std::overflow_error
/// where sums leave their range (1e12 m)
WARPATH_EXPORT BatchStatistics summarize(const PairBatch& batch, const Convention& convention,
                                         Backend backend = Backend::automatic,
                                         const MetricSet& metrics = MetricSet::all());

}  // namespace warpath
