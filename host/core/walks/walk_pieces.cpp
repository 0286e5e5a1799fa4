#include "host/core/walks/walk_pieces.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <numeric>

namespace warpath::walks {
namespace {

constexpr std::uint64_t numbers_with_one_upper_half = std::uint64_t{1} << 32;

}  // namespace

std::uint64_t WalkPieces::cut_together(const RandomWalks& walks, std::uint64_t first,
                                       std::uint64_t count) {
  const std::uint64_t left = numbers_with_one_upper_half - first % numbers_with_one_upper_half;
  count = std::min(count, left);
  return walks.sample() == WalkSample::cycle ? count : std::min(count, max_listed);
}

WalkPieces::WalkPieces(const RandomWalks& walks, std::uint64_t first, std::uint64_t count,
                       std::uint32_t max_piece)
    : references_(static_cast<std::uint32_t>(walks.references().size())),
      max_piece_(max_piece),
      first_(first),
      count_(count) {
  std::uint64_t max_walks = (count + references_ - 1) / references_;
  if (walks.sample() == WalkSample::uniform) {
    list(walks);
    max_walks = 0;
    for (std::uint32_t r = 0; r < references_; ++r) max_walks = std::max(max_walks, walks_of(r));
  }
  pieces_each_ = (max_walks + max_piece - 1) / max_piece;
}

// Sorts the numbers of the walks by the reference that each of them draws.
void WalkPieces::list(const RandomWalks& walks) {
  std::vector<std::uint32_t> drawn(count_);
  // The caller may hold a lock, which no other task of this thread must wait for meanwhile.
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, count_, 4096), [&](const auto& range) {
      for (std::uint64_t k = range.begin(); k < range.end(); ++k) {
        drawn[k] = walks.reference(first_ + k);
      }
    });
  });
  begin_.assign(references_ + std::size_t{1}, 0);
  for (const std::uint32_t r : drawn) ++begin_[r + std::size_t{1}];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  list_.resize(count_);
  for (std::uint64_t k = 0; k < count_; ++k) {
    list_[next[drawn[k]]++] = static_cast<std::uint32_t>(first_ + k);
  }
}

std::uint64_t WalkPieces::first_of(std::uint32_t reference) const {
  const std::uint64_t begin = first_ % references_;
  return reference >= begin ? reference - begin : reference + references_ - begin;
}

std::uint64_t WalkPieces::walks_of(std::uint32_t reference) const {
  if (!begin_.empty()) return begin_[reference + std::size_t{1}] - begin_[reference];
  const std::uint64_t first = first_of(reference);
  return first < count_ ? (count_ - first + references_ - 1) / references_ : 0;
}

WalkPiece WalkPieces::operator[](std::size_t piece) const {
  const auto reference = static_cast<std::uint32_t>(piece / pieces_each_);
  const std::uint64_t begin = piece % pieces_each_ * max_piece_, end = walks_of(reference);
  const std::uint64_t count = begin < end ? std::min<std::uint64_t>(end - begin, max_piece_) : 0;
  const std::uint64_t walk = first_ + first_of(reference) + begin * references_;
  return {
      .reference = reference,
      .count = static_cast<std::uint32_t>(count),
      .high = static_cast<std::uint32_t>(first_ >> 32),
      .low = static_cast<std::uint32_t>(walk),
      .stride = references_,
      .list = begin_.empty() || count == 0 ? nullptr : list_.data() + begin_[reference] + begin};
}

}  // namespace warpath::walks
