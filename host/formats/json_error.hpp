#pragma once

#include <simdjson.h>

#include <string_view>

#include "warpath/error.hpp"

namespace warpath {

/// Says why a text that the parser refused is no JSON: what else it is, or at which line and column
/// it goes wrong and what should be there.
/// @param where may name an item, a line say, that the text is a part of.
/// @throws InputError always.
[[noreturn]] void fail_json(std::string_view text, InputError::Where where,
                            simdjson::error_code code);

}  // namespace warpath
