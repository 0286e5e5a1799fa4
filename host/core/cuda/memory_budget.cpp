#include "host/core/cuda/memory_budget.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "warpath/error.hpp"

namespace warpath::cuda {
namespace {

std::size_t mebibytes(std::string_view text) {
  constexpr std::size_t max_value = std::size_t{1} << 30;
  std::size_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size() || value < 1 ||
      value > max_value) {
    throw UsageError(
        fmt::format("WARPATH_GPU_MEMORY is '{}': give a number of MiB, such as 4096", text));
  }
  return value;
}

}  // namespace

std::size_t memory_budget(Device& device, std::size_t wanted) {
  if (wanted > 0) return wanted;
  const char* given = std::getenv("WARPATH_GPU_MEMORY");
  return given != nullptr ? mebibytes(given) << 20 : device.free_memory() / 2;
}

}  // namespace warpath::cuda
