#include "tests/ptx/instructions.hpp"

#include <string>

#include "tests/ptx/table.hpp"

// The instructions that nvcc makes of warpath's kernels and of the toolkit's behind them, as the
// "Instruction Set" chapter of the PTX ISA has them; others are added when they turn up.

namespace warpath::testing::ptx {
namespace {

void jump(Thread& t, I i) {
  t.pc = i.target;
}
void end(Thread& t, I) {
  if (!t.copies.empty()) throw Fault("ends before its copies arrived");
  t.state = Thread::State::ended;
}
void yield(Thread& t, I) {
  t.state = Thread::State::yields;
}

Table make_table() {
  Table table;
  add_arithmetic(table);
  add_accesses(table);
  add_meetings(table);
  table["nanosleep.u32"] = {.execute = yield, .operands = 1};
  for (const char* name : {"bra", "bra.uni"})
    table[name] = {.execute = jump, .operands = 1, .jumps = true};
  for (const char* name : {"ret", "exit"}) table[name] = {.execute = end};
  return table;
}

}  // namespace

Form form_of(std::string_view mnemonic) {
  static const Table table = make_table();
  const auto found = table.find(std::string(mnemonic));
  if (found == table.end()) throw SyntaxError("unknown instruction: " + std::string(mnemonic));
  return found->second;
}

}  // namespace warpath::testing::ptx
