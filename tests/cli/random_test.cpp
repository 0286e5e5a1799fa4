// Tests warpath random: its walks and steps, what it saves, what it prints and what it refuses.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/good_files.hpp"
#include "tests/support/json_text.hpp"
#include "tests/support/walk_scene.hpp"
#include "warpath/metrics.hpp"

namespace warpath::testing {
namespace {

void expect_in(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in\n" << text;
}

// ---------------------------------------------------------------- the same as eval

// Saves all walks and compares the statistics of their evaluation with those of the run.
void expect_saved_scores(const Arguments& random, const Arguments& convention,
                         const std::string& graphs, const TemporaryFolder& folder) {
  const std::string pairs = folder.path("walks.jsonl");
  Arguments walk = random;
  walk.insert(walk.end(), {"--walks", "1500", "--save", "1500", pairs, "--force", "--quiet",
                           "--backend", "cpu", "--json", "-"});
  walk.insert(walk.end(), convention.begin(), convention.end());
  Arguments eval = with({"eval", "--graphs", graphs, "--pairs", pairs, "--backend", "cpu", "--ci",
                         "none", "--quiet", "--json", "-"},
                        convention);
  const CliResult walked = run(walk), evaluated = run(eval);
  ASSERT_EQ(walked.code, 0) << walked.err;
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  for (const MetricInfo& m : path_metric_table()) {
    for (const char* key : {"mean", "ci95", "n", "of", "unit"}) {
      const std::string value = number_of(walked.out, std::string(m.name), key);
      EXPECT_NE(value, "");
      EXPECT_EQ(value, number_of(evaluated.out, std::string(m.name), key)) << m.name << ' ' << key;
    }
  }
}

TEST(Random, HasTheStatisticsOfItsSavedWalks) {
  const WalkScene scene;
  for (const char* preset : {"paper", "r2r", "r4r"}) {
    SCOPED_TRACE(preset);
    expect_saved_scores(scene.random({"--seed", "7"}), {"--preset", preset}, scene.graphs,
                        scene.folder);
  }
  expect_saved_scores(scene.random({"--sample", "uniform"}), {}, scene.graphs, scene.folder);
  expect_saved_scores(scene.random({"--steps", "0"}), {"--preset", "r2r", "--invalid", "skip"},
                      scene.graphs, scene.folder);
}

// The reference of 1 leads to x, which no edge joins.
const char* with_a_gap = R"([
{"path_id":1,"scan":"s","path":["a","x"],"heading":0,"distance":2,"instructions":["",""]},
{"path_id":2,"scan":"s","path":["b","c"],"heading":0,"distance":1,"instructions":[""]},
{"path_id":3,"scan":"s","path":["a","b","c"],"heading":0,"distance":2,"instructions":[""]}])";

TEST(Random, CountsWalksWithoutValuesAsTheConventionSays) {
  const Scene s;
  s.folder.write("dataset.json", with_a_gap);
  const Arguments random{"random", "--graphs", s.graphs, "--dataset", s.data};
  for (const char* invalid : {"zero", "skip"}) {
    SCOPED_TRACE(invalid);
    expect_saved_scores(random, {"--invalid", invalid}, s.graphs, s.folder);
  }
  Arguments skip = random, zero = random, refused = random;
  skip.insert(skip.end(), {"--walks", "9", "--invalid", "skip"});
  expect_in(run(skip).out, "6 of 9");
  expect_in(run(skip).out, "unreachable: 3 walks ");
  zero.insert(zero.end(), {"--walks", "9", "--invalid", "zero", "--metrics", "SR,NE"});
  expect_in(run(zero).out, "(6 of 9)");
  zero.insert(zero.end(), {"--json", "-", "--quiet"});
  const std::string counts = json_at(run(zero).out, "/runs/0/metrics/SR/histogram/counts");
  EXPECT_EQ(number_at(counts, "/0") + number_at(counts, "/19"), 9.0);
  refused.insert(refused.end(), {"--walks", "9"});
  const CliResult result = run(refused);
  EXPECT_EQ(result.code, 1);
  for (const char* part : {"dataset.json: 1 of 3 references has viewpoints that no path",
                           "the first is that of 1_0", "--invalid zero", "--invalid skip"}) {
    expect_in(result.err, part);
  }
}

