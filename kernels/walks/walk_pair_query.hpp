#pragma once

#include "kernels/walks/walk.hpp"

namespace warpath::kernels {

/// Holds what a step along an edge needs; both are read together.
struct alignas(8) WalkEdge {
  std::uint32_t next;  ///< as in WalkGraph
  float length;
};

/// Views a scan's edges as WalkGraph does, with one edge more: entry viewpoints << shift leads to
/// the start of the walks, with length 0.
struct WalkEdgeTable {
  const WalkEdge* edges;
  int shift;
  std::uint32_t viewpoints;
};

/// Names a walk by its number.
struct WalkNumber {
  std::uint32_t low, high;
  const PhiloxSchedule* keys;  ///< of the seed
};

/// Makes one walk while a sweep asks for its viewpoints (see Query in sweep.hpp), two columns in a
/// step. Its words stay in registers: a step takes the first two or the last two of a block's four.
///
///   step            0        1        2        3
///   column         0  1     2  3     4  5     6  7
///   word of block  0  1     2  3     0  1     2  3
///   block           0        0        1        1
///
/// Word 0 of block 0 leads to the start, whatever it is. Choices that may have to be drawn again
/// are not, which would take registers: min_rest() tells whether there was one.
/// @pre W = 1, C = 2, no strips
template <class L, int Bits = 32>
class WalkPairQuery {
 public:
  /// @param size viewpoints of the walk, at least 1
  WARPATH_HD WalkPairQuery(const WalkEdgeTable& graph, const WalkNumber& walk, int size)
      : graph_(graph), walk_(walk), size_(size), at_(graph.viewpoints | 1u << 16) {}

  WARPATH_HD WalkNode<L> before() const { return {0, 0.0f}; }

  WARPATH_HD WalkNode<L> node(int t, int c) {
    if (c == 0) take_words(t);
    std::uint32_t choice, rest;
    scale_word<L, Bits>(words_[c], at_ >> 16, choice, rest);
    min_rest_ = rest < min_rest_ ? rest : min_rest_;
    const WalkEdge edge = graph_.edges[((at_ & 0xffff) << graph_.shift) + choice];
    // A walk that has ended stays where it is. The first column of a step always belongs to it.
    if (c == 0 || 2 * t + c < size_) at_ = edge.next;
    return {static_cast<int>(at_ & 0xffff), edge.length};
  }

  /// Returns the minimum of the rests of all choices (see scale_word). A choice has to be drawn
  /// again if its rest is below 2^32 mod count, which is less than 2^shift.
  WARPATH_HD std::uint32_t min_rest() const { return min_rest_; }

 private:
  WARPATH_HD void take_words(int t) {
    if (t % 2 != 0) {
      words_[0] = words_[2];
      words_[1] = words_[3];
    } else {
      words_[0] = walk_.low;
      words_[1] = walk_.high;
      words_[2] = static_cast<std::uint32_t>(t) / 2;
      words_[3] = 0;
      philox(words_, *walk_.keys);
    }
  }

  const WalkEdgeTable graph_;
  const WalkNumber walk_;
  const int size_;
  std::uint32_t words_[4];
  std::uint32_t at_;
  std::uint32_t min_rest_ = ~0u;
};

}  // namespace warpath::kernels
