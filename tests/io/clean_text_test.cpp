// Tests that strings from files cannot do harm in a report.

#include "host/core/base/clean_text.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "host/files/io/json_writer.hpp"
#include "host/program/cli/cli.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

// Contains escape sequences, BEL, newline, DEL, C1 in UTF-8 and raw, bidirectional overrides, and
// markup of Markdown, HTML and LaTeX.
const std::string hostile =
    "\x1b]0;title\a\x1b[31m\n\x7f\u009b2J\x9b\u202e\u2066\u200f|<img src=x>$\\input{x}$*_#%&~^[";

// Returns the first control character that is not a newline, as text to print; empty if there is
// none.
std::string control_in(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = base::utf8_size(std::string_view(text).substr(at));
    if (size == 0) return "a byte that is no UTF-8";
    const std::string character = text.substr(at, size);
    const bool is_newline = character == "\n";
    if (!is_newline && base::clean_text(character) != character) {
      return "control at byte " + std::to_string(at) + " behind '" +
             text.substr(at < 40 ? 0 : at - 40, at < 40 ? at : 40) + "'";
    }
    at += size;
  }
  return "";
}

TEST(CleanText, ReplacesControlCharactersBySpaces) {
  EXPECT_EQ(base::clean_text("a\x1b[31mb\nc\x7f"
                             "d\te"),
            "a [31mb c d e");
  EXPECT_EQ(base::clean_text("\u009b\u0085\u202e\u2069\u2028\u200e\u061c"), std::string(7, ' '));
  EXPECT_EQ(base::clean_text("\x9b"
                             "a\xc3"),
            "\uFFFD"
            "a\uFFFD");
  EXPECT_EQ(base::clean_text("äλ智\U0001F600"), "äλ智\U0001F600");
}

TEST(CleanText, KeepsTheEndsOfALongLine) {
  const std::string line = base::clean_text("begin" + std::string(1 << 20, 'x') + "end");
  EXPECT_LE(line.size(), base::max_line_bytes);
  EXPECT_TRUE(line.starts_with("beginxx") && line.ends_with("xxend")) << line;
  EXPECT_EQ(base::clean_text(line), line);
  const std::string bad = base::clean_text(std::string(1 << 20, '\xff'));
  EXPECT_EQ(base::clean_text(bad), bad);
  EXPECT_LE(bad.size(), base::max_line_bytes);
}

TEST(CleanText, ShortensBetweenCharacters) {
  EXPECT_EQ(base::shortened("abc", 3), "abc");
  EXPECT_EQ(base::shortened("abcdefghij", 9), "abcd…ij");
  std::string text;
  for (int k = 0; k < 20; ++k) text += "智";
  for (std::size_t max = 3; max < 64; ++max) {
    const std::string got = base::shortened(text, max);
    EXPECT_LE(got.size(), max);
    EXPECT_EQ(base::clean_text(got), got) << "cut inside a character";
  }
}

TEST(CleanText, CountsTheBytesOfCharacters) {
  // All of up to two bytes, and the ends of each range of table 3-7 of the Unicode standard.
  for (unsigned first = 0; first < 256; ++first) {
    const char one[] = {static_cast<char>(first)};
    EXPECT_EQ(base::utf8_size({one, 1}), first < 0x80 ? 1u : 0u) << first;
    for (unsigned second = 0; second < 256; ++second) {
      const char two[] = {static_cast<char>(first), static_cast<char>(second)};
      const bool is_two = first >= 0xC2 && first < 0xE0 && (second & 0xC0) == 0x80;
      EXPECT_EQ(base::utf8_size({two, 2}), first < 0x80 ? 1u : is_two ? 2u : 0u) << first << second;
    }
  }
  for (const std::string_view good :
       {"\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF"}) {
    EXPECT_EQ(base::utf8_size(good), 3u);
    EXPECT_EQ(base::utf8_size(good.substr(0, 2)), 0u);
  }
  for (const std::string_view good : {"\xF0\x90\x80\x80", "\xF3\xBF\xBF\xBF", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(base::utf8_size(good), 4u);
    EXPECT_EQ(base::utf8_size(good.substr(0, 3)), 0u);
  }
  for (const std::string_view bad :
       {"\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\xE1\x80\x00", "\xF1\x80\x80\xC0"}) {
    EXPECT_EQ(base::utf8_size(bad), 0u);
  }
}

TEST(CleanText, BoundsWhatMessagesQuote) {
  const TemporaryFolder folder;
  const std::string graph = folder.write("g.json", R"({"scan":"s","nodes":[{"id":"a",
    "position":[0,0,0]},{"id":"b","position":[1,0,0]}],"edges":[["a","b"]]})");
  const std::string data = folder.write("d.json", R"([{"path_id":"1","scan":"s","path":["a","b"],
    "instructions":[""],"heading":0,"distance":1}])");
  const std::string id(100'000, 'x');
  const std::string entry = R"({"instr_id":")" + id + R"(","trajectory":[["a",0,0]]})";
  const std::string twice = folder.write("twice.json", "[" + entry + "," + entry + "]");
  const std::string odd = folder.write("odd.json", R"([{")" + id + R"(":1}])");
  for (const std::string& file : {twice, odd}) {
    for (const char* command : {"eval", "validate"}) {
      const CliResult result = run({command, "--graphs", graph, "--dataset", data, file});
      EXPECT_NE(result.code, 0);
      EXPECT_LT((result.out + result.err).size(), 3 * base::max_line_bytes) << command;
    }
  }
}

