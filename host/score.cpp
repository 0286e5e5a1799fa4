#include "warpath/score.hpp"

#include <array>

#include "host/reference/reference.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr std::array<std::string_view, 2> names{"auto", "reference"};

}  // namespace

std::string_view name(Backend backend) { return names[static_cast<std::size_t>(backend)]; }

Backend find_backend(std::string_view wanted) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == wanted) return static_cast<Backend>(i);
  }
  throw UsageError("no back end '" + std::string(wanted) + "'; there are auto, reference");
}

Backend resolve(Backend backend) {
  return backend == Backend::automatic ? Backend::reference : backend;
}

Scores score(const PairBatch& batch, const Convention& convention, Backend backend) {
  (void)backend;  // every back end there is so far
  return reference::score(batch, convention);
}

}  // namespace warpath
