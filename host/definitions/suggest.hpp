#pragma once

#include <span>
#include <string>
#include <string_view>

namespace warpath {

/// Whether the two differ in letter case at most (ASCII).
bool equal_letters(std::string_view a, std::string_view b);

/// The name that was probably meant, letter case aside: the first that begins so, else the one with
/// the fewest letters added, left out, replaced or swapped with the next. Empty where more than a
/// third of the letters differ.
std::string_view suggest(std::string_view wanted, std::span<const std::string_view> names);

/// "did you mean r2r?", or nothing where suggest() finds no name.
std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names);

/// "no preset 'r2'; did you mean r2r? There are paper, r2r, …"
/// @param kind what the names name
std::string no_such(std::string_view kind, std::string_view wanted,
                    std::span<const std::string_view> names);

}  // namespace warpath
