#pragma once

#include <vector>

#include "warpath/convention.hpp"

namespace warpath::selftest {

std::vector<Convention> preset_conventions();

/// The paper's convention with one knob turned to each of its values, and other thresholds; each
/// with that in place of the preset's name.
std::vector<Convention> knob_conventions();

}  // namespace warpath::selftest