TEST(CleanText, EscapesMarkup) {
  EXPECT_EQ(base::clean_text("|<img>&*_$", base::Markup::markdown), "\\|&lt;img&gt;&amp;\\*\\_\\$");
  EXPECT_EQ(base::clean_text("<a href=\"x\">'", base::Markup::html),
            "&lt;a href=&quot;x&quot;&gt;&#39;");
  EXPECT_EQ(base::clean_text("$\\input{x}", base::Markup::latex),
            "\\$\\textbackslash{}input\\{x\\}");
  EXPECT_EQ(base::clean_text("50%_[é智", base::Markup::latex), "50\\%\\_{[}é?");
}

TEST(CleanText, IsCheckedForEachControlCharacter) {
  for (const char* text : {"\x1b", "\a", "\x7f", "\u009b", "\x9b", "\u202e", "\r", "\t"}) {
    EXPECT_NE(control_in(std::string("ab") + text), "");
  }
  EXPECT_EQ(control_in("ä|\n"), "");
}

// ---------------------------------------------------------------- through every command

std::string json_string(const std::string& text) {
  io::JsonWriter writer;
  writer.text("", text);
  std::string out = writer.take();
  out.pop_back();
  return out;
}

// Writes files in which every string that can be hostile is.
class Hostile : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string id = json_string(hostile), far = json_string(hostile + "far");
    graph = folder.write("g.json", R"({"scan":)" + id + R"(,"nodes":[{"id":)" + id +
                                       R"(,"position":[0,0]},{"id":)" + far +
                                       R"(,"position":[9,0]},{"id":"alone","position":[1,1]}],
                                       "edges":[[)" +
                                       id + "," + far + "]]}");
    data = folder.write("d.json", R"([{"path_id":)" + id + R"(,"scan":)" + id + R"(,"path":[)" +
                                      id + "," + far + R"(],"language":)" + id +
                                      R"(,"instructions":["",""]}])");
    const std::string first = json_string(hostile + "_0"), second = json_string(hostile + "_1");
    agent = folder.write(file_name, R"([{"instr_id":)" + first + R"(,"trajectory":[[)" + id +
                                        R"(,0,0]]},{"instr_id":)" + second +
                                        R"(,"trajectory":[["nowhere)" + hostile_tail() +
                                        R"(",0,0]]},{"instr_id":)" + far + R"(,"trajectory":[]}])");
  }

  static std::string hostile_tail() {
    const std::string text = json_string(hostile);
    return text.substr(1, text.size() - 2);
  }

  Arguments eval(const Arguments& more) const {
    return with({"eval", "--graphs", graph, "--dataset", data, "--invalid", "skip"}, more);
  }

  // Removes the program's own codes for bold, which are harmless.
  static std::string without_bold(std::string text) {
    for (const std::string code : {"\x1b[1m", "\x1b[0m"}) {
      for (std::size_t at; (at = text.find(code)) != std::string::npos;)
        text.erase(at, code.size());
    }
    return text;
  }

  static CliResult run_on(const io::Terminal& terminal, const Arguments& arguments) {
    std::ostringstream out, err;
    const int code = cli::run_cli(arguments, out, err, terminal);
    return {code, out.str(), err.str()};
  }

  // Checks the output to a file and to a terminal with colours.
  static void expect_clean(const Arguments& arguments) {
    for (const io::Terminal& terminal : {io::Terminal{}, io::Terminal{true, true, 80}}) {
      const CliResult result = run_on(terminal, arguments);
      const std::string what = arguments[0] + " " + arguments.back();
      EXPECT_EQ(control_in(terminal.colour ? without_bold(result.out) : result.out), "") << what;
      EXPECT_EQ(control_in(result.err), "") << what;
      EXPECT_GT(result.out.size() + result.err.size(), 0u) << what;
    }
  }

  const TemporaryFolder folder;
  const std::string file_name = "ag\x1b[31ment\a\u202e|<img>.json";
  std::string graph, data, agent;
};

