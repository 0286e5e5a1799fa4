#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpath::base {

/// Tells whether two words differ at most in letter case (ASCII).
bool equal_letters(std::string_view a, std::string_view b);

/// Returns the name that was probably meant, letter case aside: the first one that begins with
/// `wanted`, else the one with the fewest letters added, left out, replaced or swapped with the
/// next. Returns an empty string if more than a third of the letters differ.
std::string_view suggest(std::string_view wanted, std::span<const std::string_view> names);

/// Returns "did you mean r2r?", or an empty string if suggest() finds no name.
std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names);

/// Returns "no preset 'r2'; did you mean r2r? There are paper, r2r, …".
/// @param kind what is named
std::string no_such(std::string_view kind, std::string_view wanted,
                    std::span<const std::string_view> names);

}  // namespace warpath::base
