#include "ptx/opcodes.hpp"

#include "ptx/program.hpp"
#include "src/opcodes/opcode.hpp"

namespace ptx {
namespace {

const OpcodeTable& all_opcodes() {
  static const OpcodeTable all = [] {
    OpcodeTable table;
    add_move_opcodes(table);
    add_comparison_opcodes(table);
    add_integer_opcodes(table);
    add_float_opcodes(table);
    add_conversion_opcodes(table);
    add_memory_opcodes(table);
    add_copy_opcodes(table);
    add_control_flow_opcodes(table);
    add_warp_collectives(table);
    return table;
  }();
  return all;
}

}  // namespace

Opcode find_opcode(std::string_view name) {
  const auto found = all_opcodes().find(name);
  if (found == all_opcodes().end()) {
    throw SyntaxError("unknown instruction: " + std::string(name));
  }
  return found->second;
}

std::vector<std::string> opcode_names() {
  std::vector<std::string> names;
  for (const auto& [name, opcode] : all_opcodes()) names.push_back(name);
  return names;
}

}  // namespace ptx
