#pragma once

#include <cstdint>
#include <string>

namespace warpath {

/// Decompresses gzip data of one or more members, in memory for the content and no more.
/// @param name of the file, for errors.
/// @throws InputError where they are damaged, or hold more than `max_bytes`.
std::string gunzip(const std::string& packed, const std::string& name, std::uint64_t max_bytes);

/// @throws InputError that says how an input of more than `max_bytes` can be read all the same.
[[noreturn]] void fail_too_large(const std::string& name, std::uint64_t max_bytes,
                                 bool is_packed = false);

}  // namespace warpath
