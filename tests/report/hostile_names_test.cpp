// Tests that every file in JSON stays JSON, whatever ids, keys and names are.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "host/files/formats/lines.hpp"
#include "host/files/io/json_writer.hpp"
#include "tests/support/good_files.hpp"

namespace warpath::testing {
namespace {

using namespace std::string_literals;

const std::vector<std::string>& names() {
  static const std::vector<std::string> all{"",           "\"",
                                            "\\",         "\"\\\"",
                                            "\0"s,        "\n\x01\x1b[31m",
                                            "\u202e",     "[{",
                                            "}],\"a\":1", "\\u0000",
                                            "\U0001F600", "%s{}",
                                            "a\"b\\c",    "\x7f",
                                            "//*",        std::string(9000, 'x')};
  return all;
}

void expect_json(const std::string& file) {
  const std::string text = read_text(file);
  simdjson::dom::parser parser;
  ASSERT_FALSE(text.empty()) << file;
  const auto check = [&](std::string part) {
    EXPECT_EQ(parser.parse(part).error(), simdjson::SUCCESS)
        << file << ": " << part.substr(0, 2000);
  };
  if (!file.ends_with(".jsonl")) return check(text);
  for (formats::Lines lines(text); lines.next();)
    check(text.substr(lines.begin, lines.end - lines.begin));
}

// Scans, viewpoints, ids and keys are all of one name.
class HostileNames : public ::testing::Test {
 protected:
  void use(const std::string& name) {
    const std::string n = io::json_string(name), b = io::json_string(name + "b"),
                      id = io::json_string(name);
    graph =
        folder.write("g.json", fmt::format(R"({{"scan":{0},"nodes":[{{"id":{0},"position":[0,0,0]}},
      {{"id":{1},"position":[1,0,0]}}],"edges":[[{0},{1}]]}})",
                                           n, b));
    data = folder.write("d.json", fmt::format(R"([{{"path_id":{0},"scan":{0},"path":[{0},{1}],
      "instructions":[{0}],"heading":0,"distance":1,"language":{0}}}])",
                                              n, b));
    agent = folder.write(
        "p.json", fmt::format(R"([{{"instr_id":{0},"trajectory":[[{1},0,0],[{2},0,0]],{1}:{1},
      "other":{{{1}:[{1}]}}}}])",
                              io::json_string(name + "_0"), n, b));
    dump = folder.write(
        "r.json",
        fmt::format(R"({{{0}:{{"success":1,{0}:0.5,"spl":1}},"2":{{"success":0,{0}:1,"spl":0}}}})",
                    n));
  }

  // Runs a command, whose outputs are named out.*; it may refuse a name, but not write what is no
  // JSON.
  void expect_json_of(Arguments command) {
    std::vector<std::string> outputs;
    for (std::string& word : command) {
      if (!word.starts_with("out.")) continue;
      word = folder.path(word);
      outputs.push_back(word);
    }
    const CliResult result = run(command);
    written += result.code == 0;
    for (const std::string& output : outputs) {
      if (!std::filesystem::exists(output)) continue;
      expect_json(output);
      std::filesystem::remove(output);
    }
  }

  const TemporaryFolder folder;
  std::string graph, data, agent, dump;
  int written = 0;
};

TEST_F(HostileNames, LeaveEveryFileJson) {
  for (const std::string& name : names()) {
    use(name);
    const Arguments inputs{"--graphs", graph, "--dataset", data};
    const auto with = [&](Arguments first, const Arguments& more) {
      first.insert(first.end(), inputs.begin(), inputs.end());
      first.insert(first.end(), more.begin(), more.end());
      return first;
    };
    expect_json_of(with(
        {"eval"}, {agent, "--name", "a" + name, "--by", "scan", "--items", "--json", "out.json"}));
    expect_json_of(
        with({"eval"}, {agent, "--by", "language", "--flat-names", "--json", "out.json"}));
    expect_json_of(with({"validate"}, {agent, "--fix", "out.json"}));
    expect_json_of({"convert", agent, "--to", "evalai", "--out", "out.json"});
    expect_json_of(with({"baseline", "shortest"}, {"--out", "out.json", "--quiet"}));
    expect_json_of(with({"perturb", "reversal"}, {"--out", "out.json"}));
    expect_json_of(with({"rewards"}, {agent, "--reward", "hamt", "--jsonl", "out.jsonl"}));
    expect_json_of(
        with({"random"}, {"--walks", "3", "--save", "3", "out.jsonl", "--json", "out.json"}));
    expect_json_of(with({"r4r"}, {"--out", "out.json"}));
    expect_json_of({"dataset", "--graphs", graph, data, "--json", "out.json"});
    expect_json_of({"aggregate", dump, "--json", "out.json"});
  }
  EXPECT_GT(written, 6 * static_cast<int>(names().size())) << "most commands accept most names";
}

}  // namespace
}  // namespace warpath::testing