TEST(Random, SavesTheWalksThatItScores) {
  const WalkScene scene;
  const std::string pairs = scene.folder.path("walks.jsonl"), csv = scene.folder.path("out.csv");
  const std::string json =
      scene.json({"--walks", "200", "--save", "200", pairs, "--backend", "cpu"});
  ASSERT_EQ(run({"eval", "--graphs", scene.graphs, "--pairs", pairs, "--backend", "cpu", "--quiet",
                 "--csv", csv})
                .code,
            0);
  const auto rows = read_csv(csv);
  ASSERT_EQ(rows.size(), 200u);
  EXPECT_EQ(rows[0].at("instr_id"), "walk_0");
  EXPECT_EQ(rows[199].at("instr_id"), "walk_199");
  for (const char* metric : {"PL", "NE", "nDTW", "steps"}) {
    double sum = 0.0;
    for (const CsvRow& row : rows) sum += std::stod(row.at(metric));
    EXPECT_NEAR(sum / 200.0, std::stod(number_of(json, metric, "mean")), 1e-6) << metric;
  }
  // A longer run begins with the same walks.
  const std::string first = read_text(pairs);
  scene.json({"--walks", "5000", "--save", "4500", pairs, "--force"});
  const std::string more = read_text(pairs);
  EXPECT_EQ(more.substr(0, first.size()), first);
  EXPECT_EQ(std::ranges::count(more, '\n'), 4500);
}

// ---------------------------------------------------------------- the recipe

TEST(Random, TakesThePathOfEachEntryAndCountsStepsOncePerInstruction) {
  const Scene s;
  s.folder.write("dataset.json", R"([
{"path_id":1,"scan":"s","path":["a","b","c"],"heading":0,"distance":2,"instructions":["","",""]},
{"path_id":2,"scan":"s","path":["b","c"],"heading":0,"distance":1,"instructions":[""]},
{"path_id":3,"scan":"s","path":["a","b","c"],"heading":0,"distance":2,"instructions":[""]},
{"path_id":4,"scan":"s","path":["c","b","a"],"heading":0,"distance":2,"instructions":[]}])");
  const Arguments random{"random", "--graphs", s.graphs,  "--dataset", s.data,         "--quiet",
                         "--json", "-",        "--walks", "4",         "--no-run-info"};
  const std::string json = run(random).out;
  expect_in(json, "\"references\": 3,");
  expect_in(json, "\"counts\": {\n        \"1\": 1,\n        \"2\": 4\n      }");
  expect_in(json, "\"from\": \"the references of 5 items of " + s.data + "\"");
  EXPECT_EQ(number_of(json, "n_ref", "mean"), "2.75");
  // Steps of another dataset need no graphs.
  s.folder.write("other.json", R"([
{"path_id":1,"scan":"t","path":["q","r","s","t"],"heading":0,"distance":2,"instructions":[""]}])");
  Arguments other = random;
  other.insert(other.end(), {"--steps-from", s.folder.path("other.json")});
  EXPECT_EQ(number_of(run(other).out, "steps", "mean"), "3");
  Arguments fixed = random;
  fixed.insert(fixed.end(), {"--steps", "5"});
  EXPECT_EQ(number_of(run(fixed).out, "steps", "minimum"), "5");
  expect_in(run(fixed).out, "\"hash\": \"\"");
}

