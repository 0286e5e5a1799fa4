#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Splits PTX statements into their parts.

namespace ptx {

/// Removes white space at both ends.
std::string_view trim(std::string_view text);

/// Removes comments to the end of a line; nvcc writes no others.
std::string remove_comments(std::string_view text);

/// Tells whether names and labels may contain that character.
bool is_name_character(char c);

/// Splits "a, {b, c}, [d+4]" at its outer commas.
std::vector<std::string_view> split_operands(std::string_view text);

/// Splits at white space.
std::vector<std::string_view> split_words(std::string_view text);

/// Reads "-12", "0x1F" or "7U". @throws SyntaxError for anything else.
std::int64_t parse_integer(std::string_view text);

/// Reads "0f3F800000", "0d3FF0000000000000" or an integer.
/// @throws SyntaxError for anything else.
std::uint64_t parse_constant(std::string_view text);

struct VariableDeclaration {
  std::string name;
  std::uint32_t align, bytes;
};

/// Reads ".param .align 8 .b8 name[752]" or ".param .u64 name".
/// @throws SyntaxError for anything else.
VariableDeclaration parse_variable(std::string_view text);

}  // namespace ptx
