#pragma once

#include <cstddef>
#include <string>

namespace warpath::scorer {

/// Returns the number of pairs from which on a GPU is faster on this machine: the number that
/// `warpath bench --save` measured, else a conservative default. Reads a file.
std::size_t break_even();

/// Saves that number for this user, in $XDG_CACHE_HOME/warpath or ~/.cache/warpath. Returns the
/// file's name.
/// @throws InputError if the file cannot be written
std::string save_break_even(std::size_t pairs);

}  // namespace warpath::scorer
