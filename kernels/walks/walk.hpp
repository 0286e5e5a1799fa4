#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/host_device.hpp"
#include "kernels/philox.hpp"
#include "kernels/views/walks.hpp"

// Draws random walks, one per lane. This file defines which walk a seed and a number give, so
// nothing of what follows may change:
//
//   * Word j of walk k is word j % 4 of philox({k mod 2^32, k / 2^32, j / 4, 0}, seed).
//   * Word 0 chooses the number of steps, word s the neighbour that step s leads to.
//   * A word w chooses number w c / 2^32, rounded down, of c choices. Where w c mod 2^32 is less
//     than 2^32 mod c, that choice would be too frequent; word j is then drawn again, as word 0 of
//     philox({k mod 2^32, k / 2^32, j, attempt}, seed) for attempt = 1, 2, … (Lemire 2019).
//   * The choices of a step are the viewpoint's neighbours in the order of its scan
//     (Scan::neighbours). Those of word 0 are the counts of StepTable, lowest numbers of steps
//     first.
//   * Where the path is drawn too, its word is word 0 of philox({…, …, path_block, 0}, seed), and
//     drawn again as word 0 of philox({…, …, path_block, attempt}, seed).

namespace warpath::kernels {

inline constexpr std::uint32_t path_block = 0xffffffff;

/// Names the walks of a group: their numbers, of which all have the same upper half, and the seed.
template <class L>
struct WalkNumbers {
  typename L::B low;
  std::uint32_t high;
  PhiloxKey seed;
};

/// Computes four words of each walk. @param block, attempt third and fourth word of the counter
template <class L>
WARPATH_HD void draw_words(const WalkNumbers<L>& walks, std::uint32_t block, std::uint32_t attempt,
                           typename L::B (&words)[4]) {
  words[0] = walks.low;
  words[1] = L::bits(walks.high);
  words[2] = L::bits(block);
  words[3] = L::bits(attempt);
  L::philox(words, walks.seed);
}

/// Scales a word to a number of choices. `rest` tells whether it has to be drawn again.
/// @tparam Bits of the word that are used; fewer than 32 only in tests, where `count` is small
template <class L, int Bits>
WARPATH_HD void scale_word(const typename L::B& word, const typename L::B& count,
                           typename L::B& choice, typename L::B& rest) {
  if constexpr (Bits == 32) {
    L::multiply(word, count, choice, rest);
  } else {
    const typename L::B product = (word >> (32 - Bits)) * count;
    choice = product >> Bits;
    rest = product & L::bits((1u << Bits) - 1);
  }
}

/// Returns the choice of one walk after its word has been drawn again as often as necessary.
template <class One, int Bits>
WARPATH_HD std::uint32_t choose_again(const WalkNumbers<One>& walk, std::uint32_t number,
                                      std::uint32_t count, std::uint32_t word) {
  const std::uint32_t range = Bits == 32 ? 0u : 1u << Bits % 32;  // 2^32 is 0
  const std::uint32_t too_frequent = (range - count) % count;
  std::uint32_t choice, rest;
  scale_word<One, Bits>(word, count, choice, rest);
  for (std::uint32_t attempt = 1; rest < too_frequent; ++attempt) {
    std::uint32_t words[4];
    draw_words<One>(walk, number, attempt, words);
    scale_word<One, Bits>(words[0], count, choice, rest);
  }
  return choice;
}

/// Draws unbiased choices: those that a word does not decide are drawn again immediately.
/// @tparam One lane policy of a single lane
template <class L, class One, int Bits = 32>
struct ExactChoices {
  using B = typename L::B;

  /// Returns a number below `count`, from word number `number` of each walk.
  WARPATH_HD B choose(const WalkNumbers<L>& walks, std::uint32_t number, const B& word,
                      const B& count) const {
    B choice, rest;
    scale_word<L, Bits>(word, count, choice, rest);
    // 2^32 mod count < count: this test misses no word, and seldom holds.
    if (!L::any(rest < count)) [[likely]]
      return choice;
    if constexpr (std::is_same_v<B, std::uint32_t>) {
      return choose_again<One, Bits>({walks.low, walks.high, walks.seed}, number, count, word);
    } else {
      return choose_again_in_lanes(walks, number, word, count);
    }
  }

