#pragma once

#include <simdjson.h>

#include <string_view>

#include "warpath/error.hpp"

namespace warpath::formats {

/// Reports why a text that the parser refused is not JSON: what it is instead, or at which line and
/// column it goes wrong and what is expected there.
/// @param where may name an item, such as a line, that the text is a part of.
/// @throws InputError always.
[[noreturn]] void fail_json(std::string_view text, InputError::Where where,
                            simdjson::error_code code);

}  // namespace warpath::formats