TEST_F(Hostile, PrintsNoControlCharacterInEval) {
  ASSERT_EQ(run(eval({agent})).code, 0) << run(eval({agent})).err;
  for (const char* style : {"--no-intervals", "--latex", "--markdown", "--percent"}) {
    for (const char* by : {"scan", "length"}) {
      expect_clean(eval({agent, "--by", by, "--also", "r4r", style}));
    }
    expect_clean(eval({hostile + "=" + agent, "second=" + agent, style}));
  }
  expect_clean(eval({agent, "--json", "-"}));
}

TEST_F(Hostile, KeepsIdsExactInFiles) {
  const std::string csv = run(eval({agent, "--csv", "-", "--quiet"})).out;
  const std::string beginning = hostile.substr(0, hostile.find("2J"));
  EXPECT_NE(csv.find(beginning + "2J\uFFFD\u202e"), std::string::npos) << csv;
}

TEST_F(Hostile, CleansIdsIfStandardOutputIsATerminal) {
  const Arguments arguments = eval({agent, "--csv", "-", "--quiet"});
  const CliResult result = run_on({true, true, 80}, arguments);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("run,instr_id,")) << result.out;
  EXPECT_EQ(control_in(result.out), "");
}

TEST_F(Hostile, PrintsNoControlCharacterInErrors) {
  expect_clean({"eval", "--graphs", graph, "--dataset", data, agent});
  expect_clean({"eval", "--graphs", graph, "--dataset", data, agent, "--strict"});
  expect_clean({"eval", "--graphs", hostile, "--dataset", data, agent});
  expect_clean({"eval", "--graphs", graph, "--dataset", folder.path(hostile), agent});
  expect_clean({"eval", "--graphs", graph, "--dataset", data, hostile});
  expect_clean(eval({agent, "--preset", hostile}));
  expect_clean(eval({agent, "--metrics", hostile}));
  expect_clean(eval({agent, "--" + hostile}));
  expect_clean({hostile});
}

TEST_F(Hostile, PrintsNoControlCharacterInExplain) {
  for (const std::string& item : {hostile + "_0", hostile + "_1", hostile}) {
    expect_clean({"explain", "--graphs", graph, "--dataset", data, agent, "--item", item});
  }
}

TEST_F(Hostile, PrintsNoControlCharacterInValidate) {
  const Arguments validate{"validate", "--graphs", graph, "--dataset", data, agent};
  expect_clean(validate);
  Arguments fix = validate;
  fix.insert(fix.end(), {"--fix", "-"});
  expect_clean(fix);
}

TEST_F(Hostile, PrintsNoControlCharacterInGroupsByLanguage) {
  const std::string name = json_string(hostile), far = json_string(hostile + "far");
  const std::string rxr = folder.write(
      "rxr.json", R"([{"path_id":1,"instruction_id":7,"scan":)" + name + R"(,"path":[)" + name +
                      "," + far + R"(],"language":)" + name + R"(,"instruction":""}])");
  const std::string predictions =
      folder.write("p.json", R"([{"instr_id":"7","trajectory":[[)" + name + R"(,0,0]]}])");
  for (const char* style : {"--no-intervals", "--latex", "--markdown"}) {
    const Arguments arguments{"eval",      "--graphs", graph,      "--dataset", rxr,
                              predictions, "--by",     "language", style};
    ASSERT_EQ(run(arguments).code, 0) << run(arguments).err;
    expect_clean(arguments);
  }
}

TEST_F(Hostile, PrintsNoControlCharacterInDemo) {
  expect_clean({"demo", "--out", folder.path("odd\x1b[31m\a folder")});
}

}  // namespace
}  // namespace warpath::testing
