#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "tests/ptx/instructions.hpp"
#include "tests/ptx/machine.hpp"

// What the parts of the table of instructions share.

namespace warpath::testing::ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

/// By mnemonic.
using Table = std::unordered_map<std::string, Form>;
using I = const Instruction&;

void add_arithmetic(Table& table);
void add_accesses(Table& table);
void add_meetings(Table& table);

}  // namespace warpath::testing::ptx
