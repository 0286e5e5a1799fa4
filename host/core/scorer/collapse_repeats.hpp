#pragma once

#include "warpath/paths.hpp"

namespace warpath::scorer {

/// Tells whether any path has an element twice in a row.
template <class T>
bool has_repeats(const PathView<T>& paths) {
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const auto path = paths[p];
    for (std::size_t k = 1; k < path.size(); ++k) {
      if (path[k] == path[k - 1]) return true;
    }
  }
  return false;
}

/// Returns the paths with every run of equal elements collapsed to one of them.
template <class T>
PathStore<T> collapse_repeats(const PathView<T>& paths) {
  PathStore<T> collapsed;
  for (std::size_t p = 0; p < paths.size(); ++p) {
    const auto path = paths[p];
    for (std::size_t k = 0; k < path.size(); ++k) {
      if (k == 0 || path[k] != path[k - 1]) collapsed.elements.push_back(path[k]);
    }
    collapsed.end_path();
  }
  return collapsed;
}

}  // namespace warpath::scorer
