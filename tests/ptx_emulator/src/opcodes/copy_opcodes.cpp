#include <cstring>

#include "src/opcodes/memory_access.hpp"

// Asynchronous copies from global to shared memory. A copy is done as late as allowed: when the
// kernel waits for the group in which it was committed.

namespace ptx {
namespace {

void begin_copy(Thread& thread, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const u32 bytes = thread.get<u32>(operands[2]);
  if (thread.get<u32>(operands[3]) != bytes) throw Fault("copies less than it fills");
  thread.copies.push_back({address_of<MemorySpace::shared>(thread, instruction),
                           thread.get<u64>(operands[1]), bytes, false});
}

void commit_copies(Thread& thread, const Instruction&) {
  for (Thread::Copy& copy : thread.copies) copy.is_committed = true;
}

void do_copy(Thread& thread, const Thread::Copy& copy) {
  note_access<MemorySpace::global>(thread, Direction::load, copy.from, copy.bytes);
  note_access<MemorySpace::shared>(thread, Direction::store, copy.to, copy.bytes);
  const void* from =
      access_memory<MemorySpace::global>(thread, copy.from, copy.bytes, AccessKind::read);
  void* to = access_memory<MemorySpace::shared>(thread, copy.to, copy.bytes, AccessKind::write);
  std::memcpy(to, from, copy.bytes);
}

void wait_for_copies(Thread& thread, const Instruction& instruction) {
  if (thread.get<u32>(instruction.operands[0]) != 0) throw Fault("waits for part of the copies");
  for (const Thread::Copy& copy : thread.copies) {
    if (copy.is_committed) do_copy(thread, copy);
  }
  std::erase_if(thread.copies, [](const Thread::Copy& copy) { return copy.is_committed; });
}

}  // namespace

void add_copy_opcodes(OpcodeTable& table) {
  table["cp.async.ca.shared.global"] = {.execute = begin_copy, .operands = 4};
  table["cp.async.cg.shared.global"] = {.execute = begin_copy, .operands = 4};
  table["cp.async.commit_group"] = {.execute = commit_copies};
  table["cp.async.wait_group"] = {.execute = wait_for_copies, .operands = 1};
}

}  // namespace ptx
