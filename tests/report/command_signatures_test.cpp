// Tests the signatures of `warpath random`, `aggregate` and `rewards`: each line in full, that each
// choice changes it, and that `warpath check` names the command.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "host/files/io/input_file.hpp"
#include "host/program/report/signature.hpp"
#include "tests/support/reward_scene.hpp"
#include "warpath/reward_settings.hpp"
#include "warpath/version.hpp"

namespace warpath::testing {
namespace {

using report::Signature;
using report::SignatureForm;

// Returns what follows a text up to the end of its line; of a folded note, the next line.
std::string rest_of_line(const std::string& text, const std::string& title) {
  const std::size_t at = text.find(title);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no '" << title << "' in\n" << text;
    return "";
  }
  const std::size_t begin = text.find_first_not_of(" \n", at + title.size());
  return text.substr(begin, text.find('\n', begin) - begin);
}

// Returns the first digits of the hash of a content.
std::string digits_of(const std::string& content) {
  return io::content_hash(content).substr(0, 8);
}

class SignaturesOfCommands : public ::testing::Test {
 protected:
  // Returns the signature that a command prints, in its full form and without the version.
  static std::string printed(const std::vector<std::string>& words) {
    const CliResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    const std::string line = rest_of_line(result.out, "\nsignature:");
    return full(line);
  }
  static std::string full(const std::string& line) {
    const std::string text = report::parse_signature(line).text();
    const std::string version = fmt::format("|warpath:{}", WARPATH_VERSION);
    EXPECT_TRUE(text.ends_with(version)) << text;
    return text.substr(0, text.size() - version.size());
  }
  // Expects that JSON and LaTeX have the line below the table in its full form.
  static void expect_in_files(std::vector<std::string> words) {
    const std::string line = printed(words);
    words.emplace_back("--latex");
    EXPECT_EQ(full(rest_of_line(run(words).out, "\n% warpath signature: ")), line);
    words.back() = "--markdown";
    EXPECT_EQ(full(rest_of_line(run(words).err, "\nsignature:")), line);
    words.insert(words.end(), {"--quiet", "--json", "-"});
    std::string json = rest_of_line(run(words).out, "\"signature\": \"");
    EXPECT_EQ(full(json.substr(0, json.find('"'))), line);
  }

  // Expects a signature in which "D" and "G" stand for the hashes of the scene's dataset and
  // graphs.
  void expect(const std::vector<std::string>& words, std::string wanted) const {
    const std::string scan = io::content_hash(read_text(scene.graph));
    wanted = std::regex_replace(wanted, std::regex("dataset:D"),
                                "dataset:" + digits_of(read_text(scene.data)));
    wanted = std::regex_replace(wanted, std::regex("graphs:G"),
                                "graphs:" + digits_of("s " + scan + "\n"));
    EXPECT_EQ(printed(words), wanted);
  }

  RewardScene scene;
  const std::vector<std::string> random{"random",  "--graphs", scene.graph, "--dataset", scene.data,
                                        "--walks", "20",       "--seed",    "3"};
  const std::vector<std::string> rewards{"rewards",  "--graphs",  scene.graph, "--dataset",
                                         scene.data, scene.agent, "--reward",  "hamt"};
  const std::string one = scene.folder.write(
      "a.json", R"({"1": {"success": 1.0, "spl": 0.5}, "2": {"success": 0.0, "spl": 0.0}})");
  const std::string two = scene.folder.write("b.json", R"({"3": {"success": 1.0, "spl": 0.25}})");
};

TEST_F(SignaturesOfCommands, NameWalks) {
  expect(random, "preset:paper|dataset:D|graphs:G|walks:20|seed:3|sample:cycle");
  expect(with(random, {"--preset", "r2r", "--threshold", "2", "--sample", "uniform", "--steps", "4",
                       "--format", "r2r"}),
         "preset:r2r|threshold:2|dataset:D|format:r2r|graphs:G|walks:20|seed:3|sample:uniform|"
         "steps:4");
  expect(with(random, {"--shard", "1/2"}),
         "preset:paper|dataset:D|graphs:G|walks:20|seed:3|sample:cycle|shard:1/2");
  const std::string other = scene.folder.write("longer.json", R"([{"path_id": 1, "scan": "s",
      "path": ["A", "B", "C"], "instructions": [""]}])");
  expect(with(random, {"--steps-from", other}),
         "preset:paper|dataset:D|graphs:G|walks:20|seed:3|sample:cycle|steps:from=" +
             digits_of(read_text(other)));
  expect_in_files(random);
}

// What the JSON of shards says nowhere else comes from their signature.
TEST_F(SignaturesOfCommands, AreThoseOfTheRunWhereShardsAreMerged) {
  const std::vector<std::string> whole = with(random, {"--format", "r2r"});
  std::vector<std::string> merge{"merge"};
  for (const char* shard : {"1/2", "2/2"}) {
    merge.push_back(scene.folder.path(fmt::format("{}.json", shard[0])));
    ASSERT_EQ(run(with(whole, {"--shard", shard, "--quiet", "--json", merge.back()})).code, 0);
  }
  EXPECT_EQ(printed(merge), printed(whole));
}

