#include "host/files/formats/id_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace warpath::formats {
namespace {

// Ids of which many are equal: each number divided by `copies`.
std::vector<std::string> make_ids(std::uint32_t count, std::uint32_t copies) {
  std::vector<std::string> ids;
  for (std::uint32_t n = 0; n < count; ++n) ids.push_back("id" + std::to_string(n / copies));
  return ids;
}

TEST(IdTable, FindsTheLowestNumberOfAnId) {
  for (const std::uint32_t count : {0u, 1u, 7u, 20'000u}) {
    for (const std::uint32_t copies : {1u, 2u, 900u}) {
      std::vector<std::string> ids = make_ids(count, copies);
      // Copies lie apart, so that several threads meet them in any order.
      for (std::uint32_t n = 0; n < count; ++n) std::swap(ids[n], ids[(n * 7919ull) % count]);
      std::map<std::string, std::uint32_t> first;
      for (std::uint32_t n = 0; n < count; ++n) first.emplace(ids[n], n);
      const auto id_of = [&](std::uint32_t n) -> const std::string& { return ids[n]; };

      IdTable one_by_one, together(count);
      std::size_t kept = 0;
      for (std::uint32_t n = 0; n < count; ++n) kept += one_by_one.add(n, id_of);
      EXPECT_EQ(kept, first.size());
      EXPECT_EQ(together.add_all(count, id_of), first.size() == count);
      for (std::uint32_t n = 0; n < count; ++n) {
        ASSERT_EQ(one_by_one.find(ids[n], id_of), first.at(ids[n]));
        ASSERT_EQ(together.find(ids[n], id_of), first.at(ids[n]));
      }
      for (const char* const other : {"", "id", "x"}) {
        EXPECT_EQ(one_by_one.find(other, id_of), IdTable::none);
        EXPECT_EQ(together.find(other, id_of), IdTable::none);
      }
    }
  }
}

}  // namespace
}  // namespace warpath::formats
