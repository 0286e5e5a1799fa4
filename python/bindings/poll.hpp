#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "warpath/watch.hpp"

namespace warpath::python {

namespace nb = nanobind;

/// Looks for signals and reports progress while a call works without the GIL: the thread that
/// Python called with does so after its pieces of work, at most every 50 ms, and reports once more
/// at the end.
///
///     Poll poll(progress);                       // a callable that takes the pairs done, or None
///     poll.run([&](const Watch& watch) { scorer.score(batch, watch); });
class Poll {
 public:
  /// @pre the calling thread has the GIL
  explicit Poll(nb::handle progress) : progress_(nb::borrow(progress)) {}

  /// Calls work(watch) without the GIL.
  /// @throws nb::python_error  Ctrl-C, or what the callable raised
  template <typename Work>
  void run(const Work& work) {
    {
      const nb::gil_scoped_release release;
      work([this](std::uint64_t done) { take(done); });
    }
    if (!progress_.is_none()) progress_(done_.load());
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds pause{50};

  void take(std::uint64_t done) {
    const std::uint64_t sum = done_ += done;
    if (std::this_thread::get_id() != caller_) return;
    const auto now = Clock::now();
    if (now < next_) return;
    next_ = now + pause;
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress_.is_none()) progress_(sum);
  }

  nb::object progress_;
  std::atomic<std::uint64_t> done_ = 0;
  const std::thread::id caller_ = std::this_thread::get_id();
  Clock::time_point next_ = Clock::now() + pause;
};

}  // namespace warpath::python
