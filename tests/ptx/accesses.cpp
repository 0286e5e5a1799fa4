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

// Addresses of shared memory and of parameters are 32 or 64 bits wide; slots hold both alike.
u64 address(const Thread& t, I i) {
  return t.get<u64>(i.from[0]) + static_cast<u64>(i.offset);
}

// An access as a whole: of all elements of a vector.
template <Space space>
void visit(Thread& t, Direction direction, u64 address, std::size_t bytes) {
  if (address % bytes != 0) throw Fault("is not aligned");
  if (space == Space::parameter || !t.block->is_profiled) return;
  const Where where = space == Space::shared ? Where::shared : Where::global;
  t.visits.push_back({t.pc, where, direction, address, bytes});
}

/// @param access atomic: volatile or relaxed. Then other threads may wait for what this one does,
/// or
///   it for them, so that it lets them go on behind a load.
/// @param Slot what a register gets: narrow integers are widened by their sign.
template <Space space, Access access, class T, class Slot>
void load(Thread& t, I i) {
  const u64 from = address(t, i);
  visit<space>(t, Direction::load, from, sizeof(T) * i.vector);
  for (int k = 0; k < i.vector; ++k) {
    T value;
    std::memcpy(&value, touch<space>(t, from + k * sizeof(T), sizeof(T), access), sizeof(T));
    t.set<Slot>(i.to[k], value);
  }
  if (access == Access::atomic) t.state = Thread::State::yields;
}

template <Space space, Access access, class T>
void store(Thread& t, I i) {
  const u64 to = address(t, i);
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
                visit<space>(t, Direction::store, address(t, i), sizeof(T));
                void* place = touch<space>(t, address(t, i), sizeof(T), Access::atomic);
                T old;
                std::memcpy(&old, place, sizeof old);
                const T value = F{}(old, t.get<T>(i.from[1]));
                std::memcpy(place, &value, sizeof value);
                t.set<T>(i.to[0], old);
              },
          .has_result = true};
}

template <Space space, class T, class Slot = T>
void add_type(Table& table, const std::string& name, const std::string& type) {
  const Form loads{.execute = load<space, Access::read, T, Slot>, .has_result = true};
  const Form stores{.execute = store<space, Access::write, T>};
  const Form shared_loads{.execute = load<space, Access::atomic, T, Slot>, .has_result = true};
  const Form shared_stores{.execute = store<space, Access::atomic, T>};
  for (const char* vector : {"", ".v2", ".v4"}) {
    const std::string tail = vector + ("." + type);
    table["ld." + name + tail] = loads;
    table["st." + name + tail] = stores;
    table["ld.volatile." + name + tail] = shared_loads;
    table["st.volatile." + name + tail] = shared_stores;
    // Relaxed accesses name no space; all of ours are to global memory.
    if (space != Space::global) continue;
    table["ld.relaxed.gpu" + tail] = shared_loads;
    table["st.relaxed.gpu" + tail] = shared_stores;
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

// Begun at once, arrived when it is waited for.
void begin_copy(Thread& t, I i) {
  t.copies.push_back({t.get<u64>(i.from[0]), t.get<u64>(i.from[1]), t.get<u32>(i.from[2])});
}
void wait_for_copies(Thread& t, I i) {
  if (t.get<u32>(i.from[0]) != 0) throw Fault("waits for part of the copies");
  for (const Thread::Copy& copy : t.copies) {
    visit<Space::global>(t, Direction::load, copy.from, copy.bytes);
    visit<Space::shared>(t, Direction::store, copy.to, copy.bytes);
    const void* from = touch<Space::global>(t, copy.from, copy.bytes, Access::read);
    std::memcpy(touch<Space::shared>(t, copy.to, copy.bytes, Access::write), from, copy.bytes);
  }
  t.copies.clear();
}

}  // namespace

void add_accesses(Table& table) {
  add_space<Space::parameter>(table, "param");
  add_space<Space::shared>(table, "shared");
  add_space<Space::global>(table, "global");
  table["cp.async.ca.shared.global"] = {.execute = begin_copy};
  table["cp.async.commit_group"] = {.execute = nothing};
  table["cp.async.wait_group"] = {.execute = wait_for_copies};
  table["membar.cta"] = {.execute = nothing};
}

}  // namespace warpath::testing::ptx
