#pragma once

#include <cstddef>

#include "src/opcodes/opcode.hpp"

// Defines what loads, stores, atomics and asynchronous copies share.

namespace ptx {

/// Checks and records a thread's access. Returns the host's pointer to that address.
template <MemorySpace space>
void* access_memory(Thread& thread, u64 address, std::size_t bytes, AccessKind kind) {
  Block& block = *thread.block;
  if constexpr (space == MemorySpace::shared) {
    return block.access_shared(address, bytes, kind, thread);
  } else if constexpr (space == MemorySpace::global) {
    return block.global.access(address, bytes, kind, thread);
  } else {
    return const_cast<void*>(block.parameter(address, bytes));
  }
}

/// Returns the address in the first operand. In shared memory and in parameters it has 32 bits,
/// however wide the register is.
template <MemorySpace space>
u64 address_of(const Thread& thread, const Instruction& instruction) {
  const u64 sum = thread.get<u64>(instruction.operands[0]) + static_cast<u64>(instruction.offset);
  return space == MemorySpace::global ? sum : static_cast<u32>(sum);
}

/// Records a whole access, with all elements of a vector, for the profile.
/// @throws Fault at an address that is not a multiple of `bytes`.
template <MemorySpace space>
void note_access(Thread& thread, Direction direction, u64 address, std::size_t bytes) {
  if (address % bytes != 0) throw Fault("is not aligned");
  if (space == MemorySpace::parameter || !thread.block->is_profiled) return;
  thread.accesses.push_back({thread.pc, space, direction, address, bytes});
}

}  // namespace ptx
