#include "tests/ptx/memory.hpp"

#include <algorithm>
#include <new>

#include "tests/ptx/machine.hpp"

namespace warpath::testing::ptx {
namespace {

std::string name_of(const Mark& mark, const Thread& now) {
  const std::string thread = "thread " + std::to_string(mark.thread);
  return mark.block == now.block->serial ? thread : thread + " of another block";
}

}  // namespace

Shadow::Shadow(std::size_t bytes, bool is_shared)
    : marks_(static_cast<Marks*>(std::calloc(bytes + 1, sizeof(Marks)))), is_shared_(is_shared) {
  if (marks_ == nullptr) throw std::bad_alloc();
}

bool Shadow::is_ordered(const Mark& mark, Access access, const Thread& now) const {
  const Block& block = *now.block;
  if (mark.block < block.first_of_launch) return true;
  if (mark.is_atomic && is_atomic(access)) return true;
  if (mark.block != block.serial) return is_shared_;
  const Thread& other = block.threads[mark.thread];
  if (&other == &now || mark.time < other.block_time) return true;
  return other.index / 32 == now.index / 32 && mark.time < now.seen[other.lane()];
}

void Shadow::touch(std::size_t at, Access access, const Thread& thread) {
  Marks& marks = marks_[at];
  if (!is_ordered(marks.write, access, thread)) {
    throw Fault("races with a write by " + name_of(marks.write, thread));
  }
  if (writes(access) && !is_ordered(marks.read, access, thread)) {
    throw Fault("races with a read by " + name_of(marks.read, thread));
  }
  Mark& mark = writes(access) ? marks.write : marks.read;
  mark.block = thread.block->serial;
  mark.thread = thread.index;
  mark.is_atomic = is_atomic(access);
  mark.time = thread.time;
}

void GlobalMemory::add(void* first, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(first);
  allocations_.emplace(address + bytes, Allocation{address, address + bytes, Shadow(bytes, false),
                                                   std::vector<bool>(bytes)});
}

void GlobalMemory::remove(void* first) {
  last_ = nullptr;
  std::erase_if(allocations_, [&](const auto& entry) {
    return entry.second.first == reinterpret_cast<std::uint64_t>(first);
  });
}

GlobalMemory::Allocations::const_iterator GlobalMemory::find(std::uint64_t address,
                                                             std::size_t bytes) const {
  const auto found = allocations_.upper_bound(address);
  const bool holds = found != allocations_.end() && address >= found->second.first &&
                     bytes <= found->second.end - address;
  return holds ? found : allocations_.end();
}

bool GlobalMemory::holds(const void* first, std::size_t bytes) const {
  return find(reinterpret_cast<std::uint64_t>(first), bytes) != allocations_.end();
}

void GlobalMemory::note_write(const void* first, std::size_t bytes) {
  if (!holds(first, bytes)) return;
  const auto address = reinterpret_cast<std::uint64_t>(first);
  Allocation& there = holder(address, bytes);
  std::fill_n(there.is_written.begin() + static_cast<std::ptrdiff_t>(address - there.first), bytes,
              true);
}

GlobalMemory::Allocation& GlobalMemory::holder(std::uint64_t address, std::size_t bytes) {
  if (last_ == nullptr || address < last_->first || address > last_->end - bytes) {
    const auto found = find(address, bytes);
    if (found == allocations_.end()) {
      const auto behind = allocations_.upper_bound(address);
      const bool is_behind = behind != allocations_.begin();
      throw Fault("is outside of device memory" +
                  (is_behind ? ", " + std::to_string(address - std::prev(behind)->second.end) +
                                   " bytes behind an allocation"
                             : ""));
    }
    last_ = &allocations_.at(found->first);
  }
  return *last_;
}

void* GlobalMemory::touch(std::uint64_t address, std::size_t bytes, Access access,
                          const Thread& thread) {
  if (address % bytes != 0) throw Fault("is not aligned");
  Allocation& allocation = holder(address, bytes);
  const std::size_t at = address - allocation.first;
  for (std::size_t k = 0; k < bytes; k += 4) allocation.shadow.touch(at + k, access, thread);
  for (std::size_t k = at; k < at + bytes; ++k) {
    if (reads(access) && !allocation.is_written[k]) throw Fault("was never written");
    if (writes(access)) allocation.is_written[k] = true;
  }
  return reinterpret_cast<void*>(address);
}

}  // namespace warpath::testing::ptx
