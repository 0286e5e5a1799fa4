#include "src/opcodes/register_opcodes.hpp"

// Moves between registers.

namespace ptx {
namespace {

template <class T>
Opcode move() {
  return unary<T>([](T a) { return a; });
}

// Reads {a, b} = c, or c = {a, b}, or one to one.
template <class Whole, class Half>
void move_halves(Thread& thread, const Instruction& instruction) {
  constexpr int bits = 8 * sizeof(Half);
  const auto& results = instruction.results;
  const auto& operands = instruction.operands;
  if (results[1] >= 0) {
    const Whole whole = thread.get<Whole>(operands[0]);
    thread.set<Half>(results[0], static_cast<Half>(whole));
    thread.set<Half>(results[1], static_cast<Half>(whole >> bits));
  } else if (instruction.vector_size == 2) {
    const auto high = static_cast<Whole>(thread.get<Half>(operands[1]));
    thread.set<Whole>(results[0], high << bits | thread.get<Half>(operands[0]));
  } else {
    thread.set<Whole>(results[0], thread.get<Whole>(operands[0]));
  }
}

}  // namespace

void add_move_opcodes(OpcodeTable& table) {
  table["mov.b16"] = move<u16>();
  table["mov.u16"] = move<u16>();
  table["mov.s16"] = move<s16>();
  table["mov.u32"] = move<u32>();
  table["mov.s32"] = move<s32>();
  table["mov.u64"] = move<u64>();
  table["mov.s64"] = move<s64>();
  table["mov.f32"] = move<float>();
  table["mov.f64"] = move<double>();
  table["mov.pred"] = unary<u64>([](u64 a) -> u64 { return a != 0; });
  table["mov.b32"] = {.execute = move_halves<u32, u16>, .max_results = 2, .operands = 1};
  table["mov.b64"] = {.execute = move_halves<u64, u32>, .max_results = 2, .operands = 1};
  // A generic address of global memory is the address itself; generic addresses of other spaces are
  // not supported.
  table["cvta.to.global.u64"] = move<u64>();
}

}  // namespace ptx
