#include <fmt/format.h>

#include <array>

#include "host/batch/request.hpp"
#include "host/cuda/device.hpp"
#include "host/definitions/suggest.hpp"
#include "host/scorer/break_even.hpp"
#include "warpath/backend.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr std::array<std::string_view, 4> names{"auto", "reference", "cpu", "cuda"};

#ifdef WARPATH_HAS_CUDA
constexpr bool has_cuda = true;
#else
constexpr bool has_cuda = false;
#endif

ResolvedBackend choose_automatically(std::size_t pairs, std::size_t enough) {
  if (!has_cuda) return {Backend::cpu, ""};
  // The size is checked first: finding a device takes longer than scoring a small batch.
  if (pairs < enough) {
    return {Backend::cpu, fmt::format("auto takes a GPU from {} pairs on", enough)};
  }
  const cuda::FoundDevice found = cuda::find_device();
  if (found.device == nullptr) return {Backend::cpu, "no GPU: " + found.reason};
  return {Backend::cuda, ""};
}

}  // namespace

std::string_view name(Backend backend) {
  return names[static_cast<std::size_t>(backend)];
}

Backend find_backend(std::string_view wanted) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (equal_letters(names[i], wanted)) return static_cast<Backend>(i);
  }
  throw UsageError(no_such("back end", wanted, names));
}

ResolvedBackend resolve_backend(Backend wanted, std::size_t pairs) {
  const bool is_automatic = wanted == Backend::automatic;
  return scorer::resolve_backend(wanted, pairs, is_automatic && has_cuda ? break_even() : 0);
}

ResolvedBackend scorer::resolve_backend(Backend wanted, std::size_t pairs,
                                        std::size_t cuda_from_pairs) {
  if (wanted == Backend::automatic) return choose_automatically(pairs, cuda_from_pairs);
  if (wanted == Backend::cuda) cuda::device_or_error();
  return {wanted, ""};
}

ResolvedBackend resolve_for_evaluation(Backend wanted, std::size_t items,
                                       const Convention& convention) {
  if (!batch::fits_single_precision(convention)) {
    return {Backend::reference, batch::beyond_single_precision};
  }
  if (wanted == Backend::automatic && items <= max_reference_items) {
    return {Backend::reference,
            fmt::format("auto takes double precision up to {} items", max_reference_items)};
  }
  return resolve_backend(wanted, items);
}

}  // namespace warpath
