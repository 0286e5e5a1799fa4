#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/kernel.hpp"
#include "src/opcodes/opcode.hpp"

namespace ptx {

/// Reads one entry into a Kernel.
class KernelReader {
 public:
  /// @param dynamic_shared_names names of the arrays that stand for dynamic shared memory.
  KernelReader(Kernel& kernel, const std::set<std::string>& dynamic_shared_names);

  /// @param entry text from the kernel's name to the closing brace of its body.
  /// @throws SyntaxError for anything unknown.
  void read(std::string_view entry);

 private:
  /// Holds what is declared between two braces.
  struct Scope {
    std::string label_prefix;  // other scopes may have the same labels
    std::unordered_map<std::string, int> registers;
  };
  struct Jump {
    std::size_t instruction;
    std::string label_prefix;
    std::string_view label;
  };
  /// Counts the slots and operands of an instruction that have been read.
  struct OperandCount {
    int result_slots = 0, operand_slots = 0, operands = 0;
  };

  void read_parameters(std::string_view text);
  void read_thread_limit(std::string_view text);
  void read_body(std::string_view text);
  void change_scope(bool opens);
  void read_statement(std::string_view text);
  void declare_registers(std::string_view text);
  void place_shared_array(std::string_view text);
  void read_instruction(std::string_view text);
  std::string_view read_guard(std::string_view text, Instruction& instruction);
  void read_operand(std::string_view text, const Opcode& opcode, Instruction& instruction,
                    OperandCount& count);
  void read_address(std::string_view text, Instruction& instruction, OperandCount& count);

  int slot_of(std::string_view operand);
  int find_register(std::string_view name) const;
  int slot_of_constant(std::uint64_t bits);
  int add_constant(std::uint64_t bits);

  void number_constants();
  void resolve_jumps();
  void place_dynamic_shared();

  Kernel& kernel_;
  const std::set<std::string>& dynamic_shared_names_;
  std::vector<Scope> scopes_;
  int scope_count_ = 0, slot_count_ = static_cast<int>(SpecialRegister::count);
  std::unordered_map<std::string, std::uint32_t> offsets_;  // of parameters and shared arrays
  std::unordered_map<std::string, std::uint32_t> labels_;
  std::unordered_map<std::uint64_t, int> constant_slots_;
  std::vector<std::size_t> dynamic_shared_constants_;
  std::vector<Jump> jumps_;
};

}  // namespace ptx
