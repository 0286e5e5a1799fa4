#include <concepts>
#include <string>

#include "src/opcodes/register_opcodes.hpp"

// Comparisons, choices between two values, and logic of predicates. A predicate is 0 or 1 in its
// slot; anything but 0 counts as true.

namespace ptx {
namespace {

template <class T, class F>
void add_comparison(OpcodeTable& table, const char* comparison, const char* type, F compare) {
  table[std::string("setp.") + comparison + "." + type] = binary<T, u64>(compare);
}

template <class T>
void add_equality(OpcodeTable& table, const char* type) {
  add_comparison<T>(table, "eq", type, [](T a, T b) -> u64 { return a == b; });
  add_comparison<T>(table, "ne", type, [](T a, T b) -> u64 { return a != b; });
}

template <class T>
void add_order(OpcodeTable& table, const char* type) {
  add_comparison<T>(table, "lt", type, [](T a, T b) -> u64 { return a < b; });
  add_comparison<T>(table, "le", type, [](T a, T b) -> u64 { return a <= b; });
  add_comparison<T>(table, "gt", type, [](T a, T b) -> u64 { return a > b; });
  add_comparison<T>(table, "ge", type, [](T a, T b) -> u64 { return a >= b; });
}

// With a NaN, a comparison is true if its name ends in u, and false otherwise.
template <std::floating_point T>
void add_float_comparisons(OpcodeTable& table, const char* type) {
  add_order<T>(table, type);
  add_comparison<T>(table, "eq", type, [](T a, T b) -> u64 { return a == b; });
  add_comparison<T>(table, "ne", type, [](T a, T b) -> u64 { return a < b || a > b; });
  add_comparison<T>(table, "equ", type, [](T a, T b) -> u64 { return !(a < b || a > b); });
  add_comparison<T>(table, "neu", type, [](T a, T b) -> u64 { return a != b; });
  add_comparison<T>(table, "ltu", type, [](T a, T b) -> u64 { return !(a >= b); });
  add_comparison<T>(table, "leu", type, [](T a, T b) -> u64 { return !(a > b); });
  add_comparison<T>(table, "gtu", type, [](T a, T b) -> u64 { return !(a <= b); });
  add_comparison<T>(table, "geu", type, [](T a, T b) -> u64 { return !(a < b); });
  add_comparison<T>(table, "num", type, [](T a, T b) -> u64 { return a == a && b == b; });
  add_comparison<T>(table, "nan", type, [](T a, T b) -> u64 { return a != a || b != b; });
}

template <std::integral T>
void add_integer_comparisons(OpcodeTable& table, const char* type) {
  add_equality<T>(table, type);
  add_order<T>(table, type);
}

template <class T>
void select(Thread& thread, const Instruction& instruction) {
  const int chosen = thread.is_true(instruction.operands[2]) ? 0 : 1;
  thread.set<T>(instruction.results[0], thread.get<T>(instruction.operands[chosen]));
}

void add_selections(OpcodeTable& table) {
  const auto add = [&](const char* name, Execute execute) {
    table[name] = {.execute = execute, .max_results = 1, .operands = 3};
  };
  for (const char* name : {"selp.b16", "selp.u16", "selp.s16"}) add(name, select<u16>);
  for (const char* name : {"selp.b32", "selp.u32", "selp.s32", "selp.f32"}) add(name, select<u32>);
  for (const char* name : {"selp.b64", "selp.u64", "selp.s64", "selp.f64"}) add(name, select<u64>);
}

void add_predicate_logic(OpcodeTable& table) {
  table["and.pred"] = binary<u64>([](u64 a, u64 b) -> u64 { return a != 0 && b != 0; });
  table["or.pred"] = binary<u64>([](u64 a, u64 b) -> u64 { return a != 0 || b != 0; });
  table["xor.pred"] = binary<u64>([](u64 a, u64 b) -> u64 { return (a != 0) != (b != 0); });
  table["not.pred"] = unary<u64>([](u64 a) -> u64 { return a == 0; });
}

}  // namespace

void add_comparison_opcodes(OpcodeTable& table) {
  add_integer_comparisons<u16>(table, "u16");
  add_integer_comparisons<s16>(table, "s16");
  add_integer_comparisons<u32>(table, "u32");
  add_integer_comparisons<s32>(table, "s32");
  add_integer_comparisons<u64>(table, "u64");
  add_integer_comparisons<s64>(table, "s64");
  add_equality<u16>(table, "b16");
  add_equality<u32>(table, "b32");
  add_equality<u64>(table, "b64");
  add_float_comparisons<float>(table, "f32");
  add_float_comparisons<double>(table, "f64");
  add_selections(table);
  add_predicate_logic(table);
}

}  // namespace ptx
