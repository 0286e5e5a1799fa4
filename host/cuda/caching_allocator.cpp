#include "host/cuda/caching_allocator.hpp"

#include <algorithm>

namespace warpath::cuda {

void* CachingAllocator::take(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const std::lock_guard lock(mutex_);
  kept_.reserve(kept_.size() + used_.size() + 1);  // so that giving back allocates nothing
  void* memory = nullptr;
  const auto same = std::ranges::find(kept_, bytes, &Block::bytes);
  if (same != kept_.end()) {
    memory = same->memory;
    kept_bytes_ -= bytes;
    kept_.erase(same);
  } else {
    memory = get(bytes);
  }
  used_[memory] = bytes;
  used_bytes_ += bytes;
  max_used_ = std::max(max_used_, used_bytes_);
  return memory;
}

void* CachingAllocator::get(std::size_t bytes) {
  const std::size_t wanted = used_bytes_ + bytes;
  shrink_to(max_used_ > wanted ? max_used_ - wanted : 0);
  try {
    return get_(bytes);
  } catch (...) {
    if (kept_.empty()) throw;
  }
  shrink_to(0);
  return get_(bytes);
}

void CachingAllocator::give_back(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  const auto block = used_.find(memory);
  if (block == used_.end()) return;  // a null pointer
  kept_.push_back({memory, block->second});
  used_bytes_ -= block->second;
  kept_bytes_ += block->second;
  used_.erase(block);
}

std::size_t CachingAllocator::kept() const {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

void CachingAllocator::shrink_to(std::size_t bytes) noexcept {
  for (; kept_bytes_ > bytes; kept_.pop_back()) {
    release_(kept_.back().memory);
    kept_bytes_ -= kept_.back().bytes;
  }
}

}  // namespace warpath::cuda
