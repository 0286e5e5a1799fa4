#pragma once

#include <array>
#include <cstdint>

#include "kernels/philox.hpp"

namespace warpath::generators {

/// Names what random words are for. The values are part of the numbering.
enum class Draws : std::uint32_t {
  right_turns = 0xffff0001,     ///< of the agent random-heading
  random_walk = 0xffff0002,     ///< perturbation
  viewpoint_swap = 0xffff0003,  ///< perturbation
};

/// Generates the random words of one item. This file and its callers define which agents and
/// perturbations a seed gives, so the numbering may not change: word j of item i is word j % 4 of
/// philox({i mod 2^32, i / 2^32, j / 4, draws}, {seed mod 2^32, seed / 2^32}), and words are taken
/// one after the other.
class ItemWords {
 public:
  ItemWords(std::uint64_t seed, std::uint64_t item, Draws draws)
      : seed_(seed), item_(item), draws_(draws) {}

  /// Returns an even number in 0 … bound − 1: w bound / 2^32, rounded down, of the next word w. A
  /// word is passed over where w bound mod 2^32 is less than 2^32 mod bound, since its number would
  /// be too frequent (Lemire 2019). @pre bound > 0
  std::uint32_t below(std::uint32_t bound) {
    for (;;) {
      const std::uint64_t product = std::uint64_t{next()} * bound;
      if (static_cast<std::uint32_t>(product) >= -bound % bound)
        return static_cast<std::uint32_t>(product >> 32);
    }
  }

  /// Returns the next word as an even multiple of 2^-32 in [0, 1).
  double unit() { return next() * 0x1p-32; }

 private:
  std::uint32_t next() {
    if (number_ % 4 == 0) {
      words_ = kernels::philox({low(item_), high(item_), static_cast<std::uint32_t>(number_ / 4),
                                static_cast<std::uint32_t>(draws_)},
                               {low(seed_), high(seed_)});
    }
    return words_[number_++ % 4];
  }

  static std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  static std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

  std::uint64_t seed_, item_;
  Draws draws_;
  std::uint64_t number_ = 0;
  std::array<std::uint32_t, 4> words_{};
};

}  // namespace warpath::generators
