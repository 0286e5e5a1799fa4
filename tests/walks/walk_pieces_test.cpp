// Tests how ranges of walks are cut into pieces: each walk is in one piece of its reference.

#include "host/core/walks/walk_pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "host/checks/walks.hpp"

namespace warpath::testing {
namespace {

using walks::WalkPiece;
using walks::WalkPieces;

constexpr std::uint64_t upper = std::uint64_t{1} << 32;

checks::WalkWorld world_of(std::size_t pairs) {
  checks::Random random(5);
  return checks::WalkWorld(checks::uniform_pairs(random, {"", {2, 9}, {1, 3}, 30, 1}, pairs));
}

/// Holds what a range was cut into.
struct Cut {
  std::set<std::uint64_t> walks;
  std::vector<std::uint64_t> together;  ///< walks that were cut at a time
};

// Cuts a range and expects pieces of one reference each, in order, that have no walk twice.
Cut cut(const RandomWalks& walks, std::uint64_t first, std::uint64_t count,
        std::uint32_t max_piece) {
  Cut result;
  WalkPieces::for_each_cut(walks, first, count, max_piece, [&](const WalkPieces& pieces) {
    result.together.push_back(0);
    EXPECT_EQ(pieces.size(), walks.references().size() * pieces.pieces_each());
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const WalkPiece piece = pieces[p];
      EXPECT_EQ(piece.reference, p / pieces.pieces_each());
      EXPECT_LE(piece.count, max_piece);
      result.together.back() += piece.count;
      for (std::uint32_t k = 0; k < piece.count; ++k) {
        const std::uint64_t walk = std::uint64_t{piece.high} << 32 | piece.number(k);
        EXPECT_TRUE(result.walks.insert(walk).second) << walk;
        EXPECT_EQ(walks.reference(walk), piece.reference) << walk;
      }
    }
  });
  return result;
}

TEST(WalkPieces, HaveEveryWalkOnce) {
  const checks::WalkWorld world = world_of(7);
  for (const WalkSample sample : {WalkSample::cycle, WalkSample::uniform}) {
    const RandomWalks walks = world.walks({{3, 1}}, sample);
    for (const auto& [first, count, max_piece] :
         {std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>{0, 500, 20},
          {13, 3, 1},
          {5, 0, 8},
          {upper - 100, 300, 64},
          {3 * upper - 1, 2, 2048}}) {
      const Cut result = cut(walks, first, count, max_piece);
      ASSERT_EQ(result.walks.size(), count) << first;
      if (count == 0) continue;
      EXPECT_EQ(*result.walks.begin(), first);
      EXPECT_EQ(*result.walks.rbegin(), first + count - 1);
    }
  }
}

// Numbers of a piece have one upper half.
TEST(WalkPieces, AreCutWhereTheUpperHalfChanges) {
  const checks::WalkWorld world = world_of(3);
  for (const WalkSample sample : {WalkSample::cycle, WalkSample::uniform}) {
    const RandomWalks walks = world.walks({{3, 1}}, sample);
    EXPECT_EQ(cut(walks, upper - 10, 25, 8).together, (std::vector<std::uint64_t>{10, 15}));
    EXPECT_EQ(cut(walks, upper, 25, 8).together, std::vector<std::uint64_t>{25});
  }
}

// Memory does not grow with the number of walks: only walks in turn are cut together without limit.
TEST(WalkPieces, ListsAreBounded) {
  const checks::WalkWorld world = world_of(3);
  const std::uint64_t count = WalkPieces::max_listed + 5;
  const auto parts = [&](WalkSample sample) {
    std::vector<std::uint64_t> together;
    WalkPieces::for_each_cut(world.walks({{3, 1}}, sample), 0, count, 1 << 20,
                             [&](const WalkPieces& pieces) {
                               std::uint64_t walks = 0;
                               for (std::size_t p = 0; p < pieces.size(); ++p) {
                                 walks += pieces[p].count;
                               }
                               together.push_back(walks);
                             });
    return together;
  };
  EXPECT_EQ(parts(WalkSample::cycle), std::vector<std::uint64_t>{count});
  EXPECT_EQ(parts(WalkSample::uniform), (std::vector<std::uint64_t>{WalkPieces::max_listed, 5}));
}

}  // namespace
}  // namespace warpath::testing
