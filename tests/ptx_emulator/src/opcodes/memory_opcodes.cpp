#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "src/opcodes/memory_access.hpp"

// Loads, stores and atomic updates.

namespace ptx {
namespace {

// A register gets a Widened: narrow signed integers are sign-extended. After an atomic load other
// threads take their turn, because the thread may repeat the load until one of them has stored.
template <MemorySpace space, AccessKind kind, class T, class Widened>
void load(Thread& thread, const Instruction& instruction) {
  const u64 from = address_of<space>(thread, instruction);
  note_access<space>(thread, Direction::load, from, sizeof(T) * instruction.vector_size);
  for (int k = 0; k < instruction.vector_size; ++k) {
    T value;
    const void* place = access_memory<space>(thread, from + k * sizeof(T), sizeof(T), kind);
    std::memcpy(&value, place, sizeof(T));
    thread.set<Widened>(instruction.results[k], value);
  }
  if (is_atomic(kind)) thread.state = Thread::State::yields;
}

template <MemorySpace space, AccessKind kind, class T>
void store(Thread& thread, const Instruction& instruction) {
  const u64 to = address_of<space>(thread, instruction);
  note_access<space>(thread, Direction::store, to, sizeof(T) * instruction.vector_size);
  for (int k = 0; k < instruction.vector_size; ++k) {
    const T value = thread.get<T>(instruction.operands[k + 1]);
    void* place = access_memory<space>(thread, to + k * sizeof(T), sizeof(T), kind);
    std::memcpy(place, &value, sizeof(T));
  }
}

template <MemorySpace space, class T, class F>
Opcode atomic_update(F) {
  return {.execute =
              [](Thread& thread, const Instruction& instruction) {
                const u64 address = address_of<space>(thread, instruction);
                note_access<space>(thread, Direction::store, address, sizeof(T));
                void* place =
                    access_memory<space>(thread, address, sizeof(T), AccessKind::atomic_update);
                T old;
                std::memcpy(&old, place, sizeof old);
                const T value = F{}(old, thread.get<T>(instruction.operands[1]));
                std::memcpy(place, &value, sizeof value);
                thread.set<T>(instruction.results[0], old);
              },
          .max_results = 1,
          .operands = 2};
}

Opcode load_opcode(Execute execute) {
  return {.execute = execute, .max_results = 4, .operands = 1};
}
Opcode store_opcode(Execute execute) {
  return {.execute = execute, .operands = 2};
}

// Adds the suffixes of the vectors of that type; none has more than 16 bytes.
template <class T>
std::vector<std::string> vector_suffixes() {
  if (sizeof(T) > 4) return {"", ".v2"};
  return {"", ".v2", ".v4"};
}

template <MemorySpace space, class T, class Widened = T>
void add_type(OpcodeTable& table, const std::string& name, const std::string& type) {
  for (const std::string& vector : vector_suffixes<T>()) {
    const std::string tail = vector + "." + type;
    table["ld." + name + tail] = load_opcode(load<space, AccessKind::read, T, Widened>);
    if constexpr (space != MemorySpace::parameter) {
      table["st." + name + tail] = store_opcode(store<space, AccessKind::write, T>);
      const Opcode loads = load_opcode(load<space, AccessKind::atomic_read, T, Widened>);
      const Opcode stores = store_opcode(store<space, AccessKind::atomic_write, T>);
      table["ld.volatile." + name + tail] = loads;
      table["st.volatile." + name + tail] = stores;
      // These name no memory space; their generic addresses are treated as global memory.
      if (space != MemorySpace::global) continue;
      table["ld.relaxed.gpu" + tail] = loads;
      table["st.relaxed.gpu" + tail] = stores;
      table["ld.cg" + tail] = table["ld." + name + tail];
      table["st.cg" + tail] = table["st." + name + tail];
    }
  }
}

template <MemorySpace space>
void add_loads_and_stores(OpcodeTable& table, const std::string& name) {
  add_type<space, u8>(table, name, "u8");
  add_type<space, u16>(table, name, "u16");
  add_type<space, u32>(table, name, "u32");
  add_type<space, u64>(table, name, "u64");
  add_type<space, float>(table, name, "f32");
  add_type<space, double>(table, name, "f64");
  add_type<space, s32, s64>(table, name, "s32");
}

template <MemorySpace space>
void add_atomic_updates(OpcodeTable& table, const std::string& name) {
  const std::string atom = "atom." + name;
  table[atom + ".add.u32"] = atomic_update<space, u32>([](u32 a, u32 b) { return a + b; });
  table[atom + ".min.u32"] = atomic_update<space, u32>([](u32 a, u32 b) { return std::min(a, b); });
  table[atom + ".add.u64"] = atomic_update<space, u64>([](u64 a, u64 b) { return a + b; });
  table[atom + ".max.u64"] = atomic_update<space, u64>([](u64 a, u64 b) { return std::max(a, b); });
}

}  // namespace

void add_memory_opcodes(OpcodeTable& table) {
  add_loads_and_stores<MemorySpace::parameter>(table, "param");
  add_loads_and_stores<MemorySpace::shared>(table, "shared");
  add_loads_and_stores<MemorySpace::global>(table, "global");
  add_atomic_updates<MemorySpace::shared>(table, "shared");
  add_atomic_updates<MemorySpace::global>(table, "global");
}

}  // namespace ptx
