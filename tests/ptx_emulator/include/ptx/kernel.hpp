#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ptx {

struct Thread;
struct Instruction;

/// Executes an instruction for one thread.
using Execute = void (*)(Thread&, const Instruction&);
/// Executes an instruction for lanes of a warp that have waited for each other.
using ExecuteCollective = void (*)(std::span<Thread* const> lanes);

/// Names the special registers; they are the first slots of every thread, in this order.
enum class SpecialRegister : int {
  tid,
  ntid,
  ctaid,
  nctaid,
  laneid,
  lanemask_le,
  lanemask_ge,
  count
};

/// Holds an instruction that has been read. Its operands are numbers of slots: a thread has 8 bytes
/// for each special register, then for each register of the kernel, then for each constant.
struct Instruction {
  static constexpr int no_slot = -1;

  Execute execute = nullptr;
  ExecuteCollective collective = nullptr;  ///< null unless the lanes of a warp wait for each other
  int mask = no_slot;                      ///< which lanes those are
  int guard = no_slot;                     ///< the predicate that decides whether it is executed
  bool guard_value = true;                 ///< the value that the predicate must have
  std::array<int, 4> results{no_slot, no_slot, no_slot, no_slot};
  std::array<int, 5> operands{no_slot, no_slot, no_slot, no_slot, no_slot};
  int vector_size = 1;            ///< elements of a load or store
  std::int64_t offset = 0;        ///< added to the address in the first operand
  bool is_move = false;           ///< copies a register; machine code may not need it
  std::uint32_t jump_target = 0;  ///< index into Kernel::code
};

/// Holds a kernel that has been read.
struct Kernel {
  std::string name;
  std::vector<std::uint32_t> parameter_offsets, parameter_bytes;
  std::uint32_t static_shared = 0;  ///< bytes; dynamic shared memory begins behind them
  unsigned max_threads = 1024;      ///< maximum of a block
  std::vector<Instruction> code;
  std::vector<std::string> text;  ///< of each instruction
  int first_constant = 0;         ///< the slot of the first constant
  std::vector<std::uint64_t> constants;
};

}  // namespace ptx
