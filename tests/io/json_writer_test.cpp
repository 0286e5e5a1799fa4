// Tests that JsonWriter writes JSON, whatever texts and keys are.

#include "host/files/io/json_writer.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>

namespace warpath::testing {
namespace {

TEST(JsonWriter, WritesAnyKeyOfAnObject) {
  using namespace std::string_literals;
  const std::string keys[] = {
      "",  "\"", "\\", "a\"b\\", "\0"s, "\n\x01", "\x7f", "\u2028\u202e", std::string(70'000, 'k'),
      "[", "{"};
  io::JsonWriter writer;
  writer.open("ignored", '{');
  for (const std::string& key : keys) writer.text(key, key);
  writer.open("list", '[');
  writer.open("", '{');
  writer.integer("", 1);
  writer.close('}');
  writer.integer("", 2);
  writer.close(']');
  writer.null("last");
  writer.close('}');
  simdjson::dom::parser parser;
  const simdjson::dom::object object = parser.parse(writer.take()).get_object();
  ASSERT_EQ(object.size(), std::size(keys) + 2);
  auto field = object.begin();
  for (const std::string& key : keys) {
    EXPECT_EQ((*field).key, key);
    EXPECT_EQ(std::string_view((*field).value), key);
    ++field;
  }
  const simdjson::dom::array list = object["list"];
  EXPECT_EQ(std::uint64_t(list.at(0)[""]), 1u);
  EXPECT_EQ(std::uint64_t(list.at(1)), 2u);
  EXPECT_TRUE(object["last"].is_null());
}

TEST(JsonWriter, WritesUtf8ForAnyInput) {
  io::JsonWriter writer;
  writer.open("", '{');
  writer.text("name",
              "ü\xff"
              "a\xe2\x82 \"\x01");
  writer.close('}');
  simdjson::dom::parser parser;
  EXPECT_EQ(std::string_view(parser.parse(writer.take())["name"]), "ü\uFFFDa\uFFFD\uFFFD \"\x01");
}

}  // namespace
}  // namespace warpath::testing
