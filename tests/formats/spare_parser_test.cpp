// Tests that the memory of parsers is used again, and of which ones.

#include "host/files/formats/spare_parser.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpath::testing {
namespace {

using formats::SpareParser;

std::string list_of_bytes(std::size_t bytes) {
  std::string text = "[1";
  while (text.size() + 2 < bytes) text += ",1";
  return text + "]";
}

// Parses a list, and returns where the parser keeps what it made of it.
const void* parse(SpareParser& parser, std::size_t bytes) {
  simdjson::dom::array list;
  json::Parser& own = parser.for_document(bytes);
  EXPECT_EQ(own.parse(list_of_bytes(bytes)).get(list), simdjson::SUCCESS);
  EXPECT_EQ(list.size(), bytes / 2 - 1);
  return own.doc.tape.get();
}

TEST(SpareParser, MemoryIsUsedAgain) {
  constexpr std::size_t bytes = 100'000;
  const void* first = nullptr;
  {
    SpareParser parser;
    first = parse(parser, bytes);
    EXPECT_EQ(parse(parser, bytes + bytes / 5), first);  // there was room for a bit more
  }
  SpareParser next, other;
  EXPECT_EQ(parse(next, bytes), first);
  EXPECT_NE(parse(other, bytes), first);
}

TEST(SpareParser, OfLargeDocumentsIsNotKept) {
  const SpareParser held[8];  // whatever other tests have left
  ASSERT_EQ(SpareParser::count_kept(), 0u);
  const auto kept_behind = [](std::size_t bytes) {
    {
      SpareParser parser;
      parse(parser, bytes);
    }
    const std::size_t kept = SpareParser::count_kept();
    const SpareParser taken;
    return kept;
  };
  EXPECT_EQ(kept_behind(SpareParser::max_bytes + 2), 0u);
  EXPECT_EQ(kept_behind(SpareParser::max_bytes / 2), 1u);
}

TEST(SpareParser, WithoutADocumentIsNotKept) {
  const std::size_t before = SpareParser::count_kept();
  { const SpareParser held[20]; }
  EXPECT_EQ(SpareParser::count_kept(), before);
}

}  // namespace
}  // namespace warpath::testing
