#include "host/core/base/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace warpath::base {
namespace {

constexpr double seconds_of_silence = 0.5;
constexpr auto redrawn_every = std::chrono::milliseconds(100);

// Holds what is shown and where. It is never destroyed, because a signal may need it at exit.
struct Shown {
  std::mutex mutex;
  Progress* progress = nullptr;
  ProgressLine* line = nullptr;
};

Shown& shown() {
  static Shown& only = *new Shown;
  return only;
}

// Returns a number with separators: 45234 → "45,234".
std::string grouped(std::uint64_t number) {
  std::string digits = fmt::to_string(number);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string rate_text(double per_second) {
  if (per_second < 10.0) return fmt::format("{:.1f}/s", per_second);
  return grouped(static_cast<std::uint64_t>(std::min(per_second, 1e15))) + "/s";
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::min(seconds, 1e9)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

Progress::Progress(std::string_view what, std::uint64_t total, std::string_view unit,
                   const Watch* watch)
    : what_(what), unit_(unit), total_(total), watch_(watch) {
  const std::lock_guard lock(shown().mutex);
  if (shown().progress != nullptr) return;
  shown().progress = this;
  if (shown().line != nullptr) begin_ = shown().line->screen_.now();
}

Progress::~Progress() {
  const std::lock_guard lock(shown().mutex);
  if (shown().progress != this) return;
  if (shown().line != nullptr) shown().line->finish(*this);
  shown().progress = nullptr;
}

void Progress::name_part(std::string part) {
  const std::lock_guard lock(shown().mutex);
  part_ = std::move(part);
}

std::string Progress::text() const {
  const std::uint64_t done = std::min(done_.load(std::memory_order_relaxed), total_);
  const std::string part = part_.empty() ? "" : fmt::format(" ({})", part_);
  return fmt::format("{}: {} of {} {}{}", what_, grouped(done), grouped(total_), unit_, part);
}

ProgressLine::ProgressLine(Screen screen) : screen_(std::move(screen)), begin_(screen_.now()) {
  const std::lock_guard lock(shown().mutex);
  shown().line = this;
}

ProgressLine::~ProgressLine() {
  const std::lock_guard lock(shown().mutex);
  replace_by("");
  shown().line = nullptr;
}

void ProgressLine::draw() {
  const std::lock_guard lock(shown().mutex);
  const Progress* progress = shown().progress;
  if (is_hidden_ || progress == nullptr || screen_.now() - begin_ < seconds_of_silence) return;
  replace_by(line_of(*progress));
}

void ProgressLine::erase_with_echo() {
  constexpr std::size_t echo = 2;  // "^C", which the terminal itself writes
  if (drawn_columns_ == 0) return;
  drawn_columns_ = std::min<std::size_t>(drawn_columns_ + echo, std::max(screen_.columns - 1, 0));
  replace_by("");
}

void ProgressLine::finish(const Progress& progress) {
  if (drawn_columns_ == 0) return;
  replace_by(line_of(progress));
  replace_by("");
}

std::string ProgressLine::line_of(const Progress& progress) const {
  std::string text = progress.text();
  const double seconds = screen_.now() - progress.begin_;
  const auto done = static_cast<double>(progress.done_.load(std::memory_order_relaxed));
  if (done == 0.0 || seconds <= 0.0) return text;
  const double left = std::max(static_cast<double>(progress.total_) - done, 0.0);
  return text + fmt::format(", {}, {} left", rate_text(done / seconds),
                            duration_text(left * seconds / done));
}

void ProgressLine::replace_by(std::string text) {
  if (text.empty() && drawn_columns_ == 0) return;
  // A character in the last column may make a terminal start a new line.
  text.resize(std::min<std::size_t>(text.size(), std::max(screen_.columns - 1, 0)));
  const std::size_t columns = text.size();
  text.resize(std::max(columns, drawn_columns_), ' ');
  screen_.write("\r" + text + (columns == 0 ? "\r" : ""));
  drawn_columns_ = columns;
}

void hide_progress() {
  const std::lock_guard lock(shown().mutex);
  if (shown().line == nullptr) return;
  shown().line->replace_by("");
  shown().line->is_hidden_ = true;
}

std::string freeze_progress() {
  shown().mutex.lock();
  if (shown().line != nullptr) shown().line->erase_with_echo();
  return shown().progress != nullptr ? shown().progress->text() : "";
}

DrawnProgressLine::DrawnProgressLine(ProgressLine::Screen screen)
    : line_(std::move(screen)), thread_([this] { draw_until_stopped(); }) {}

DrawnProgressLine::~DrawnProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
  }
  stopping_.notify_all();
  thread_.join();
}

void DrawnProgressLine::draw_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, redrawn_every, [this] { return is_stopped_; })) line_.draw();
}

}  // namespace warpath::base
