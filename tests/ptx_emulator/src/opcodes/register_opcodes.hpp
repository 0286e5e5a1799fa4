#pragma once

#include "src/opcodes/opcode.hpp"

// Makes opcodes of stateless functions that only read and write registers.

namespace ptx {

/// Makes an opcode of Result f(T).
template <class T, class Result = T, class F>
Opcode unary(F) {
  return {.execute =
              [](Thread& thread, const Instruction& instruction) {
                const Result result = F{}(thread.get<T>(instruction.operands[0]));
                thread.set<Result>(instruction.results[0], result);
              },
          .max_results = 1,
          .operands = 1};
}

/// Makes an opcode of Result f(T, Second).
template <class T, class Result = T, class Second = T, class F>
Opcode binary(F) {
  return {.execute =
              [](Thread& thread, const Instruction& instruction) {
                const Result result = F{}(thread.get<T>(instruction.operands[0]),
                                          thread.get<Second>(instruction.operands[1]));
                thread.set<Result>(instruction.results[0], result);
              },
          .max_results = 1,
          .operands = 2};
}

/// Makes an opcode of T f(T, T, T).
template <class T, class F>
Opcode ternary(F) {
  return {.execute =
              [](Thread& thread, const Instruction& instruction) {
                const T result = F{}(thread.get<T>(instruction.operands[0]),
                                     thread.get<T>(instruction.operands[1]),
                                     thread.get<T>(instruction.operands[2]));
                thread.set<T>(instruction.results[0], result);
              },
          .max_results = 1,
          .operands = 3};
}

/// Makes an opcode of T f(T, u32): the shift distance has 32 bits, whatever the type.
template <class T, class F>
Opcode shift(F f) {
  return binary<T, T, u32>(f);
}

}  // namespace ptx
