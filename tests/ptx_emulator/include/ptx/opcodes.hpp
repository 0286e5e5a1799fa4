#pragma once

#include <string>
#include <vector>

namespace ptx {

/// Returns the opcodes that the emulator executes, with all of their suffixes ("add.rn.f32"), in
/// alphabetical order.
std::vector<std::string> opcode_names();

}  // namespace ptx
