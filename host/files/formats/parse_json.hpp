#pragma once

#include <simdjson.h>

#include <cstddef>
#include <string_view>

#include "host/files/json/value.hpp"
#include "warpath/error.hpp"

namespace warpath::formats {

/// Parses one document, and accepts literals that are not finite and integers of any length. An
/// object takes the place of each, with the key "\\0" and the sign of an infinity, 0 for NaN, or
/// the digits of an integer as a string. No writer makes such an object.
/// @pre simdjson::SIMDJSON_PADDING bytes behind the text may be read.
simdjson::error_code try_parse(json::Parser& parser, std::string_view text, json::Value& root);

/// Parses as try_parse does. If the text is refused, it may have been changed.
/// @pre simdjson::SIMDJSON_PADDING bytes behind `size` may be read.
/// @throws InputError that names `where`.
json::Value parse_json(json::Parser& parser, char* text, std::size_t size,
                       const InputError::Where& where);

}  // namespace warpath::formats
