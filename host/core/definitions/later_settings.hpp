#pragma once

#include <string_view>

namespace warpath::definitions {

/// Names the settings that came after the first reports were written, in the order of settings().
/// A report that lacks one was written before there was a choice, under its default.
inline constexpr std::string_view later_settings[] = {"oracle-threshold",
                                                      "spl-offset",
                                                      "spl-walked-offset",
                                                      "spl-ratio",
                                                      "cls-length",
                                                      "ndtw-threshold",
                                                      "links",
                                                      "kp-start",
                                                      "edit",
                                                      "goal-distance",
                                                      "outcome",
                                                      "ended",
                                                      "window",
                                                      "tour-weight",
                                                      "infeasible"};

}  // namespace warpath::definitions
