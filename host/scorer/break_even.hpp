#pragma once

#include <cstddef>
#include <string>

namespace warpath {

/// Pairs from which on a GPU pays on this machine: what `warpath bench --save` measured, else a
/// guess on the safe side.
std::size_t break_even();

/// Keeps it for this user, in $XDG_CACHE_HOME/warpath or ~/.cache/warpath. Returns the file's name.
/// @throws InputError where that cannot be written.
std::string save_break_even(std::size_t pairs);

}  // namespace warpath