 private:
  WARPATH_HD B choose_again_in_lanes(const WalkNumbers<L>& walks, std::uint32_t number,
                                     const B& word, const B& count) const {
    alignas(64) std::uint32_t low[L::Lanes], words[L::Lanes], counts[L::Lanes];
    L::store(low, walks.low);
    L::store(words, word);
    L::store(counts, count);
    for (int l = 0; l < L::Lanes; ++l) {
      // A start without neighbours, of a walk without steps, has no choice.
      words[l] = counts[l] == 0 ? 0
                                : choose_again<One, Bits>({low[l], walks.high, walks.seed}, number,
                                                          counts[l], words[l]);
    }
    return L::load(words);
  }
};

/// Chooses the number of steps of each walk. @param word its word 0
template <class L, class Choices>
WARPATH_HD typename L::I draw_steps(const WalkNumbers<L>& walks, const StepTable& table,
                                    const typename L::B& word, Choices& choices) {
  auto steps = L::integer(static_cast<int>(table.steps[0]));
  if (table.kinds == 1) return steps;
  const auto count = L::bits(table.below[table.kinds - 1]);
  const auto at = L::to_integer(choices.choose(walks, 0, word, count));
  for (int k = 1; k < table.kinds; ++k) {
    const auto is_more = at >= L::integer(static_cast<int>(table.below[k - 1]));
    steps = L::select(is_more, L::integer(static_cast<int>(table.steps[k])), steps);
  }
  return steps;
}

/// Holds a viewpoint of a walk and the length of the step that led there, 0 at the start.
template <class L>
struct WalkNode {
  typename L::I id;
  typename L::F length;
};

/// Makes the walks of a group while a sweep asks for their viewpoints (see Query in sweep.hpp):
/// columns 0, 0, 1, 2, …, once again for each strip. @pre W = 1, C = 1
template <class L, class Choices>
class WalkQuery {
  using B = typename L::B;
  using I = typename L::I;

 public:
  /// @param start viewpoint where all walks begin, as in WalkGraph: `node | neighbours << 16`
  WARPATH_HD WalkQuery(const WalkGraph& graph, const WalkNumbers<L>& walks, const StepTable& table,
                       std::uint32_t start, Choices choices = {})
      : graph_(graph), walks_(walks), start_(start), choices_(choices) {
    draw_words<L>(walks_, 0, 0, words_);
    size_ = draw_steps<L>(walks_, table, words_[0], choices_) + 1;
  }

  /// Returns the number of viewpoints of each walk.
  WARPATH_HD I size() const { return size_; }

  WARPATH_HD WalkNode<L> node(int t, int) {
    if (t == 0) {
      begin();
    } else {
      if (t % 4 == 0) draw_block(t / 4);
      take_step(t);
    }
    return {L::to_integer(at_ & L::bits(0xffff)), length_};
  }

 private:
  WARPATH_HD void begin() {
    if (block_ != 0) draw_block(0);
    at_ = L::bits(start_);
    length_ = L::real(0.0f);
  }
  WARPATH_HD void draw_block(std::uint32_t block) {
    draw_words<L>(walks_, block, 0, words_);
    block_ = block;
  }
  // Walks that have ended stay where they are.
  WARPATH_HD void take_step(int t) {
    const B choice = choices_.choose(walks_, static_cast<std::uint32_t>(t), word(t % 4), at_ >> 16);
    const I edge = L::to_integer(((at_ & L::bits(0xffff)) << graph_.shift) + choice);
    at_ = L::select(size_ > L::integer(t), L::gather(graph_.next, edge), at_);
    length_ = L::gather(graph_.length, edge);
  }

  // A GPU has no registers with an index.
  WARPATH_HD B word(int k) const {
    if constexpr (std::is_same_v<B, std::uint32_t>) {
      return k < 2 ? (k == 0 ? words_[0] : words_[1]) : (k == 2 ? words_[2] : words_[3]);
    } else {
      return words_[k];
    }
  }

  const WalkGraph graph_;
  const WalkNumbers<L> walks_;
  const std::uint32_t start_;
  Choices choices_;
  B words_[4];
  std::uint32_t block_ = 0;
  I size_;
  B at_{};
  typename L::F length_{};
};

/// Takes distances of a walk's viewpoints from other rows, and its steps from their edges.
template <class L, class Rows>
struct WalkRows {
  Rows rows;

  WARPATH_HD void load(const typename L::I& first, int strip) { rows.load(first, strip); }
  template <class Distances>
  WARPATH_HD void column(const WalkNode<L>& node, Distances& d) {
    rows.column(node.id, d);
  }
  WARPATH_HD auto known(const WalkNode<L>& node) const requires
      requires(const Rows& r, const typename L::I& id) {
    r.known(id);
  }
  { return rows.known(node.id); }
  WARPATH_HD typename L::F between(const WalkNode<L>&, const WalkNode<L>& b) const {
    return b.length;
  }
};

}  // namespace warpath::kernels
