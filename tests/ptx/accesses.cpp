#include <algorithm>
#include <cstring>

#include "tests/ptx/table.hpp"

// Loads, stores, atomics and asynchronous copies.

namespace warpath::testing::ptx {
namespace {

enum class Space { parameter, shared, global };

template <Space space>
void* touch(Thread& t, u64 address, std::size_t bytes, Access access) {
  if constexpr (space == Space::shared) return t.block->touch_shared(address, bytes, access, t);
  if constexpr (space == Space::global) return t.block->global.touch(address, bytes, access, t);
  return const_cast<void*>(t.block->parameter(address, bytes));
}

// Of shared memory and of parameters they have 32 bits, whatever the register has.
template <Space space>
u64 address(const Thread& t, I i) {
  const u64 sum = t.get<u64>(i.from[0]) + static_cast<u64>(i.offset);
  return space == Space::global ? sum : static_cast<u32>(sum);
}

// An access as a whole: of all elements of a vector.
template <Space space>
void visit(Thread& t, Direction direction, u64 address, std::size_t bytes) {
  if (address % bytes != 0) throw Fault("is not aligned");
  if (space == Space::parameter || !t.block->is_profiled) return;
  const Where where = space == Space::shared ? Where::shared : Where::global;
  t.visits.push_back({t.pc, where, direction, address, bytes});
}

/// @param access atomic_read: volatile or relaxed. Then other threads may wait for what this one
/// does, or
///   it for them, so that it lets them go on behind a load.
/// @param Slot what a register gets: narrow integers are widened by their sign.
template <Space space, Access access, class T, class Slot>
void load(Thread& t, I i) {
  const u64 from = address<space>(t, i);
  visit<space>(t, Direction::load, from, sizeof(T) * i.vector);
  for (int k = 0; k < i.vector; ++k) {
    T value;
    std::memcpy(&value, touch<space>(t, from + k * sizeof(T), sizeof(T), access), sizeof(T));
    t.set<Slot>(i.to[k], value);
  }
  if (is_atomic(access)) t.state = Thread::State::yields;
}

template <Space space, Access access, class T>
void store(Thread& t, I i) {
  const u64 to = address<space>(t, i);
  visit<space>(t, Direction::store, to, sizeof(T) * i.vector);
  for (int k = 0; k < i.vector; ++k) {
    const T value = t.get<T>(i.from[k + 1]);
    std::memcpy(touch<space>(t, to + k * sizeof(T), sizeof(T), access), &value, sizeof(T));
  }
}

template <Space space, class T, class F>
Form atomic(F) {
  return {.execute =
              [](Thread& t, I i) {
                visit<space>(t, Direction::store, address<space>(t, i), sizeof(T));
                void* place = touch<space>(t, address<space>(t, i), sizeof(T), Access::atomic);
                T old;
                std::memcpy(&old, place, sizeof old);
                const T value = F{}(old, t.get<T>(i.from[1]));
                std::memcpy(place, &value, sizeof value);
                t.set<T>(i.to[0], old);
              },
          .results = 1,
          .operands = 2};
}

template <Space space, class T, class Slot = T>
void add_type(Table& table, const std::string& name, const std::string& type) {
  const auto load_form = [](Execute execute) {
    return Form{.execute = execute, .results = 4, .operands = 1};
  };
  const auto store_form = [](Execute execute) { return Form{.execute = execute, .operands = 2}; };
  const Form loads = load_form(load<space, Access::read, T, Slot>);
  const Form stores = store_form(store<space, Access::write, T>);
  const Form atomic_loads = load_form(load<space, Access::atomic_read, T, Slot>);
  const Form atomic_stores = store_form(store<space, Access::atomic_write, T>);
  for (const char* vector : {"", ".v2", ".v4"}) {
    const std::string tail = vector + ("." + type);
    table["ld." + name + tail] = loads;
    table["st." + name + tail] = stores;
    table["ld.volatile." + name + tail] = atomic_loads;
    table["st.volatile." + name + tail] = atomic_stores;
    // Relaxed accesses name no space; all of ours are to global memory.
    if (space != Space::global) continue;
    table["ld.relaxed.gpu" + tail] = atomic_loads;
    table["st.relaxed.gpu" + tail] = atomic_stores;
  }
}

template <Space space>
void add_space(Table& table, const std::string& name) {
  add_type<space, u8>(table, name, "u8");
  add_type<space, u16>(table, name, "u16");
  add_type<space, u32>(table, name, "u32");
  add_type<space, u64>(table, name, "u64");
  add_type<space, float>(table, name, "f32");
  add_type<space, s32, s64>(table, name, "s32");
  if constexpr (space != Space::parameter) {
    const std::string atom = "atom." + name;
    table[atom + ".add.u32"] = atomic<space, u32>([](u32 a, u32 b) { return a + b; });
    table[atom + ".add.u64"] = atomic<space, u64>([](u64 a, u64 b) { return a + b; });
    table[atom + ".max.u64"] = atomic<space, u64>([](u64 a, u64 b) { return std::max(a, b); });
  }
}

void nothing(Thread&, I) {}

// Begun at once, arrived when the group in which it was committed is waited for.
void begin_copy(Thread& t, I i) {
  const u32 bytes = t.get<u32>(i.from[2]);
  if (t.get<u32>(i.from[3]) != bytes) throw Fault("copies less than it fills");
  t.copies.push_back({address<Space::shared>(t, i), t.get<u64>(i.from[1]), bytes, false});
}
void commit_copies(Thread& t, I) {
  for (Thread::Copy& copy : t.copies) copy.is_committed = true;
}
void wait_for_copies(Thread& t, I i) {
  if (t.get<u32>(i.from[0]) != 0) throw Fault("waits for part of the copies");
  for (const Thread::Copy& copy : t.copies) {
    if (!copy.is_committed) continue;
    visit<Space::global>(t, Direction::load, copy.from, copy.bytes);
    visit<Space::shared>(t, Direction::store, copy.to, copy.bytes);
    const void* from = touch<Space::global>(t, copy.from, copy.bytes, Access::read);
    std::memcpy(touch<Space::shared>(t, copy.to, copy.bytes, Access::write), from, copy.bytes);
  }
  std::erase_if(t.copies, [](const Thread::Copy& copy) { return copy.is_committed; });
}

}  // namespace

void add_accesses(Table& table) {
  add_space<Space::parameter>(table, "param");
  add_space<Space::shared>(table, "shared");
  add_space<Space::global>(table, "global");
  table["cp.async.ca.shared.global"] = {.execute = begin_copy, .operands = 4};
  table["cp.async.commit_group"] = {.execute = commit_copies};
  table["cp.async.wait_group"] = {.execute = wait_for_copies, .operands = 1};
  table["membar.cta"] = {.execute = nothing};
}

}  // namespace warpath::testing::ptx