TEST(Random, IsTheSameAgainAndAnotherWithAnotherSeedOrSample) {
  const WalkScene scene;
  const std::string once = scene.json({"--walks", "400", "--seed", "3"});
  EXPECT_EQ(once, scene.json({"--walks", "400", "--seed", "3"}));
  const auto mean = [](const std::string& json) { return number_of(json, "nDTW", "mean"); };
  EXPECT_NE(mean(once), mean(scene.json({"--walks", "400", "--seed", "4"})));
  EXPECT_NE(mean(once), mean(scene.json({"--walks", "400", "--seed", "3", "--sample", "uniform"})));
  EXPECT_EQ(scene.json({"--walks", "400"}), scene.json({"--walks", "400", "--seed", "1"}));
}

TEST(Random, TakesCountsAsPeopleWriteThem) {
  const WalkScene scene;
  const std::string json = scene.json({"--walks", "1000", "--seed", "2000", "--steps", "3"});
  EXPECT_EQ(scene.json({"--walks", "1e3", "--seed", "2k", "--steps", "0.3e1"}), json);
  EXPECT_EQ(scene.json({"--walks", "1_000", "--seed", "2K", "--steps", "3"}), json);
}

TEST(Random, TakesTheLargestSeed) {
  const WalkScene scene;
  const std::string largest = "18446744073709551615";
  const std::string json = scene.json({"--walks", "400", "--seed", largest});
  expect_in(json, "\"seed\": " + largest);
  EXPECT_EQ(json, scene.json({"--walks", "400", "--seed", largest}));
  // It is no seed cut off to 32 bits, nor one of a double.
  for (const char* other : {"4294967295", "18446744073709551614", "9223372036854775807"}) {
    EXPECT_NE(number_of(json, "nDTW", "mean"),
              number_of(scene.json({"--walks", "400", "--seed", other}), "nDTW", "mean"))
        << other;
  }
  expect_saved_scores(scene.random({"--seed", largest}), {}, scene.graphs, scene.folder);
}

// An item of RxR or NDH is no list of instructions: equal references of two items are one path,
// which counts twice where steps are counted.
TEST(Random, TakesDatasetsOfRxrAndNdh) {
  const Scene s;
  const auto expect_walks = [&](const char* references, const char* counts, const Arguments& more) {
    Arguments random = with({"random", "--graphs", s.graphs, "--dataset", s.data}, more);
    expect_saved_scores(random, {}, s.graphs, s.folder);
    random.insert(random.end(), {"--walks", "6", "--quiet", "--json", "-", "--no-run-info"});
    const CliResult result = run(random);
    EXPECT_EQ(result.code, 0) << result.err;
    expect_in(result.out, std::string("\"references\": ") + references);
    expect_in(result.out, std::string("\"counts\": {\n        ") + counts);
  };
  s.folder.write("dataset.json",
                 R"({"instruction_id": 26, "language": "en-IN", "path_id": 11, "scan": "s",)"
                 R"( "path": ["a", "b", "c"], "instruction": "x", "timed_instruction": []})"
                 "\n"
                 R"({"instruction_id": 27, "language": "te-IN", "path_id": 11, "scan": "s",)"
                 R"( "path": ["a", "b", "c"], "instruction": "y"})"
                 "\n"
                 R"({"instruction_id": 30, "language": "en-US", "path_id": 12, "scan": "s",)"
                 R"( "path": ["b", "c"], "instruction": "z"})");
  expect_walks("2,", "\"1\": 1,\n        \"2\": 2\n", {});
  s.folder.write("dataset.json", R"([
      {"inst_idx": 5, "scan": "s", "player_path": ["a", "b", "c", "b"], "planner_path": ["a", "b"]},
      {"inst_idx": 6, "scan": "s", "player_path": ["b", "c"], "planner_path": ["a", "b"]}])");
  expect_walks("2,", "\"1\": 1,\n        \"3\": 1\n", {});
  expect_walks("1,", "\"1\": 2\n", {"--reference", "planner"});
}

// ---------------------------------------------------------------- reports

