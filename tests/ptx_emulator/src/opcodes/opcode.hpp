#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "ptx/kernel.hpp"
#include "src/thread.hpp"

namespace ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// Says what an opcode does, and how its operands are to be read.
struct Opcode {
  Execute execute = nullptr;
  int max_results = 0;     ///< slots of the result, the first operand: "a", "a|b" or "{a, b}"
  int operands = 0;        ///< exact number after the result; a vector counts as one
  bool is_branch = false;  ///< its operand is a label
  /// Not null if lanes of a warp wait for each other. The last operand is then their mask.
  ExecuteCollective collective = nullptr;
};

/// Maps names with all suffixes, such as "add.rn.f32", to opcodes.
using OpcodeTable = std::map<std::string, Opcode, std::less<>>;

// Each function adds its opcodes; see the file of that name.
void add_move_opcodes(OpcodeTable& table);
void add_comparison_opcodes(OpcodeTable& table);
void add_integer_opcodes(OpcodeTable& table);
void add_float_opcodes(OpcodeTable& table);
void add_conversion_opcodes(OpcodeTable& table);
void add_memory_opcodes(OpcodeTable& table);
void add_copy_opcodes(OpcodeTable& table);
void add_control_flow_opcodes(OpcodeTable& table);
void add_warp_collectives(OpcodeTable& table);

/// @throws SyntaxError for a name that is not in the table.
Opcode find_opcode(std::string_view name);

}  // namespace ptx
