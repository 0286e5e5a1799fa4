// Tests the search for a fault in JSON: it finds one in every text that the parser refuses, and
// none in the others. Messages say where JSON is wrong.

#include "host/files/formats/json_syntax.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <array>
#include <random>

#include "host/files/formats/json_file.hpp"
#include "host/files/formats/parse_json.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"

namespace warpath::testing {
namespace {

constexpr const char* texts[] = {
    R"([{"instr_id":"1_0","trajectory":[["a",0.5,-1.25e-3],["b",1,-0]]},)"
    "\n"
    R"( {"instr_id":"1_1","trajectory":[]}])",
    R"({"":{}, "a\"b\\\/\b\f\n\r\t":[true,false,null,[[],{}]] , "ü€":"\u00fc\ud83d\ude00é😀"})",
    R"([0,-1,10,0.0,1E5,1e+6,-2.5E-07, NaN,-Infinity,1e999,123456789012345678901234567890])",
    "\t{ \"p\" :\r\n [ [ 1.5 , 2 , 3 ] ,\n [ -4.25 , 5 , 6e0 ] ] }\n",
};

// Characters that mean something to JSON, and some that do not.
constexpr std::string_view characters = "{}[],:\"\\ \n\t\x01\x0c'/+-.0129eEuxtfnNI\xc3\x80";

// Checks that a fault is found where the reader refuses a text.
void check(json::Parser& parser, std::string text) {
  const std::size_t size = text.size();
  text.resize(size + simdjson::SIMDJSON_PADDING);
  const std::string original = text.substr(0, size);
  const bool is_json = parser.parse(original).error() == simdjson::SUCCESS;
  const bool is_read =
      error_of_call([&] { formats::parse_json(parser, text.data(), size, {"f.json"}); }).empty();
  text.resize(size);  // with a number for each that the parser does not know, if it is refused
  if (!simdjson::validate_utf8(text) || text.find('\0') != text.npos) return;
  const auto fault = formats::find_syntax_fault(text);
  if (is_json) {
    // Some versions of the parser read a lone second half.
    EXPECT_TRUE(!fault || fault->problem.ends_with("surrogate pair")) << original;
  } else if (!is_read) {
    ASSERT_TRUE(fault) << original;
    EXPECT_LE(fault->offset, size) << original;
    EXPECT_EQ(fault->offset == size, fault->problem.empty()) << original;
  }
}

TEST(JsonSyntax, HasAFaultInEveryTruncatedText) {
  for (const std::string_view text : texts) {
    const std::size_t end = text.find_last_of("]}");
    for (std::size_t size = 0; size <= end; ++size) {
      const std::string_view begin = text.substr(0, size);
      const auto fault = formats::find_syntax_fault(begin);
      ASSERT_TRUE(fault) << begin;
      if (text.find("NaN") != text.npos) continue;
      EXPECT_EQ(fault->offset, size) << begin << fault->problem;
    }
    EXPECT_FALSE(text.find("NaN") == text.npos && formats::find_syntax_fault(text)) << text;
  }
}

TEST(JsonSyntax, HasAFaultWhereverOneChangeBreaksAText) {
  json::Parser parser;
  for (const std::string text : texts) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      check(parser, text.substr(0, at));
      check(parser, std::string(text).erase(at, 1));
      check(parser, text.substr(at));
      for (const char c : characters) {
        check(parser, std::string(text).replace(at, 1, 1, c));
        check(parser, std::string(text).insert(at, 1, c));
      }
    }
  }
}

TEST(JsonSyntax, HasAFaultWhereverManyChangesBreakAText) {
  json::Parser parser;
  std::mt19937 random(1);
  for (int k = 0; k < 20'000; ++k) {
    std::string text = texts[random() % std::size(texts)];
    for (auto changes = 2 + random() % 6; changes > 0; --changes) {
      const std::size_t at = random() % text.size(), size = random() % 8;
      switch (random() % 4) {
        case 0:
          text.replace(at, 1, 1, characters[random() % characters.size()]);
          break;
        case 1:
          text.insert(at, 1, characters[random() % characters.size()]);
          break;
        case 2:
          text.erase(at, std::min(size, text.size() - 1));
          break;
        default:
          text.insert(at, text.substr(random() % text.size(), size));
      }
    }
    check(parser, text);
  }
}

