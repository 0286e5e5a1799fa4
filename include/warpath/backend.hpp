#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "warpath/convention.hpp"
#include "warpath/export.hpp"

namespace warpath {

/// Selects the implementation that scores. `reference` replaces any other
/// * for pairs whose two paths have more than 4,096 different viewpoints, if their scan has more
///   than that: a table of their distances would be too large;
/// * under a threshold below 1e-12 or above 1e30, or an spl_min_denominator that is not 0 and below
///   1e-30 or above 1e30, because single precision does not reach that far;
/// * for continuous paths under a threshold below 1e-6 m or above 1e15 m, for the same reason.
enum class Backend {
  automatic,  ///< cuda if there is a device and the batch is large, else cpu; evaluations of files
              ///< use reference up to max_reference_items
  reference,  ///< double precision, all cores, straight from the equations
  cpu,        ///< single precision in vector registers, all cores
  cuda,       ///< single precision on a GPU; the same bits as cpu
};

/// Returns the back end's name as the command line spells it: auto, reference, cpu or cuda.
WARPATH_EXPORT std::string_view name(Backend backend);
/// Returns the back end of that name, letter case aside.
/// @throws UsageError that lists the valid names.
WARPATH_EXPORT Backend find_backend(std::string_view name);

/// A back end that is not `automatic`.
struct ResolvedBackend {
  Backend backend;
  std::string note;  ///< reason for not using the GPU, if this build could use one; may be empty
};

/// Resolves `automatic` on this machine for a batch of `pairs` pairs; returns any other unchanged.
/// @throws InputError if `requested` is cuda and there is no device.
WARPATH_EXPORT ResolvedBackend resolve_backend(Backend requested, std::size_t pairs);

/// Number of items up to which an evaluation by `automatic` uses `reference`: for so few, scoring
/// in double precision takes less time than reading them.
inline constexpr std::size_t max_reference_items = 100'000;

/// Resolves the back end of an evaluation of `items` items: as resolve_backend, but `automatic`
/// takes `reference` up to max_reference_items, and so does every back end under a convention
/// beyond single precision. Ask once for all items of a run: statistics of parts that were scored
/// in different precision cannot be merged.
/// @throws InputError as resolve_backend.
WARPATH_EXPORT ResolvedBackend resolve_for_evaluation(Backend requested, std::size_t items,
                                                      const Convention& convention);

/// Gives back the GPU memory that warpath keeps for later calls, on all devices, and the pinned
/// host memory and streams with it. What scorers hold stays: their distance tables and references,
/// and the memory of calls in progress. The next call on a GPU allocates anew. Any thread may call
/// this, but not while a stream captures a graph: freeing memory would break the capture.
/// @returns the bytes of GPU memory that were freed
/// @throws CudaError as Scorer
WARPATH_EXPORT std::size_t release_gpu_memory();

}  // namespace warpath
