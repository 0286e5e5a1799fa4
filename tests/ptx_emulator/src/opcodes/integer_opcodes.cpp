#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>

#include "src/opcodes/register_opcodes.hpp"

// Defines the arithmetic of integers, and operations on their bits.

namespace ptx {
namespace {

// Division by 0, which PTX leaves undefined, gives all ones.
template <class T>
T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) {
    return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}

// A shift by the width of the type or more leaves only zeros or copies of the sign.
template <class T>
T shift_right(T a, u32 distance) {
  constexpr u32 bits = 8 * sizeof(T);
  if constexpr (std::is_unsigned_v<T>) return distance < bits ? a >> distance : 0;
  return a >> (distance < bits ? distance : bits - 1);
}

template <class T>
void add_arithmetic(OpcodeTable& table, const std::string& type) {
  using U = std::make_unsigned_t<T>;
  table["add." + type] = binary<U>([](U a, U b) -> U { return a + b; });
  table["sub." + type] = binary<U>([](U a, U b) -> U { return a - b; });
  table["mul.lo." + type] = binary<U>([](U a, U b) -> U { return u64{a} * b; });
  table["mad.lo." + type] = ternary<U>([](U a, U b, U c) -> U { return u64{a} * b + c; });
  table["min." + type] = binary<T>([](T a, T b) { return std::min(a, b); });
  table["max." + type] = binary<T>([](T a, T b) { return std::max(a, b); });
  table["shr." + type] = shift<T>([](T a, u32 n) { return shift_right(a, n); });
  table["div." + type] = binary<T>([](T a, T b) { return quotient(a, b); });
  table["rem." + type] =
      binary<T>([](T a, T b) -> T { return static_cast<T>(a - quotient(a, b) * b); });
  if constexpr (std::is_signed_v<T>) {
    table["neg." + type] = unary<U>([](U a) -> U { return 0 - a; });
    table["abs." + type] = unary<U>([](U a) -> U { return static_cast<T>(a) < 0 ? 0 - a : a; });
  }
}

template <class T>
void add_logic(OpcodeTable& table, const std::string& type) {
  table["and." + type] = binary<T>([](T a, T b) -> T { return a & b; });
  table["or." + type] = binary<T>([](T a, T b) -> T { return a | b; });
  table["xor." + type] = binary<T>([](T a, T b) -> T { return a ^ b; });
  table["not." + type] = unary<T>([](T a) -> T { return ~a; });
  table["shl." + type] = shift<T>([](T a, u32 n) -> T { return n < 8 * sizeof(T) ? a << n : 0; });
  table["shr." + type] = shift<T>([](T a, u32 n) { return shift_right(a, n); });
}

template <class T>
T reverse_bits(T a) {
  constexpr unsigned bits = 8 * sizeof(T);
  T reversed = 0;
  for (unsigned k = 0; k < bits; ++k) reversed |= (a >> k & 1) << (bits - 1 - k);
  return reversed;
}

// Replaces bits of the second operand by the low bits of the first.
template <class T>
void insert_bit_field(Thread& thread, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const u32 first = thread.get<u32>(operands[2]) & 255, count = thread.get<u32>(operands[3]) & 255;
  const u64 ones = count < 64 ? (u64{1} << count) - 1 : ~u64{0};
  const T mask = static_cast<T>(first < 64 ? ones << first : 0);
  const u64 bits = first < 64 ? u64{thread.get<T>(operands[0])} << first : 0;
  const T kept = thread.get<T>(operands[1]) & static_cast<T>(~mask);
  thread.set<T>(instruction.results[0], static_cast<T>((bits & mask) | kept));
}

template <class T>
void add_bit_counts_and_fields(OpcodeTable& table, const std::string& type) {
  table["clz." + type] = unary<T, u32>([](T a) -> u32 { return std::countl_zero(a); });
  table["popc." + type] = unary<T, u32>([](T a) -> u32 { return std::popcount(a); });
  table["brev." + type] = unary<T>([](T a) { return reverse_bits(a); });
  table["bfi." + type] = {.execute = insert_bit_field<T>, .max_results = 1, .operands = 4};
}

// Puts 4 bytes of {b, a} together. Each hexadecimal digit of the selector names one of the 8 bytes;
// with its highest bit, the byte's sign fills all 8 bits.
u32 permute_bytes(u32 a, u32 b, u32 selector) {
  const u64 bytes = u64{b} << 32 | a;
  u32 result = 0;
  for (int k = 0; k < 4; ++k) {
    const u32 digit = selector >> 4 * k & 15;
    u32 byte = bytes >> 8 * (digit & 7) & 255;
    if (digit & 8) byte = byte & 128 ? 255 : 0;
    result |= byte << 8 * k;
  }
  return result;
}

// Computes half of a 128-bit sum. The carry of a subtraction is a borrow.
template <bool subtracts, bool takes_carry>
void add_half(Thread& thread, const Instruction& instruction) {
  using u128 = unsigned __int128;
  const u128 a = thread.get<u64>(instruction.operands[0]);
  const u128 b = thread.get<u64>(instruction.operands[1]);
  const u128 carry = takes_carry && thread.carry;
  const u128 result = subtracts ? a - b - carry : a + b + carry;
  thread.carry = result >> 64 != 0;
  thread.set<u64>(instruction.results[0], static_cast<u64>(result));
}

void add_carries(OpcodeTable& table) {
  const auto add = [&](const char* name, Execute execute) {
    table[name] = {.execute = execute, .max_results = 1, .operands = 2};
  };
  add("add.cc.s64", add_half<false, false>);
  add("addc.cc.s64", add_half<false, true>);
  add("sub.cc.s64", add_half<true, false>);
  add("subc.cc.s64", add_half<true, true>);
}

// Adds products that are as wide as both factors together.
void add_wide_products(OpcodeTable& table) {
  table["mul.wide.u16"] = binary<u16, u32>([](u16 a, u16 b) -> u32 { return u32{a} * b; });
  table["mul.wide.u32"] = binary<u32, u64>([](u32 a, u32 b) -> u64 { return u64{a} * b; });
  table["mul.wide.s32"] = binary<s32, s64>([](s32 a, s32 b) -> s64 { return s64{a} * b; });
}

}  // namespace

void add_integer_opcodes(OpcodeTable& table) {
  add_arithmetic<u16>(table, "u16");
  add_arithmetic<s16>(table, "s16");
  add_arithmetic<u32>(table, "u32");
  add_arithmetic<s32>(table, "s32");
  add_arithmetic<u64>(table, "u64");
  add_arithmetic<s64>(table, "s64");
  add_logic<u16>(table, "b16");
  add_logic<u32>(table, "b32");
  add_logic<u64>(table, "b64");
  add_bit_counts_and_fields<u32>(table, "b32");
  add_bit_counts_and_fields<u64>(table, "b64");
  table["prmt.b32"] =
      ternary<u32>([](u32 a, u32 b, u32 selector) { return permute_bytes(a, b, selector); });
  add_carries(table);
  add_wide_products(table);
}

}  // namespace ptx
