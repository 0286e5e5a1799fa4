#pragma once

#include <string_view>

#include "tests/ptx/program.hpp"

namespace warpath::testing::ptx {

/// What an instruction does, and how its operands are to be read.
struct Form {
  Execute execute = nullptr;
  int results = 0;      ///< at most; its first operand, "a", "a|b" or "{a, b}"
  int operands = 0;     ///< behind that, exactly; a vector is one
  bool jumps = false;   ///< its operand is a label
  Meet meet = nullptr;  ///< lanes of a warp wait for each other; the mask is its last operand
};

/// @param mnemonic with all of its suffixes, "add.rn.f32".
/// @throws SyntaxError for one that is not known.
Form form_of(std::string_view mnemonic);

}  // namespace warpath::testing::ptx