TEST(JsonSyntax, SaysWhatIsWrong) {
  struct Case {
    std::string_view text;
    std::size_t offset;
    std::string problem;
  };
  const Case cases[] = {
      {"[}", 1, "unexpected '}'; expected a value or ']'"},
      {"{,", 1, "unexpected ','; expected a key in double quotes or '}'"},
      {R"({"a":1,})", 7, "unexpected '}'; expected a key in double quotes"},
      {R"({"a":1 "b":2})", 7, "unexpected string; expected ',' or '}'"},
      {R"({"a":})", 5, "unexpected '}'; expected a value"},
      {R"({true:1})", 1, "unexpected 'true'; expected a key in double quotes or '}'"},
      {R"({1:1})", 1, "unexpected number; expected a key in double quotes or '}'"},
      {"[1]]", 3, "unexpected ']'; expected the end"},
      {"['a']", 1, "unexpected single quote; expected a value or ']'"},
      {"[01]", 1, "'01' is not a number in JSON"},
      {"[1.]", 1, "'1.' is not a number in JSON"},
      {"[+1]", 1, "'+1' is not a number in JSON"},
      {"[.5]", 1, "'.5' is not a number in JSON"},
      {"[-]", 1, "'-' is not a number in JSON"},
      {"[True]", 1, "unexpected 'True'; expected a value or ']'"},
      {"[\"\t\"]", 2, "control character U+0009 in a string; write \\u0009"},
      {R"(["C:\data"])", 4, "unknown escape in a string; write a backslash as \\\\"},
      {R"(["\u12g4"])", 2, "unknown escape in a string; write a backslash as \\\\"},
      {R"(["\ud83d"])", 2, R"(\ud83d is half of a surrogate pair)"},
      {R"(["\ude00"])", 2, R"(\ude00 is half of a surrogate pair)"},
      {R"(["\ud83d\u0041"])", 2, R"(\ud83d is half of a surrogate pair)"},
      {R"(["\ud83d\ude)", 12, ""},
      {R"(["\u00)", 6, ""},
      {"[1e", 3, ""},
      {"[fal", 4, ""},
      {"", 0, ""},
  };
  for (const auto& [text, offset, problem] : cases) {
    const auto fault = formats::find_syntax_fault(text);
    ASSERT_TRUE(fault) << text;
    EXPECT_EQ(fault->offset, offset) << text;
    EXPECT_EQ(fault->problem, problem) << text;
  }
}

TEST(JsonSyntax, MayNestDeeplyAndHaveLongWords) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(formats::find_syntax_fault(deep)->offset, deep.size());
  EXPECT_EQ(formats::find_syntax_fault(deep + '}')->offset, deep.size());
  EXPECT_LT(formats::find_syntax_fault('[' + std::string(100'000, 'x') + ']')->problem.size(),
            100u);
}

TEST(JsonErrors, GiveLineAndColumnAndWhatWasExpected) {
  const std::vector<std::array<std::string, 3>> cases{
      {"[1, 2,]", "line 1, column 7", "unexpected ']'"},
      {"[\n  1,\n  2 3\n]", "line 3, column 5", "unexpected number; expected ',' or ']'"},
      {"{\"a\": [1, 2}, \"b\": 3}", "line 1, column 12", "expected ',' or ']'"},
      {"{\"ü\": tru}", "line 1, column 7", "unexpected 'tru'; expected a value"},
      {"{\"a\" 1}", "line 1, column 6", "expected ':'"},
      {"[\"a\nb\"]", "line 1, column 4", "control character U+000A"},
      {"[NaN, -Infinity, 1e999, x]", "line 1, column 25", "unexpected 'x'; expected a value"},
      {"{} {}", "line 1, column 4", "unexpected '{'; expected the end"},
      {"[1, 2", "line 1, column 5: the JSON ends in the middle", "truncated"},
      {"{\"a\": \"b", "line 1, column 8: the JSON ends in the middle", "truncated"},
      {"  \n ", "is empty", "write the file again"},
      {"hello\nworld", "text, not JSON; it begins with 'hello'", "docs/formats.md"},
      {"id,value\n1,2", "a table (CSV), not JSON", "docs/formats.md"},
  };
  const TemporaryFolder folder;
  for (const auto& [text, where, what] : cases) {
    const auto path = folder.write("f.json", text);
    const std::string error = error_of_call([&] { formats::JsonFile file(path); });
    EXPECT_NE(error.find("f.json: " + where), std::string::npos) << text << ": " << error;
    EXPECT_NE(error.find(what), std::string::npos) << text << ": " << error;
  }
}

TEST(JsonErrors, ShortenLongValues) {
  const TemporaryFolder folder;
  const std::string text = "[\"" + std::string(100'000, 'x') + "\" \"y\"]";
  EXPECT_LT(error_of_call([&] { formats::JsonFile file(folder.write("f.json", text)); }).size(),
            500u);
}

TEST(JsonErrors, RefuseDeepNesting) {
  const TemporaryFolder folder;
  const std::string text = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  EXPECT_NE(error_of_call([&] {
              formats::JsonFile file(folder.write("f.json", text));
            }).find("nested deeper"),
            std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
