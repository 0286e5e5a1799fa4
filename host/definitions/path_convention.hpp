#pragma once

#include "warpath/convention.hpp"

namespace warpath {

/// Tells whether two paths are all that a convention needs, so that a scorer takes it.
inline bool is_of_paths(const Convention& convention) {
  return convention.goal == Goal::end && convention.spl_length != SplLength::nearest &&
         convention.dtw_radius == 0;
}

}  // namespace warpath
