#include "ptx/global_memory.hpp"

#include <algorithm>
#include <string>

#include "src/memory/checked_access.hpp"

namespace ptx {

void GlobalMemory::add(void* first, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(first);
  allocations_.emplace(address + bytes,
                       Allocation{address, address + bytes, ShadowMemory(bytes, false),
                                  std::vector<unsigned char>(bytes)});
}

void GlobalMemory::remove(void* first) {
  last_used_.fill(nullptr);
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

void GlobalMemory::mark_written(const void* first, std::size_t bytes) {
  if (!holds(first, bytes)) return;
  const auto address = reinterpret_cast<std::uint64_t>(first);
  Allocation& allocation = allocation_of(address, bytes);
  std::fill_n(
      allocation.is_written.begin() + static_cast<std::ptrdiff_t>(address - allocation.first),
      bytes, 1);
}

GlobalMemory::Allocation& GlobalMemory::allocation_of(std::uint64_t address, std::size_t bytes) {
  Allocation*& last = last_used_[address / page_bytes % last_used_.size()];
  if (last != nullptr && address >= last->first && address <= last->end - bytes) return *last;
  if (const auto found = find(address, bytes); found != allocations_.end()) {
    last = &allocations_.at(found->first);
    return *last;
  }
  std::string message = "is outside of device memory";
  if (const auto behind = allocations_.upper_bound(address); behind != allocations_.begin()) {
    const std::uint64_t distance = address - std::prev(behind)->second.end;
    message += ", " + std::to_string(distance) + " bytes behind an allocation";
  }
  throw Fault(message);
}

void* GlobalMemory::access(std::uint64_t address, std::size_t bytes, AccessKind kind,
                           const Thread& thread) {
  if (address % bytes != 0) throw Fault("is not aligned");
  Allocation& allocation = allocation_of(address, bytes);
  check_access(address - allocation.first, bytes, kind, thread, allocation.shadow,
               allocation.is_written);
  return reinterpret_cast<void*>(address);
}

}  // namespace ptx
