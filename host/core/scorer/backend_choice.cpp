#include "host/core/scorer/backend_choice.hpp"

#include <fmt/format.h>

#include <array>

#include "host/core/base/suggest.hpp"
#include "host/core/batch/request.hpp"
#include "host/core/scorer/break_even.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr std::array<std::string_view, 4> names{"auto", "reference", "cpu", "cuda"};

#ifdef WARPATH_HAS_CUDA
constexpr bool has_cuda = true;
#else
constexpr bool has_cuda = false;
#endif

}  // namespace

std::string_view name(Backend backend) {
  return names[static_cast<std::size_t>(backend)];
}

Backend find_backend(std::string_view wanted) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (base::equal_letters(names[i], wanted)) return static_cast<Backend>(i);
  }
  throw UsageError(base::no_such("back end", wanted, names));
}

scorer::BackendChooser::BackendChooser(Backend wanted) : wanted_(wanted) {
  if (wanted == Backend::cuda) find_device();
}

cuda::FoundDevice scorer::BackendChooser::find_device() {
  const std::lock_guard lock(mutex_);
  if (found_.device == nullptr) found_ = cuda::find_device();
  return found_;
}

ResolvedBackend scorer::BackendChooser::choose(std::size_t pairs) {
  if (!has_cuda) return {Backend::cpu, ""};
  // The size is checked first: finding a device takes longer than scoring a small batch.
  std::call_once(is_read_, [&] { cuda_from_pairs_ = scorer::break_even(); });
  if (pairs < cuda_from_pairs_) {
    return {Backend::cpu, fmt::format("auto takes a GPU from {} pairs on", cuda_from_pairs_)};
  }
  const cuda::FoundDevice found = find_device();
  if (found.device == nullptr) return {Backend::cpu, "no GPU: " + found.reason};
  return {Backend::cuda, ""};
}

ResolvedBackend scorer::BackendChooser::resolve(std::size_t pairs) {
  if (wanted_ == Backend::automatic) return choose(pairs);
  if (wanted_ == Backend::cuda) device();
  return {wanted_, ""};
}

ResolvedBackend resolve_backend(Backend wanted, std::size_t pairs) {
  return scorer::BackendChooser(wanted).resolve(pairs);
}

std::size_t release_gpu_memory() {
  return cuda::release_kept_memory();
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
