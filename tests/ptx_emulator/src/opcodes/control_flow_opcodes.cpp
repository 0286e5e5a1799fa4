#include "src/opcodes/opcode.hpp"

// Jumps, ends and barriers of a block.

namespace ptx {
namespace {

void jump(Thread& thread, const Instruction& instruction) {
  thread.pc = instruction.jump_target;
}

void end(Thread& thread, const Instruction&) {
  if (!thread.copies.empty()) throw Fault("ends before its copies arrived");
  thread.state = Thread::State::ended;
}

void yield(Thread& thread, const Instruction&) {
  thread.state = Thread::State::yields;
}

void wait_for_block(Thread& thread, const Instruction& instruction) {
  if (thread.get<u32>(instruction.operands[0]) != 0) throw Fault("is another barrier than 0");
  thread.state = Thread::State::waits_for_block;
  thread.waits_at = &instruction;
}

// Accesses take effect at once, in the order of the program.
void do_nothing(Thread&, const Instruction&) {}

}  // namespace

void add_control_flow_opcodes(OpcodeTable& table) {
  for (const char* name : {"bra", "bra.uni"}) {
    table[name] = {.execute = jump, .operands = 1, .is_branch = true};
  }
  for (const char* name : {"ret", "exit"}) table[name] = {.execute = end};
  table["nanosleep.u32"] = {.execute = yield, .operands = 1};
  table["membar.cta"] = {.execute = do_nothing};
  table["prefetch.global.L2"] = {.execute = do_nothing, .operands = 1};
  table["bar.sync"] = {.execute = wait_for_block, .operands = 1};
  table["bar.red.or.pred"] = {.execute = wait_for_block, .max_results = 1, .operands = 2};
}

}  // namespace ptx
