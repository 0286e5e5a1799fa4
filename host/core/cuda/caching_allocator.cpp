#include "host/core/cuda/caching_allocator.hpp"

#include <algorithm>
#include <bit>

namespace warpath::cuda {
namespace {

// Requests up to this size may take any block up to it.
constexpr std::size_t small_block = std::size_t{1} << 16;

// Returns a size with room for growth: four sizes in each power of two.
std::size_t rounded_up(std::size_t bytes) {
  const std::size_t wanted = std::max(bytes + bytes / 8, std::size_t{1} << 12);
  const std::size_t step = std::bit_floor(wanted) / 4;
  return (wanted + step - 1) / step * step;
}

}  // namespace

void* CachingAllocator::take(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  Kept::node_type block;
  if (const auto found = find_kept(bytes); found != kept_.end()) {
    kept_bytes_ -= found->first;
    block = kept_.extract(found);
  } else {
    Kept made;
    block = made.extract(made.emplace(0, std::pair(nullptr, 0)));
    block.mapped().first = allocate(bytes, block.key());
  }
  void* memory = block.mapped().first;
  used_bytes_ += block.key();
  used_.emplace(memory, std::move(block));
  return memory;
}

CachingAllocator::Kept::iterator CachingAllocator::find_kept(std::size_t bytes) {
  const auto found = kept_.lower_bound(bytes);
  const bool fits =
      found != kept_.end() && found->first <= std::max(2 * rounded_up(bytes), small_block);
  return fits ? found : kept_.end();
}

void* CachingAllocator::allocate(std::size_t bytes, std::size_t& size) {
  size = rounded_up(bytes);
  if (used_bytes_ + size > bound_) size = bytes;
  shrink_to(bound_ > used_bytes_ + size ? bound_ - used_bytes_ - size : 0);
  try {
    return get_(size);
  } catch (...) {
    if (shrink_to(0) == 0 && size == bytes) throw;
  }
  size = bytes;
  return get_(bytes);
}

void CachingAllocator::give_back(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(memory);
  if (found == used_.end()) return;  // a null pointer
  Kept::node_type block = std::move(found->second);
  used_.erase(found);
  used_bytes_ -= block.key();
  kept_bytes_ += block.key();
  block.mapped().second = ++times_given_back_;
  kept_.insert(std::move(block));
}

void CachingAllocator::bound(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  bound_ = bytes;
}

std::size_t CachingAllocator::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

std::size_t CachingAllocator::release_kept() noexcept {
  const std::lock_guard lock(mutex_);
  return shrink_to(0);
}

std::size_t CachingAllocator::shrink_to(std::size_t bytes) noexcept {
  const std::size_t before = kept_bytes_;
  while (kept_bytes_ > bytes) {
    const auto oldest =
        std::ranges::min_element(kept_, {}, [](const auto& block) { return block.second.second; });
    if (!release_(oldest->second.first)) break;
    kept_bytes_ -= oldest->first;
    kept_.erase(oldest);
  }
  return before - kept_bytes_;
}

}  // namespace warpath::cuda
