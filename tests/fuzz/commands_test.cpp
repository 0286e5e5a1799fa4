// Whole commands on files that are spoiled at random: their structure, or their bytes.

#include "tests/fuzz/commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::fuzz {
namespace {

namespace fs = std::filesystem;

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::vector<std::string> seeds() {
  std::vector<std::string> texts;
  for (const auto& entry : fs::directory_iterator(testing::source("tests/fuzz/corpus/commands"))) {
    texts.push_back(testing::read_text(entry.path().string()));
  }
  std::ranges::sort(texts);
  return texts;
}

// Changes a text at random. JSON is changed by its values, so that it often stays JSON.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (int k = 0, count = draw(3) == 0 ? 2 + draw(3) : 1; k < count; ++k) {
      draw(6) == 0 ? change_bytes(text) : change_values(text);
    }
    return text;
  }

  int draw(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

 private:
  struct Span {
    std::size_t begin, end;
  };

  // Returns where the values and keys of a text are, whatever is between them.
  static std::vector<Span> values_in(std::string_view text) {
    std::vector<Span> spans;
    std::vector<std::size_t> open;
    for (std::size_t k = 1; k < text.size(); ++k) {  // the first byte chooses the command
      const char c = text[k];
      std::size_t end = k + 1;
      if (c == '[' || c == '{') {
        open.push_back(k);
      } else if ((c == ']' || c == '}') && !open.empty()) {
        spans.push_back({open.back(), end});
        open.pop_back();
      } else if (c == '"') {
        while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
        end = std::min(end + 1, text.size());
        spans.push_back({k, end});
      } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-') {
        end = std::min(text.find_first_of(" ,:[]{}\"\n", k), text.size());
        spans.push_back({k, end});
      }
      k = end - 1;
    }
    return spans;
  }

  std::string hostile() {
    static const std::vector<std::string> values = {"null",
                                                    "true",
                                                    "0",
                                                    "-1",
                                                    "1",
                                                    "2.5",
                                                    "-0.0",
                                                    "1e308",
                                                    "1e400",
                                                    "-1e400",
                                                    "NaN",
                                                    "-Infinity",
                                                    "1e-320",
                                                    "18446744073709551615",
                                                    "-9223372036854775808",
                                                    "12345678901234567890123",
                                                    "-99999999999999999999999",
                                                    "\"\"",
                                                    "\"a\"",
                                                    "\"b\"",
                                                    "\"1_0\"",
                                                    "\"x\"",
                                                    R"("\u0000")",
                                                    R"("\ud800")",
                                                    R"("\u202e\u001b[31m")",
                                                    R"("\"\\/\n")",
                                                    "\"\xff\"",
                                                    "\"" + std::string(5000, 'x') + "\"",
                                                    "[]",
                                                    "{}",
                                                    "[[]]",
                                                    "[null]",
                                                    "[1,2,3]",
                                                    R"(["a","b"])",
                                                    R"([["a",0,0]])",
                                                    R"({"a":1})",
                                                    R"({"":""})",
                                                    R"({"path":["a"]})",
                                                    "1.0",
                                                    "7",
                                                    "01",
                                                    "+1",
                                                    "'a'",
                                                    std::string(2000, '[')};
    return values[static_cast<std::size_t>(draw(static_cast<int>(values.size())))];
  }

  void change_values(std::string& text) {
    const std::vector<Span> spans = values_in(text);
    if (spans.empty()) return change_bytes(text);
    const auto any = [&] {
      const Span s = spans[static_cast<std::size_t>(draw(static_cast<int>(spans.size())))];
      return text.substr(s.begin, s.end - s.begin);
    };
    const Span at = spans[static_cast<std::size_t>(draw(static_cast<int>(spans.size())))];
    const std::string own = text.substr(at.begin, at.end - at.begin);
    switch (draw(6)) {
      case 0: {  // remove it, with the comma behind it
        const std::size_t end = text.substr(at.end, 1) == "," ? at.end + 1 : at.end;
        text.erase(at.begin, end - at.begin);
        return;
      }
      case 1:
        text.insert(at.end, (draw(8) == 0 ? ":" : ",") + own);
        return;
      case 2:
        text.replace(at.begin, own.size(), "[" + own + "]");
        return;
      case 3:
        text.replace(at.begin, own.size(), any());
        return;
      default:
        text.replace(at.begin, own.size(), hostile());
    }
  }

  void change_bytes(std::string& text) {
    const std::size_t at = 1 + random_() % std::max<std::size_t>(text.size(), 1);
    if (at >= text.size()) {
      text += static_cast<char>(draw(256));
      return;
    }
    switch (draw(6)) {
      case 0:
        text[at] = static_cast<char>(draw(256));
        return;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << draw(8)));
        return;
      case 2:
        text.erase(at, 1 + static_cast<std::size_t>(draw(8)));
        return;
      case 3:
        text.insert(at, 1, "\0\n\r,:[]{}\"\\ -9e"[draw(15)]);
        return;
      case 4:
        text.insert(at, text.substr(at, static_cast<std::size_t>(draw(60))));
        return;
      default:
        if (draw(4) == 0) text.resize(at);
    }
  }

  std::mt19937_64 random_;
};

TEST(Commands, RunOnTheirSeeds) {
  std::set<char> chosen;
  for (const std::string& seed : seeds()) {
    const CommandRun done = run_command_on(bytes_of(seed));
    EXPECT_EQ(done.code, 0) << fmt::format("{}", fmt::join(done.arguments, " ")) << done.err;
    chosen.insert(seed[0]);
  }
  EXPECT_EQ(chosen.size(), command_count()) << "a command has no seed";
}

// WARPATH_INPUTS says how many inputs to try; 10^6 take half an hour.
TEST(Commands, KeepTheirPromisesOnSpoiledFiles) {
  const char* wanted = std::getenv("WARPATH_INPUTS");
  const long inputs = wanted != nullptr ? std::atol(wanted) : 300;
  const std::vector<std::string> all = seeds();
  Mutator mutate(testing::run_seed());
  std::size_t codes[3] = {}, failures = 0;
  for (long k = 0; k < inputs && failures < 20; ++k) {
    const auto seed = static_cast<std::size_t>(mutate.draw(static_cast<int>(all.size())));
    const std::string input = mutate(all[seed]);
    try {
      ++codes[run_command_on(bytes_of(input)).code];
    } catch (const std::exception& violation) {
      ++failures;
      const std::string file = fmt::format("commands-{}", k);
      const char* folder = std::getenv("WARPATH_FINDINGS");
      if (folder != nullptr) std::ofstream(fs::path(folder) / file) << input;
      ADD_FAILURE() << violation.what() << "\n" << input;
    }
  }
  std::printf("exit code 0: %zu, 1: %zu, 2: %zu\n", codes[0], codes[1], codes[2]);
  EXPECT_GT(codes[0], 0u);
  EXPECT_GT(codes[1], 0u);
}

}  // namespace
}  // namespace warpath::fuzz