TEST(Random, PrintsATableAndSaysWhatTheWalksAre) {
  const WalkScene scene;
  const std::string text =
      run(scene.random({"--walks", "600", "--seed", "5", "--backend", "cpu"})).out;
  for (const char* part :
       {"dataset.json: R2R, 60 items in 1 scan\n", "  agent  ", "  random  ", "    n\n", "  600\n",
        "\npreset paper\n",
        "600 random walks of seed 5 against 30 references in turn, steps drawn ",
        " of the references of 60 items of ", "interval of the sampling of walks, 1.96 s/√n",
        "back end cpu, single precision\n"}) {
    expect_in(text, part);
  }
  const Scene still;  // no reference ends where it begins
  const std::string fixed =
      run({"random", "--graphs", still.graphs, "--dataset", still.data, "--walks", "90", "--steps",
           "0", "--metrics", "SR", "--sample", "uniform", "--threshold", "0.5"})
          .out;
  for (const char* part : {"0.0000 +0.04", "references drawn at random, 0 steps each\n",
                           "every walk has 0 or every walk has 1, and the bound is Wilson's"}) {
    expect_in(fixed, part);
  }
  const CliResult latex = run(scene.random({"--walks", "90", "--latex", "--no-intervals"}));
  EXPECT_TRUE(latex.out.starts_with("\\begin{tabular}"));
  EXPECT_EQ(latex.out.find("interval"), std::string::npos);
  expect_in(latex.err, "booktabs");
}

TEST(Random, WritesJsonWithHistogramsAndSums) {
  const WalkScene scene;
  const std::string json = scene.json({"--walks", "1000", "--metrics", "SR,PL"});
  EXPECT_EQ(json_at(json, "/interval/of"), R"("the sampling of walks")");
  EXPECT_EQ(json_at(json, "/walks/count"), "1000");
  EXPECT_EQ(json_at(json, "/walks/definition"), "1");
  EXPECT_EQ(json_at(json, "/walks/complete"), "true");
  const std::string sr = json_at(json, "/runs/0/metrics/SR");
  const std::uint64_t failures = std::stoull(json_at(sr, "/histogram/counts/0"));
  const std::uint64_t successes = std::stoull(json_at(sr, "/histogram/counts/19"));
  EXPECT_EQ(failures + successes, 1000u);
  EXPECT_EQ(number_at(sr, "/mean"), static_cast<double>(successes) / 1000.0);
  // 2^60 for each success.
  EXPECT_EQ(json_at(sr, "/sums/values"),
            fmt::format(R"("{}")", static_cast<unsigned __int128>(successes) << 60));
  EXPECT_EQ(json_at(json, "/run_info"), "");
  EXPECT_EQ(json_at(json, "/runs/0/metrics/NE"), "");
  const std::string with_info = run(scene.random({"--walks", "9", "--quiet", "--json", "-"})).out;
  for (const char* part : {"\"command_line\": [\n      \"random\"", "\"backend\": \"cpu\""}) {
    expect_in(with_info, part);
  }
  const std::string flat = scene.json({"--walks", "1000", "--flat-names", "--metrics", "SR,PL"});
  expect_in(flat, fmt::format("\"sr\": {},\n", 100.0 * number_at(sr, "/mean")));
}

TEST(Random, WritesARowPerMetricAsCsv) {
  const WalkScene scene;
  const std::string csv = scene.folder.path("out.csv");
  const std::string json = scene.json({"--walks", "1000", "--metrics", "SR,PL", "--csv", csv});
  const auto rows = read_csv(csv);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].at("metric"), "PL");
  EXPECT_EQ(rows[1].at("unit"), "m");
  EXPECT_EQ(rows[0].at("unit"), "");
  EXPECT_EQ(rows[1].at("mean"), number_of(json, "PL", "mean"));
  EXPECT_EQ(rows[1].at("n"), "1000");
  expect_in(json, fmt::format("[{}, {}]", rows[1].at("ci95_low"), rows[1].at("ci95_high")));
  EXPECT_EQ(std::stof(rows[1].at("maximum")), std::stof(number_of(json, "PL", "maximum")));
  EXPECT_LT(rows[1].at("maximum").size(), 12u) << "the digits of a float";
}

