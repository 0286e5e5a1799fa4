#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <utility>

namespace warpath::testing {

/// Keeps the work of each stream in order and does it when something waits for it, or at any time
/// before, as the seed decides. Code that reads results too early, or overwrites data before they
/// are copied, gets wrong numbers.
class FakeStreams {
 public:
  using Work = std::function<void()>;

  explicit FakeStreams(std::uint64_t seed) : random_(seed) {}

  void add(const void* stream) { queues_[stream]; }
  bool has(const void* stream) const { return queues_.contains(stream); }
  std::size_t size() const { return queues_.size(); }
  /// Returns how often a stream worked while another had work waiting.
  int overlaps() const { return overlaps_; }

  /// @pre has(stream)
  void push(const void* stream, Work work) { queues_.at(stream).push_back(std::move(work)); }

  void finish(const void* stream) {
    while (!queues_.at(stream).empty()) do_next(stream);
  }
  void finish() {
    for (const auto& [stream, queue] : queues_) finish(stream);
  }
  void remove(const void* stream) {
    finish(stream);
    queues_.erase(stream);
  }

  /// Does some of the work that may be done by now.
  void do_some() {
    for (const auto& [stream, queue] : queues_) {
      while (!queue.empty() && random_() % 3 == 0) do_next(stream);
    }
  }

 private:
  void do_next(const void* stream) {
    auto& queue = queues_.at(stream);
    const Work work = std::move(queue.front());
    queue.pop_front();
    for (const auto& [other, waiting] : queues_) overlaps_ += other != stream && !waiting.empty();
    work();
  }

  std::map<const void*, std::deque<Work>> queues_;
  std::mt19937_64 random_;
  int overlaps_ = 0;
};

}  // namespace warpath::testing
