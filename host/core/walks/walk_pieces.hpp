#pragma once

#include <cstdint>
#include <vector>

#include "warpath/random_walks.hpp"

namespace warpath::walks {

/// Names walks of one reference. All their numbers have the same upper half.
struct WalkPiece {
  std::uint32_t reference;
  std::uint32_t count;        ///< may be 0
  std::uint32_t high;         ///< upper half of the walks' numbers
  std::uint32_t low;          ///< lower half of the first number, if there is no list
  std::uint32_t stride;       ///< from one number to the next
  const std::uint32_t* list;  ///< lower halves of the numbers, or null

  std::uint32_t number(std::uint32_t k) const {
    return list != nullptr ? list[k] : low + k * stride;
  }
};

/// Holds the pieces of a range of walks, those of one reference one after the other.
class WalkPieces {
 public:
  /// Walks that may be cut together: those of a sample that is drawn are listed.
  static constexpr std::uint64_t max_listed = std::uint64_t{1} << 22;

  /// Cuts any number of walks into pieces of at most `max_piece`, and calls use(pieces) for as many
  /// at a time as can be cut together, in order.
  template <class Use>
  static void for_each_cut(const RandomWalks& walks, std::uint64_t first, std::uint64_t count,
                           std::uint32_t max_piece, const Use& use) {
    for (const std::uint64_t end = first + count; first < end;) {
      const std::uint64_t together = cut_together(walks, first, end - first);
      use(WalkPieces(walks, first, together, max_piece));
      first += together;
    }
  }

  std::size_t size() const { return std::size_t{references_} * pieces_each_; }
  WalkPiece operator[](std::size_t piece) const;
  /// Returns how many pieces each reference has; some may be empty.
  std::size_t pieces_each() const { return pieces_each_; }

 private:
  /// @pre count == cut_together(walks, first, count)
  WalkPieces(const RandomWalks& walks, std::uint64_t first, std::uint64_t count,
             std::uint32_t max_piece);

  /// Returns how many of `count` walks from `first` on can be cut together.
  static std::uint64_t cut_together(const RandomWalks& walks, std::uint64_t first,
                                    std::uint64_t count);
  void list(const RandomWalks& walks);
  std::uint64_t walks_of(std::uint32_t reference) const;
  // Returns the place in the range of the first walk of a reference, where they come in turns.
  std::uint64_t first_of(std::uint32_t reference) const;

  const std::uint32_t references_, max_piece_;
  const std::uint64_t first_, count_;
  std::uint64_t pieces_each_ = 0;
  std::vector<std::uint32_t> begin_, list_;  // by reference; empty where walks come in turns
};

}  // namespace warpath::walks