// ---------------------------------------------------------------- what is refused

struct Refused {
  std::string name;
  int code;
  std::vector<std::string> says;
  Arguments more;
  std::string data{};  // replaces the dataset
};

const std::vector<Refused>& refused_cases() {
  static const std::string one = R"({"path_id":1,"scan":"s","path":)";
  static const std::string end = R"(,"heading":0,"distance":2,"instructions":[""]})";
  static const std::vector<Refused> all{
      {"NoWalks", 2, {"--walks", "'0' is no whole number from 1 to "}, {"--walks", "0"}},
      {"NegativeWalks", 2, {"--walks", "'-1'"}, {"--walks", "-1"}},
      {"WalksAreNoNumber", 2, {"'10^6' is no whole number"}, {"--walks", "10^6"}},
      {"WalksAreNotWhole", 2, {"'1.5' is no whole number"}, {"--walks", "1.5"}},
      {"SeedIsNoNumber", 2, {"--seed", "'x' is no whole number from 0"}, {"--seed", "x"}},
      {"NegativeSeed", 2, {"--seed", "'-1'"}, {"--seed", "-1"}},
      {"HugeSeed", 2, {"--seed", "'18446744073709551616'"}, {"--seed", "18446744073709551616"}},
      {"HugeSteps", 2, {"--steps", "from 0 to 65534"}, {"--steps", "65535"}},
      {"StepsTwice", 2, {"--steps", "--steps-from"}, {"--steps", "3", "--steps-from", "x.json"}},
      {"NoSuchSample", 2, {"no sample 'cycl'; did you mean cycle?"}, {"--sample", "cycl"}},
      {"NoSuchFormat", 2, {"no format 'r2'; did you mean r2r?"}, {"--format", "r2"}},
      {"ShardZero", 2, {"'0/4' is not k/n with k from 1 to n"}, {"--shard", "0/4"}},
      {"ShardBeyond", 2, {"'5/4' is not k/n"}, {"--shard", "5/4"}},
      {"ShardOfNone", 2, {"'1/0' is not k/n"}, {"--shard", "1/0"}},
      {"ShardIsNoFraction", 2, {"'2' is not k/n"}, {"--shard", "2"}},
      {"ShardIsNegative", 2, {"'-1/4' is not k/n"}, {"--shard", "-1/4"}},
      {"EmptyShard", 2, {"--shard 1/99 has none of 50 walks", "fewer"}, {"--shard", "1/99"}},
      {"FlatShard", 2, {"--flat-names leaves out the sums"}, {"--shard", "1/2", "--flat-names"}},
      {"SaveMore",
       2,
       {"--save: '51' is no whole number from 1 to 50"},
       {"--save", "51", "w.jsonl"}},
      {"SaveNone", 2, {"--save: '0' is no whole number"}, {"--save", "0", "w.jsonl"}},
      {"SaveToGzip", 2, {"--save writes plain JSON Lines", "w.gz"}, {"--save", "1", "w.gz"}},
      {"SaveToOutput", 2, {"--save writes plain", "'-'"}, {"--save", "1", "-"}},
      {"ForceOfNothing", 2, {"--force lets --save replace a file"}, {"--force"}},
      {"RunInfoOfNothing", 2, {"--no-run-info changes the file of --json"}, {"--no-run-info"}},
      {"NoSuchSteps", 1, {"missing.json", "No such file"}, {"--steps-from", "missing.json"}},
      {"StartWithoutNeighbours",
       1,
       {"dataset.json: 1_0: reference: begins at the viewpoint x, which has no neighbour",
        "leave the item out"},
       {},
       "[" + one + R"(["x","a"])" + end + "]"},
      {"EmptyReference",
       1,
       {"dataset.json: 1_0: reference: is empty", "repair"},
       {},
       "[" + one + "[]" + end + "]"},
      {"ReferenceOffItsGraph",
       1,
       {"dataset.json: 1_0: reference: names the viewpoint q, which the graph"},
       {},
       "[" + one + R"(["a","q"])" + end + "]"},
      {"TestSplit", 1, {"dataset.json: ", "a test split"}, {}, "[" + one + R"(["a"])" + end + "]"},
      {"NoItem",
       1,
       {"dataset.json: the dataset has no items", "check the file"},
       {},
       "[" + one + R"(["a","b"],"heading":0,"distance":2,"instructions":[]}])"},
      {"NoItemForSteps",
       1,
       {"dataset.json: the dataset has no items"},
       {"--steps", "2"},
       "[" + one + R"(["a","b"],"heading":0,"distance":2,"instructions":[]}])"},
  };
  return all;
}

