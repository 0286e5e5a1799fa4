#pragma once

#include <cstdint>
#include <string>

namespace warpath::io {

/// Decompresses gzip data of one or more members; allocates memory for the content only.
/// @param name of the file, for errors.
/// @throws InputError if the data are damaged or hold more than `max_bytes`.
std::string gunzip(const std::string& packed, const std::string& name, std::uint64_t max_bytes);

/// Reports an input of more than `max_bytes`. @throws InputError that says how it can still be
/// read.
[[noreturn]] void fail_too_large(const std::string& name, std::uint64_t max_bytes,
                                 bool is_packed = false);

}  // namespace warpath::io
