#include "warpath/score.hpp"

#include <array>

#include "host/cpu/backend.hpp"
#include "host/reference/reference.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr std::array<std::string_view, 3> names{"auto", "reference", "cpu"};

}  // namespace

std::string_view name(Backend backend) { return names[static_cast<std::size_t>(backend)]; }

Backend find_backend(std::string_view wanted) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == wanted) return static_cast<Backend>(i);
  }
  throw UsageError("no back end '" + std::string(wanted) + "'; there are auto, reference, cpu");
}

Backend resolve(Backend backend) {
  return backend == Backend::automatic ? Backend::cpu : backend;
}

Scores score(const PairBatch& batch, const Convention& convention, Backend backend) {
  return resolve(backend) == Backend::cpu ? cpu::score(batch, convention)
                                          : reference::score(batch, convention);
}

}  // namespace warpath
