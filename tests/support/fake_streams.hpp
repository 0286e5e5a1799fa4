#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>

namespace warpath::testing {

/// Keeps the work of each stream in order and does it when something waits for it, or at any time
/// before, as the seed decides. Code that reads results too early, or overwrites data before they
/// are copied, gets wrong numbers.
class FakeStreams {
 public:
  using Work = std::function<void()>;

  /// A point in the work of a stream. What comes before it is done, or still to do.
  struct Mark {
    const void* stream;
    bool is_done = false;
  };

  explicit FakeStreams(std::uint64_t seed) : random_(seed) {}

  void add(const void* stream) { queues_[stream]; }
  bool has(const void* stream) const { return queues_.contains(stream); }
  std::size_t size() const { return queues_.size(); }
  /// Returns how often a stream worked while another had work waiting.
  int overlaps() const { return overlaps_; }

  /// @pre has(stream), as for all that follow
  void push(const void* stream, Work work) {
    queues_.at(stream).push_back({std::move(work), nullptr});
  }
  /// Returns the point behind all work that the stream has now.
  std::shared_ptr<const Mark> mark(const void* stream) {
    const auto mark = std::make_shared<Mark>(Mark{stream});
    push(stream, [mark] { mark->is_done = true; });
    return mark;
  }
  /// Lets what the stream gets from now on wait for a point of another stream.
  void wait_for(const void* stream, std::shared_ptr<const Mark> mark) {
    queues_.at(stream).push_back({[] {}, std::move(mark)});
  }

  bool is_idle(const void* stream) const { return queues_.at(stream).empty(); }
  void finish(const void* stream) {
    while (!queues_.at(stream).empty()) do_next(stream);
  }
  void finish() {
    for (const auto& [stream, queue] : queues_) finish(stream);
  }
  void finish(const Mark& mark) {
    while (!mark.is_done) do_next(mark.stream);
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
  struct Item {
    Work work;
    std::shared_ptr<const Mark> after;  ///< point of another stream that comes first; may be null
  };

  void do_next(const void* stream) {
    auto& queue = queues_.at(stream);
    if (const auto after = queue.front().after) finish(*after);
    const Work work = std::move(queue.front().work);
    queue.pop_front();
    for (const auto& [other, waiting] : queues_) overlaps_ += other != stream && !waiting.empty();
    work();
  }

  std::map<const void*, std::deque<Item>> queues_;
  std::mt19937_64 random_;
  int overlaps_ = 0;
};

}  // namespace warpath::testing