class RefusedRandom : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedRandom, EndsInOneLineAndWritesNothing) {
  const Scene s;
  if (!GetParam().data.empty()) s.folder.write("dataset.json", GetParam().data);
  Arguments all{"random", "--graphs", s.graphs, "--dataset", s.data};
  const Arguments& more = GetParam().more;
  if (std::ranges::find(more, "--walks") == more.end()) {
    all.insert(all.end(), {"--walks", "50"});
  }
  const bool has_json = GetParam().name != "RunInfoOfNothing";
  if (has_json) all.insert(all.end(), {"--json", s.folder.path("out.json")});
  all.insert(all.end(), more.begin(), more.end());
  const auto before = s.folder.list();
  const CliResult result = run(all);
  EXPECT_EQ(result.code, GetParam().code) << result.err;
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  for (const std::string& part : GetParam().says) expect_in(result.err, part);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(s.folder.list(), before);
}

INSTANTIATE_TEST_SUITE_P(Random, RefusedRandom, ::testing::ValuesIn(refused_cases()),
                         [](const auto& test) { return test.param.name; });

TEST(Random, RefusesStepsFromADatasetWithoutAny) {
  const Scene s;
  const std::string empty = s.folder.write("steps.json", R"([
{"path_id":1,"scan":"s","path":["a","b"],"heading":0,"distance":2,"instructions":[]}])");
  const std::string split = s.folder.write("split.json", R"([
{"path_id":1,"scan":"s","path":["a"],"heading":0,"distance":2,"instructions":[""]}])");
  const Arguments base{"random", "--graphs", s.graphs, "--dataset", s.data, "--walks", "9"};
  for (const auto& [file, says] :
       {std::pair(empty, "steps.json: the dataset has no items"),
        std::pair(split, "split.json: every reference has one viewpoint, so there are no steps")}) {
    Arguments all = base;
    all.insert(all.end(), {"--steps-from", file});
    const CliResult result = run(all);
    EXPECT_EQ(result.code, 1);
    expect_in(result.err, says);
  }
}

TEST(Random, OverwritesNoInputAndNoOtherFile) {
  const WalkScene scene;
  const std::string mine = scene.folder.write("mine.jsonl", "mine");
  const auto says = [&](const Arguments& more, const std::string& text) {
    const CliResult result = run(scene.random(more));
    EXPECT_EQ(result.code, 2) << result.err;
    expect_in(result.err, text);
  };
  says({"--walks", "9", "--json", scene.data},
       "--json " + scene.data + " would overwrite the input");
  says({"--walks", "9", "--save", "9", scene.data, "--force"}, "would overwrite the input");
  says({"--walks", "9", "--steps-from", mine, "--csv", mine}, "would overwrite the input");
  says({"--walks", "9", "--save", "9", mine},
       "mine.jsonl exists; name another file or say --force");
  says({"--walks", "9", "--save", "9", scene.folder.path("x"), "--csv", scene.folder.path("x")},
       "would both write");
  EXPECT_EQ(read_text(mine), "mine");
  EXPECT_EQ(run(scene.random({"--walks", "9", "--save", "9", mine, "--force"})).code, 0);
  EXPECT_TRUE(read_text(mine).starts_with("{\"id\": \"walk_0\""));
}

}  // namespace
}  // namespace warpath::testing
