// Tests that hashes of texts differ where texts do.

#include "host/files/formats/text_hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace warpath::testing {
namespace {

using formats::text_hash;

TEST(TextHash, DependsOnEachByteAndOnTheSize) {
  for (std::size_t size = 0; size < 70; ++size) {
    const std::string text(size, 'a');
    std::set<std::uint64_t> hashes{text_hash(text), text_hash(text + 'a')};
    for (std::size_t k = 0; k < size; ++k) {
      std::string other = text;
      other[k] = 'b';
      hashes.insert(text_hash(other));
    }
    EXPECT_EQ(hashes.size(), size + 2);
  }
}

TEST(TextHash, IsThatOfTheTextAlone) {
  const std::string text = "0123456789abcdef0123456789abcdef0";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string shifted = "xyz" + text.substr(0, size) + "more";
    EXPECT_EQ(text_hash(std::string_view(shifted).substr(3, size)),
              text_hash(text.substr(0, size)));
  }
}

// Tables take the lower bits.
TEST(TextHash, SpreadsNumbersInItsLowerBits) {
  constexpr std::size_t count = 1 << 16;
  std::set<std::uint64_t> low;
  for (std::size_t k = 0; k < count; ++k) low.insert(text_hash(std::to_string(k) + "_0") % count);
  EXPECT_GT(low.size(), count * 6 / 10);  // of random ones 63 %
}

}  // namespace
}  // namespace warpath::testing
