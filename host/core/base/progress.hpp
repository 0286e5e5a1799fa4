#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "warpath/watch.hpp"

namespace warpath::base {

/// Counts how much of a long task is done. If several objects exist at a time, only the first is
/// shown: work inside other work is not.
///
///     Progress progress("scoring", pairs.size(), "pairs");
///     parallel_for(..., [&] { ...; progress.add(window); });
///
/// `add` costs one atomic addition, whether progress is shown or not, and the call of a watch.
class Progress {
 public:
  /// @param what, unit text that must outlive the object
  /// @param watch is called by `add`, whether the object is shown or not, and must outlive the
  /// object; null: none
  Progress(std::string_view what, std::uint64_t total, std::string_view unit,
           const Watch* watch = nullptr);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Adds finished work; any thread may call it. @throws what the watch throws
  void add(std::uint64_t done = 1) {
    done_.fetch_add(done, std::memory_order_relaxed);
    if (watch_ != nullptr && *watch_) (*watch_)(done);
  }
  /// Names the part that is being done now.
  void name_part(std::string part);

 private:
  friend class ProgressLine;
  friend std::string freeze_progress();

  std::string text() const;

  std::string_view what_, unit_;
  std::uint64_t total_;
  std::atomic<std::uint64_t> done_ = 0;
  std::string part_;
  const Watch* watch_;
  double begin_ = 0.0;  // on the clock of the line that shows it
};

/// Shows progress in one line of a terminal, which is redrawn in place and erased at the end:
/// "scoring: 12,000 of 45,234 pairs, 3,400/s, 10 s left". Work is shown after its first half
/// second. At most one object may exist at a time; without one nothing is shown.
class ProgressLine {
 public:
  struct Screen {
    int columns;
    std::function<void(std::string_view)> write;
    std::function<double()> now;  ///< seconds from any origin
  };

  explicit ProgressLine(Screen screen);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void draw();

 private:
  friend class Progress;
  friend void hide_progress();
  friend std::string freeze_progress();

  // The functions below require the lock.
  void replace_by(std::string text);
  void finish(const Progress& progress);
  void erase_with_echo();
  std::string line_of(const Progress& progress) const;

  const Screen screen_;
  const double begin_;
  std::size_t drawn_columns_ = 0;
  bool is_hidden_ = false;
};

/// Stops showing progress.
void hide_progress();

/// Erases the line and stops, permanently, every thread that begins or ends a task. Only for ending
/// the program.
/// @return what is being done: "scoring: 12,000 of 45,234 pairs"; empty if nothing is
std::string freeze_progress();

/// Draws the line ten times a second in its own thread, so that working threads never wait for the
/// terminal.
class DrawnProgressLine {
 public:
  explicit DrawnProgressLine(ProgressLine::Screen screen);
  ~DrawnProgressLine();

 private:
  void draw_until_stopped();

  ProgressLine line_;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool is_stopped_ = false;
  std::thread thread_;
};

}  // namespace warpath::base
