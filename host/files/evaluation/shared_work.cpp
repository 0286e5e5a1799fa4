#include "host/files/evaluation/shared_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

__extension__ using Wide = unsigned __int128;

// All processes run the same program on machines of one kind, so values travel as their bytes.
template <class T>
void append(const T* values, std::size_t count, std::string& bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// Copies values from the front of `bytes`, which loses them.
template <class T>
void take(std::string_view& bytes, T* values, std::size_t count) {
  const std::size_t size = count * sizeof(T);
  if (bytes.size() < size) throw std::logic_error("another process sent too little");
  if (size > 0) std::memcpy(values, bytes.data(), size);
  bytes.remove_prefix(size);
}

// Calls use(column, rows behind `first`) for each array of scores that has values.
template <class ScoresOrConst, class Use>
void for_each_column(ScoresOrConst& scores, std::size_t first, const Use& use) {
  for (auto& column : scores.column) {
    if (!column.empty()) use(column.data() + first);
  }
  use(scores.status.data() + first);
  use(scores.zero_rules.data() + first);
}

PairBatchView slice(const PairBatchView& batch, SharedWork::Range range) {
  PairBatchView part = batch;
  part.pairs = batch.pairs.subspan(range.first, range.count);
  if (!batch.n_query_raw.empty()) {
    part.n_query_raw = batch.n_query_raw.subspan(range.first, range.count);
  }
  if (!batch.task_success.empty()) {
    part.task_success = batch.task_success.subspan(range.first, range.count);
  }
  return part;
}

}  // namespace

void refuse_standard_input(const SharedWork* shared, const std::vector<std::string>& files) {
  if (shared == nullptr || std::ranges::find(files, "-") == files.end()) return;
  throw UsageError(
      "- is the standard input of one process, and several share the work: name a file");
}

SharedWork::Range SharedWork::part_of(std::uint64_t pieces, std::uint64_t number) const {
  const auto before = [&](std::uint64_t n) {
    return static_cast<std::uint64_t>(Wide{pieces} * n / of_);
  };
  return {before(number), before(number + 1) - before(number)};
}

std::vector<std::string> SharedWork::exchange(const std::string& own) const {
  std::vector<std::string> all = exchange_(own);
  if (all.size() != of_) throw std::logic_error("the exchange left processes out");
  return all;
}

void SharedWork::check_same(const std::vector<std::pair<std::string, std::string>>& hashes) const {
  std::string own;
  for (const auto& [what, hash] : hashes) own += fmt::format("{}\n", hash);
  const std::vector<std::string> all = exchange(own);
  for (std::size_t process = 1; process < all.size(); ++process) {
    if (all[process] == all.front()) continue;
    std::string_view there = all[process], here = all.front();
    for (const auto& [what, hash] : hashes) {
      const std::size_t end = hash.size() + 1;
      if (there.substr(0, end) != here.substr(0, end)) {
        throw InputError(
            {what},
            fmt::format("process {} of {} read another content than process 0", process, of_),
            "give every machine the same files");
      }
      there.remove_prefix(std::min(end, there.size()));
      here.remove_prefix(std::min(end, here.size()));
    }
  }
}

Scores SharedWork::score(const Scorer& scorer, const PairBatchView& batch,
                         const Watch& watch) const {
  const Range own = part_of(batch.pairs.size());
  std::string bytes;
  const Scores part = scorer.score(slice(batch, own), watch);
  for_each_column(part, 0, [&](const auto* values) { append(values, own.count, bytes); });

  const std::vector<std::string> all = exchange(bytes);
  Scores scores(batch.pairs.size());
  for (std::uint64_t process = 0; process < of_; ++process) {
    const Range range = part_of(batch.pairs.size(), process);
    std::string_view rest = all[process];
    if (range.count == 0) continue;
    for_each_column(scores, range.first, [&](auto* values) { take(rest, values, range.count); });
  }
  return scores;
}

BatchStatistics SharedWork::merge(const BatchStatistics& own) const {
  std::string bytes;
  append(&own, 1, bytes);
  BatchStatistics merged;
  for (const std::string& part : exchange(bytes)) {
    BatchStatistics statistics;
    std::string_view rest = part;
    take(rest, &statistics, 1);
    merged.merge(statistics);
  }
  return merged;
}

}  // namespace warpath::evaluation