TEST_F(SignaturesOfCommands, NameAggregatedResults) {
  std::vector<std::string> hashes{io::content_hash(read_text(one)),
                                  io::content_hash(read_text(two))};
  std::ranges::sort(hashes);
  const std::string both = digits_of(hashes[0] + "+" + hashes[1]);
  const std::string alone = digits_of(read_text(one));
  const std::vector<std::string> aggregate{"aggregate", one, two, "--rules", "ours,navid"};
  EXPECT_EQ(printed(aggregate), "rules:ours,navid|results:" + both + "|items:3");
  EXPECT_EQ(printed({"aggregate", two, one, "--rules", "ours,navid"}), printed(aggregate));
  EXPECT_EQ(printed({"aggregate", one, "--rules", "ours"}),
            "rules:ours|results:" + alone + "|items:2");
  EXPECT_EQ(printed(with(aggregate, {"--invalid", "zero", "--missing", "skip", "--episodes", "5",
                                     "--duplicates", "each"})),
            "rules:ours,navid|missing:skip|invalid:zero|duplicates:each|results:" + both +
                "|episodes:5|items:3");
  // The order of files counts where it says which entry does.
  EXPECT_NE(printed(with(aggregate, {"--duplicates", "first"})),
            printed({"aggregate", two, one, "--rules", "ours,navid", "--duplicates", "first"}));
  // What only `ours` reads is no part of other rules' numbers.
  EXPECT_EQ(printed({"aggregate", one, "--rules", "navid", "--invalid", "zero"}),
            "rules:navid|results:" + alone + "|items:2");
  expect_in_files(aggregate);
}

TEST_F(SignaturesOfCommands, NameRecomputing) {
  const std::string data = scene.folder.write("episodes.json", R"({"episodes": [
      {"episode_id": "1", "scene_id": "mp3d/s1/s1.glb", "start_position": [0, 0, 0],
       "goals": [{"position": [0, 0, 4]}], "info": {"geodesic_distance": 4.0},
       "reference_path": [[0, 0, 0], [0, 0, 4]]}]})");
  const std::string results =
      scene.folder.write("paths.json", R"({"1": {"success": 1, "path": [[0, 0, 0], [0, 0, 3]]}})");
  EXPECT_EQ(printed({"aggregate", results, "--rules", "ours", "--recompute", "--dataset", data,
                     "--threshold", "2"}),
            fmt::format("rules:ours|results:{}|preset:vlnce|threshold:2|dataset:{}|"
                        "distances:euclidean|items:1",
                        digits_of(read_text(results)), digits_of(read_text(data))));
}

TEST_F(SignaturesOfCommands, NameRewards) {
  const std::string inputs = "|dataset:D|graphs:G|items:3";
  expect(rewards, "reward:hamt" + inputs);
  expect(with(rewards,
              {"--tie", "zero", "--threshold", "2", "--discount", "0.5", "--timed-out", "all"}),
         "reward:hamt|tie:zero|threshold:2|discount:0.5|timed_out:all" + inputs);
  for (const char* ids : {"1_1,1_0", "1_0,1_1,1_0"}) {
    expect(with(rewards, {"--timed-out", ids}),
           "reward:hamt|timed_out:" + digits_of("1_0,1_1") + inputs);
  }
  const std::string lost = scene.folder.write("lost.json", R"([
      {"instr_id": "1_0", "trajectory": [["Z"]]},
      {"instr_id": "1_1", "trajectory": [["A"], ["B"]]}])");
  const std::string said = run(with(rewards, {lost, "--invalid", "skip", "--missing", "skip"})).out;
  for (const char* part :
       {"\nsignature (agent):", "\nsignature (lost):", " a:hamt|missing:skip|invalid:skip|d:",
        "|i:3|v:", "|i:3|s:missing=1,unknown_viewpoint=1|v:"}) {
    EXPECT_NE(said.find(part), std::string::npos) << part << " not in\n" << said;
  }
}

TEST_F(SignaturesOfCommands, AreRefusedByCheckWithTheirCommand) {
  struct Case {
    std::vector<std::string> words;
    std::string command;
  };
  for (const Case& each :
       {Case{random, "random"}, Case{rewards, "rewards"}, Case{{"aggregate", one}, "aggregate"}}) {
    const std::string line = printed(each.words);
    const CliResult result =
        run({"check", line, "--graphs", scene.graph, "--dataset", scene.data, scene.agent});
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find("is of warpath " + each.command + ", "), std::string::npos)
        << result.err;
  }
}

TEST(SignatureParts, ComeBackFromTheirShortNames) {
  Signature signature;
  for (const char* name : {"dataset",  "format",   "split",        "reference", "sub_instructions",
                           "graphs",   "objects",  "task_success", "distances", "items",
                           "statuses", "warpath",  "walks",        "seed",      "sample",
                           "steps",    "shard",    "rules",        "results",   "episodes",
                           "reward",   "discount", "timed_out"}) {
    signature.add(name, "1");
  }
  for (const RewardSetting& setting : reward_settings()) signature.add(setting.name, "1");
  for (const SignatureForm form : {SignatureForm::full, SignatureForm::shorter})
    EXPECT_EQ(report::parse_signature(signature.text(form)).parts, signature.parts);
  EXPECT_EQ(signature.text(SignatureForm::shorter).find("dataset"), std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
