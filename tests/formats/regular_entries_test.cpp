// Tests that annotations which are read without a document of their JSON are what the document
// gives, and that all other forms are left to it.

#include "host/files/formats/regular_entries.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>

#include "host/files/formats/dataset.hpp"
#include "tests/support/chunked_files.hpp"

namespace warpath::testing {
namespace {

constexpr const char* annotated_path =
    R"({{"distance": 9.5, "scan": "s{0}", "path_id": {0}, "path": ["a{0}", "b", "a{0}"], )"
    R"("heading": {0}.25, "instructions": ["Go on.", "A \"door\"\u00e9\n", "Wait"]}})";
constexpr const char* bare_path =
    R"({{"path":["b","c"],"path_id":"id{0}","instructions":[],"scan":"s","none":[null,[true,-1e-5]]}})";

std::string as_list(std::string_view entry) {
  return fmt::format("[{}]", entry);
}

std::optional<std::string> described_annotations(const std::string& text) {
  formats::RegularEntries read;
  if (!formats::read_regular_entries(text, read)) return std::nullopt;
  std::string all;
  for (std::size_t e = 0; e < read.entries.size(); ++e) {
    const formats::RegularEntries::Entry& entry = read.entries[e];
    all += fmt::format("{} {} {} {}", entry.id, entry.scan, entry.heading, entry.instructions);
    for (const formats::Token token : read.paths[e]) all += ' ' + read.viewpoints[token];
    all += '\n';
  }
  return all;
}

void expect_same_annotations(const std::string& content) {
  expect_same(content, [](const std::string& file, const io::Reading& reading,
                          formats::StringTable& viewpoints) {
    return formats::read_dataset(file, nullptr, formats::ReferenceChoice::path, viewpoints,
                                 reading);
  });
}

TEST(RegularEntries, AreReadWithoutADocument) {
  EXPECT_EQ(described_annotations(list_of(2, annotated_path)),
            "0 s0 0.25 3 a0 b a0\n1 s1 1.25 3 a1 b a1\n");
  EXPECT_EQ(described_annotations(list_of(1, bare_path)), "id0 s 0 0 b c\n");
}

TEST(RegularEntries, OfOtherFormsAreLeftToTheDocument) {
  for (const std::string_view entry :
       {R"({"scan": "s", "path_id": 1, "path": ["a"]})",
        R"({"scan": "s", "id": 1, "path": ["a"], "instructions": []})",
        R"({"scan": 1, "path_id": 1, "path": ["a"], "instructions": []})",
        R"({"scan": "s", "path_id": 1.5, "path": ["a"], "instructions": []})",
        R"({"scan": "s", "path_id": -0, "path": ["a"], "instructions": []})",
        R"({"scan": "s", "path_id": 1, "path": [], "instructions": []})",
        R"({"scan": "s", "path_id": 1, "path": [["a"]], "instructions": []})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": "x"})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": [], "scan": "s"})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": [], "heading": null})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": [], "start_heading": 1})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": [], "more": {}})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": ["\x"]})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": ["\u12g4"]})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": ["\ud834"]})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": ["\u12)",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": [nul]})",
        R"({"scan": "s", "path_id": 1, "path": ["a"], "instructions": [[[[[[1]]]]]]})",
        "{\"scan\": \"s\", \"path_id\": 1, \"path\": [\"a\"], \"instructions\": [\"\xFF\"]}"}) {
    EXPECT_FALSE(described_annotations(as_list(entry))) << entry;
  }
}

TEST(RegularEntries, InChunksAreThoseOfTheWholeFile) {
  expect_same_annotations(list_of(60, annotated_path));
  expect_same_annotations(joined(list_of(30, annotated_path), list_of(30, bare_path)));
  expect_same_annotations(joined(list_of(30, bare_path), list_of(30, annotated_path)));
}

TEST(RegularEntries, OfDamagedFilesAreThoseOfTheDocument) {
  constexpr std::string_view bytes = "[]{},:\" \n\\0123456789.-+eEtrufalsnNI\xC3\x7f";
  const std::string good = joined(list_of(3, annotated_path), list_of(3, bare_path));
  std::mt19937 draw(1);
  for (int k = 0; k < 75; ++k) {
    std::string text = good;
    const std::size_t place = good.size() / 3 + draw() % (good.size() / 2);
    const char byte = bytes[draw() % bytes.size()];
    if (k % 3 == 0) text[place] = byte;
    if (k % 3 == 1) text.insert(place, 1, byte);
    if (k % 3 == 2) text.erase(place, 1);
    expect_same_annotations(text);
  }
}

}  // namespace
}  // namespace warpath::testing
