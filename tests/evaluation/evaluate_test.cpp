// Tests the options of `warpath eval`, on the small golden set and the demo's files.

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <deque>

#include "tests/support/files.hpp"
#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"

namespace warpath::testing {
namespace {

class Eval : public ::testing::Test {
 protected:
  const Arguments base{"eval", "--graphs", source("tests/golden/connectivity"), "--dataset",
                       source("tests/golden/dataset.json")};
  const std::string agent = source("tests/golden/predictions.json");
  TemporaryFolder folder;
  std::deque<simdjson::dom::parser> parsers;

  std::string out(const Arguments& more) const {
    const CliResult result = run(with(base, more));
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
  // Parses a report, which stays valid until the test ends: every report has its own parser.
  simdjson::dom::element report(const Arguments& more) {
    return parsers.emplace_back().parse(out(with({"--json", "-", "--quiet"}, more)));
  }
  // Returns the first agent's part of the report.
  simdjson::dom::element json(const Arguments& more) { return report(more)["runs"].at(0); }
  static double mean(simdjson::dom::element run, const std::string& metric) {
    return run["metrics"][metric]["mean"].get_double();
  }
  static std::uint64_t n(simdjson::dom::element run, const std::string& metric) {
    return run["metrics"][metric]["n"].get_uint64();
  }

  // Returns the agent's entries except those with an id that `drop` accepts.
  std::string predictions_without(bool (*drop)(std::string_view)) {
    std::string kept;
    for (const auto entry : parsers.emplace_back().load(agent).get_array()) {
      const std::string_view id = entry["instr_id"];
      if (!drop(id)) kept += (kept.empty() ? "" : ",") + std::string(simdjson::minify(entry));
    }
    return "[" + kept + "]";
  }
};

TEST_F(Eval, NamesThePresetAndTheChangedSettings) {
  const std::string table =
      out({agent, "--preset", "duet", "--threshold", "2.5", "--invalid", "skip"});
  for (const char* part :
       {"R2R, 58 items in 3 scans", "EvalAI submission, 58 predictions",
        "preset duet with threshold=2.5, invalid=skip\n", "± 95 % interval, clustered by",
        "back end reference, double precision"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << " in " << table;
  }
  EXPECT_NE(out({agent}).find("\npreset paper\n"), std::string::npos);
}

TEST_F(Eval, WritesEveryMetricAndItsProvenanceToJson) {
  const auto root = report({agent});
  const auto run = root["runs"].at(0);
  std::vector<std::string> keys;
  for (const auto field : run["metrics"].get_object()) keys.emplace_back(field.key);
  const std::vector<std::string> expected{
      "PL",  "NE",  "ONE", "SR",  "OSR",   "AD",      "MD",          "SPL",
      "SED", "PC",  "LS",  "CLS", "DTW",   "nDTW",    "SDTW",        "GP",
      "ED",  "EPL", "SP",  "PLR", "steps", "n_query", "n_query_raw", "n_ref"};
  EXPECT_EQ(keys, expected);
  EXPECT_EQ(std::string_view(root["preset"]), "paper");
  EXPECT_EQ(double(root["convention"]["threshold"]), 3.0);
  EXPECT_EQ(std::string_view(root["convention"]["success"]), "le");
  EXPECT_EQ(std::string_view(root["precision"]), "double");
  EXPECT_EQ(std::string_view(root["graphs"]["hash"]).size(), 32u);
  EXPECT_EQ(std::string_view(root["dataset"]["hash"]).size(), 32u);
  EXPECT_EQ(std::string_view(run["hash"]).size(), 32u);
  EXPECT_EQ(std::string_view(run["file"]), agent);
  EXPECT_EQ(std::string_view(root["dataset"]["file"]), base[4]);
  EXPECT_EQ(std::string_view(root["run_info"]["backend"]), "reference");
  EXPECT_EQ(std::string_view(root["run_info"]["command_line"].at(0)), "eval");
}

TEST_F(Eval, PrintsMeansThatEqualThoseOfTheCsv) {
  const std::string csv = folder.path("items.csv");
  const auto run = json({agent, "--csv", csv, "--preset", "duet", "--invalid", "skip"});
  const auto rows = read_csv(csv);
  ASSERT_EQ(rows.size(), 58u);
  for (const MetricInfo& m : path_metric_table()) {
    const std::string name(m.name);
    double sum = 0.0;
    std::uint64_t count = 0;
    for (const CsvRow& row : rows) {
      if (row.at(name).empty()) continue;
      sum += std::stod(row.at(name));
      ++count;
    }
    EXPECT_EQ(n(run, name), count) << name;
    EXPECT_NEAR(mean(run, name), sum / count, 1e-12 * std::max(1.0, sum / count)) << name;
  }
}

TEST_F(Eval, HashesContentAndNotFileNames) {
  const auto hash = [&](const std::string& file) {
    return std::string(std::string_view(json({file})["hash"]));
  };
  const std::string packed = folder.write("other.json.gz", gzip(read_text(agent)));
  EXPECT_EQ(hash(agent), hash(packed));
  EXPECT_NE(hash(agent), hash(folder.write("more.json", read_text(agent) + " ")));
}

TEST_F(Eval, WritesEqualBytesForEqualInputs) {
  const Arguments arguments{agent, "--by", "scan", "--also", "r4r,valan", "--no-run-info"};
  for (const char* file : {"--json", "--csv"}) {
    const Arguments to_stdout = with(arguments, {"--json", folder.path("other.json"), file, "-"});
    const Arguments all = file == std::string("--json") ? with(arguments, {file, "-"}) : to_stdout;
    const std::string first = out(all);
    EXPECT_EQ(first, out(all));
    EXPECT_GT(first.size(), 1000u);
  }
}

TEST_F(Eval, DoesNotDependOnTheOrderOfPredictions) {
  std::vector<std::string> entries;
  for (const auto entry : parsers.emplace_back().load(agent).get_array())
    entries.emplace_back(simdjson::minify(entry));
  std::ranges::reverse(entries);
  std::string reversed;
  for (const std::string& entry : entries) reversed += (reversed.empty() ? "[" : ",") + entry;
  const std::string file = folder.write("predictions.json", reversed + "]");
  const auto metrics = [&](const std::string& predictions) {
    return std::string(simdjson::minify(json({predictions})["metrics"]));
  };
  EXPECT_EQ(metrics(agent), metrics(file));
}

TEST_F(Eval, ListsSeveralAgentsInTheirOrder) {
  const std::string other = folder.write("a_last.json", read_text(agent));
  const auto root = report({agent, other});
  std::vector<std::string> names;
  for (const auto run : root["runs"].get_array()) names.emplace_back(std::string_view(run["name"]));
  EXPECT_EQ(names, (std::vector<std::string>{"predictions", "a_last"}));
  const std::string table = out({agent, other});
  EXPECT_LT(table.find("\n  predictions "), table.find("\n  a_last ")) << table;
}

TEST_F(Eval, MergesShardsToTheWholeRun) {
  const auto whole = std::string(simdjson::minify(json({agent})["metrics"]));
  const std::string odd = folder.write("r0.json", predictions_without([](std::string_view id) {
                                         return (id.back() - '0') % 2 == 0;
                                       }));
  const std::string even = folder.write("r1.json", predictions_without([](std::string_view id) {
                                          return (id.back() - '0') % 2 == 1;
                                        }));
  EXPECT_EQ(whole, std::string(simdjson::minify(json({"--merge", odd, even})["metrics"])));
  // A shard that is given twice has duplicates, not more items.
  EXPECT_NE(out({"--merge", odd, even, odd}).find("duplicate_id: "), std::string::npos);
}

// ---------------------------------------------------------------- missing items

class EvalMissing : public Eval {
 protected:
  // 38 of 58 items remain.
  const std::string partial = folder.write(
      "partial.json", predictions_without([](std::string_view id) { return id.ends_with("_0"); }));
};

TEST_F(EvalMissing, RefusesTheRunByDefault) {
  EXPECT_EQ(run(with(base, {partial})).code, 1);
  // duet's evaluator does not check for missing items.
  EXPECT_EQ(run(with(base, {partial, "--preset", "duet", "--invalid", "skip"})).code, 0);
}

TEST_F(EvalMissing, LeavesItemsOutIfSkip) {
  const auto skipped = json({partial, "--missing", "skip"});
  EXPECT_EQ(n(skipped, "SR"), 38u);
  EXPECT_EQ(n(skipped, "NE"), 38u);
  EXPECT_EQ(std::uint64_t(skipped["status"]["missing"]), 20u);
}

TEST_F(EvalMissing, CountsZeroInFractionsButNotInMetres) {
  const double sr = mean(json({partial, "--missing", "skip"}), "SR");
  const double ne = mean(json({partial, "--missing", "skip"}), "NE");
  const auto zero = json({partial, "--missing", "zero"});
  EXPECT_EQ(n(zero, "SR"), 58u);
  EXPECT_NEAR(mean(zero, "SR"), sr * 38 / 58, 1e-12);
  EXPECT_EQ(n(zero, "NE"), 38u);
  EXPECT_EQ(mean(zero, "NE"), ne);
}

TEST_F(EvalMissing, TreatsItemsWithoutAValueAsTheSettingSays) {
  const std::string broken = folder.write("broken.json", [&] {
    std::string changed = read_text(agent);
    const std::size_t at = changed.find("[[\"") + 3;
    return changed.replace(at, 32, std::string(32, 'z'));
  }());
  const CliResult refused = run(with(base, {broken, "--missing", "zero"}));
  EXPECT_EQ(refused.code, 1);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(n(json({broken, "--invalid", "skip"}), "SR"), 57u);
  EXPECT_EQ(n(json({broken, "--invalid", "zero"}), "SR"), 58u);
  EXPECT_EQ(n(json({broken, "--invalid", "zero"}), "DTW"), 57u);
}

// ---------------------------------------------------------------- options

TEST_F(Eval, MakesGroupsThatAddUpToTheWhole) {
  for (const auto& [by, key] : {std::pair("scan", "scan"), std::pair("length", "n_ref")}) {
    const auto run = json({agent, "--by", by});
    std::uint64_t items = 0;
    double sum = 0.0;
    for (const auto group : run["groups"].get_array()) {
      EXPECT_FALSE(std::string_view(group[key]).empty());
      items += std::uint64_t(group["items"]);
      sum += mean(group, "nDTW") * static_cast<double>(n(group, "nDTW"));
    }
    EXPECT_EQ(items, 58u);
    EXPECT_NEAR(sum, mean(run, "nDTW") * 58, 1e-10);
  }
  EXPECT_NE(out({agent, "--by", "scan"}).find("house_a"), std::string::npos);
}

TEST_F(Eval, ShowsOnlyDifferencesForAlso) {
  const auto root = report({agent, "--also", "duet,paper", "--invalid", "skip"});
  const simdjson::dom::element duet = root["runs"].at(0)["also"].at(0);
  EXPECT_EQ(std::string_view(root["also"].at(0)["convention"]["spl-length"]), "reference");
  EXPECT_EQ(std::string_view(duet["preset"]), "duet");
  EXPECT_EQ(mean(duet, "SPL"), mean(json({agent, "--preset", "duet", "--invalid", "skip"}), "SPL"));
  const simdjson::dom::object same = json({agent, "--also", "paper"})["also"].at(0)["metrics"];
  EXPECT_EQ(same.size(), 0u);
  EXPECT_NE(out({agent, "--also", "paper"}).find("also paper: every mean is the same"),
            std::string::npos);
}

TEST_F(Eval, LimitsEveryOutputToTheChosenMetrics) {
  const std::string csv = folder.path("narrow.csv");
  const auto run = json({agent, "--metrics", "sdtw,SR", "--csv", csv});
  const simdjson::dom::object metrics = run["metrics"];
  EXPECT_EQ(metrics.size(), 2u);
  EXPECT_TRUE(read_text(csv).starts_with("run,instr_id,scan,status,SDTW,SR\n"));
  const std::string table = out({agent, "--metrics", "sdtw,SR"});
  EXPECT_NE(table.find(" SDTW ↑ "), std::string::npos) << table;
  EXPECT_EQ(table.find(" nDTW "), std::string::npos) << table;
}

TEST_F(Eval, UsesTaskSuccessInsteadOfSrInSdtw) {
  std::string csv = "id,success\n";
  for (const auto entry : parsers.emplace_back().load(agent).get_array()) {
    csv += std::string(std::string_view(entry["instr_id"])) + ",0.5\n";
  }
  const auto half = json({agent, "--task-success", folder.write("half.csv", csv)});
  EXPECT_NEAR(mean(half, "SDTW"), 0.5 * mean(half, "nDTW"), 1e-15);
}

TEST_F(Eval, PrintsPercentInTablesOnly) {
  const double sr = mean(json({agent}), "SR");
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.2f ±", 100 * sr);
  EXPECT_NE(out({agent, "--percent", "--metrics", "SR"}).find(percent), std::string::npos);
  EXPECT_EQ(mean(json({agent, "--percent"}), "SR"), sr);  // files hold fractions
}

TEST_F(Eval, PrintsTheTableToStandardErrorIfAFileGoesToStandardOutput) {
  const CliResult result = run(with(base, {agent, "--csv", "-"}));
  EXPECT_TRUE(result.out.starts_with("run,instr_id,"));
  EXPECT_NE(result.err.find("  agent "), std::string::npos);
  EXPECT_EQ(run(with(base, {agent, "--quiet"})).out, "");
}

TEST_F(Eval, ScoresDuplicatesAsTheConventionSays) {
  const std::string text_twice =
      R"([{"instr_id":"k_0","trajectory":[["a"]]},{"instr_id":"k_0","trajectory":[["a"],["b"]]}])";
  const std::string graph = folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},
    {"id":"b","position":[1,0]}],"edges":[["a","b"]]})");
  const std::string data = folder.write("d.json", R"([{"path_id":"k","scan":"s","path":["a","b"],
    "instructions":[""]}])");
  const auto pl = [&](const std::string& rule) {
    const simdjson::dom::element result =
        parsers.emplace_back()
            .parse(run({"eval", "--graphs", graph, "--dataset", data,
                        folder.write("p.json", text_twice), "--duplicates", rule, "--json", "-",
                        "--quiet"})
                       .out)["runs"]
            .at(0);
    return std::pair(mean(result, "PL"), n(result, "PL"));
  };
  EXPECT_EQ(pl("first"), std::pair(0.0, std::uint64_t{1}));
  EXPECT_EQ(pl("last"), std::pair(1.0, std::uint64_t{1}));
  EXPECT_EQ(pl("each"), std::pair(0.5, std::uint64_t{2}));
}

TEST_F(Eval, MatchesNdhNumbersWithIdsInR2rForm) {
  const std::string graph = folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},
    {"id":"b","position":[1,0]}],"edges":[["a","b"]]})");
  const std::string data = folder.write("d.json", R"([{"path_id":5,"scan":"s","path":["a","b"],
    "planner_path":["a"],"instructions":[""]}])");
  const std::string predictions =
      folder.write("p.json", R"([{"inst_idx":5,"trajectory":[["a",0,0]]}])");
  EXPECT_EQ(run({"eval", "--graphs", graph, "--dataset", data, predictions, "--strict"}).code, 0);
}

TEST_F(Eval, RefusesATestSplit) {
  const std::string graph =
      folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]}],"edges":[]})");
  const std::string data = folder.write("d.json", R"([
    {"path_id":5,"scan":"s","path":["a"],"instructions":[""]},
    {"path_id":6,"scan":"s","path":["a"],"instructions":[""]}])");
  const std::string predictions = folder.write("p.json", R"({"5_0":[["a"]],"6_0":[["a"]]})");
  const CliResult result = run({"eval", "--graphs", graph, "--dataset", data, predictions});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("test split"), std::string::npos) << result.err;
}

// ---------------------------------------------------------------- other commands

TEST(Demo, PrintsTheCommandThatRepeatsItsTable) {
  const TemporaryFolder folder;
  const CliResult demo = run({"demo", "--out", folder.path("my demo")});
  ASSERT_EQ(demo.code, 0) << demo.err;
  const std::size_t at = demo.out.find("warpath eval");
  ASSERT_NE(at, std::string::npos);
  Arguments arguments;
  std::string word;
  bool quoted = false;
  for (const char c : demo.out.substr(at + 8)) {
    if (c == '\'') {
      quoted = !quoted;
    } else if ((c == ' ' || c == '\n') && !quoted) {
      if (!word.empty()) arguments.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  const CliResult again = run(arguments);
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NE(demo.out.find(again.out), std::string::npos);
  EXPECT_NE(again.out.find("follower"), std::string::npos);
}

TEST(Demo, DependsOnItsSeed) {
  const TemporaryFolder folder;
  const auto table = [&](const std::string& seed) {
    const std::string out = run({"demo", "--out", folder.path("demo"), "--seed", seed}).out;
    return out.substr(out.find("  agent"), out.find("preset paper") - out.find("  agent"));
  };
  EXPECT_EQ(table("3"), table("3"));
  EXPECT_NE(table("3"), table("4"));
}

TEST_F(Eval, TreatsPairsWithOneIdAsDuplicates) {
  const std::string graph = folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},
    {"id":"b","position":[1,0]}],"edges":[["a","b"]]})");
  const std::string pairs = folder.write(
      "p.jsonl", R"({"id":"k","scan":"s","reference":["a"],"prediction":["a"]})"
                 "\n"
                 R"({"id":"k","scan":"s","reference":["a","b"],"prediction":["a","b"]})"
                 "\n");
  const auto pl = [&](const std::string& rule) {
    const simdjson::dom::element result =
        parsers.emplace_back()
            .parse(run({"eval", "--graphs", graph, "--pairs", pairs, "--duplicates", rule, "--json",
                        "-", "--quiet"})
                       .out)["runs"]
            .at(0);
    return std::pair(mean(result, "PL"), n(result, "PL"));
  };
  EXPECT_EQ(pl("first"), std::pair(0.0, std::uint64_t{1}));
  EXPECT_EQ(pl("last"), std::pair(1.0, std::uint64_t{1}));
  EXPECT_EQ(pl("each"), std::pair(0.5, std::uint64_t{2}));
}

TEST_F(Eval, ReportsFormatsAndTaskSuccess) {
  const auto plain = report({agent});
  EXPECT_EQ(std::string_view(plain["dataset"]["format_description"]), "R2R, 58 items in 3 scans");
  EXPECT_EQ(std::string_view(plain["runs"].at(0)["format"]), "evalai");
  const std::string success = folder.write("t.csv", "x,1\n");
  const Arguments given{"--task-success", success, agent, "--missing", "zero"};
  EXPECT_EQ(std::string_view(json(given)["task_success_hash"]).size(), 32u);
  EXPECT_NE(out(given).find(success + ": task success, which SDTW takes"), std::string::npos);
}

TEST_F(Eval, CountsNoFailureWhereTheOriginalEvaluatorFails) {
  // 4259_0 begins at its goal: SPL is 0/0 under r2r.
  const Arguments r2r{agent, "--preset", "r2r", "--invalid", "skip", "--instructions", "all"};
  const auto skip = json(r2r), zero = json(with(r2r, {"--missing", "zero"}));
  EXPECT_LT(n(skip, "SPL"), n(skip, "SR"));
  EXPECT_EQ(n(zero, "SPL"), n(skip, "SPL"));
}

TEST_F(Eval, PrintsNoMetresForRatiosAndHops) {
  EXPECT_EQ(std::string_view(json({agent, "--preset", "valan"})["metrics"]["DTW"]["unit"]),
            "ratio");
  EXPECT_EQ(std::string_view(json({agent, "--preset", "r4r-hops"})["metrics"]["DTW"]["unit"]),
            "edges");
  const std::string also = out({agent, "--also", "r4r-hops"});
  EXPECT_NE(also.find("DTW (m | edges)"), std::string::npos) << also;
  EXPECT_NE(also.find("r4r-hops differs from paper in: distance=hops"), std::string::npos) << also;
}

TEST(Explain, ShowsWarpingNearestViewpointsAndTerms) {
  const TemporaryFolder folder;
  // The graph is that of metrics_test.cpp: reference 0 1 2 3, query 0 1 2 5.
  const std::string graph = folder.write("s.json", R"({"nodes":[{"id":"n0","position":[0,0]},
    {"id":"n1","position":[2,0]},{"id":"n2","position":[4,0]},{"id":"n3","position":[6,0]},
    {"id":"n5","position":[4,1.5]}],"edges":[["n0","n1"],["n1","n2"],["n2","n3"],["n2","n5"]]})");
  const std::string pairs = folder.write(
      "p.jsonl",
      R"({"id":"k","scan":"s","reference":["n0","n1","n2","n3"],"prediction":["n0","n1","n2","n5"]})");
  const CliResult result = run({"explain", "--graphs", graph, "--pairs", pairs, "--item", "k"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string squeezed = [&] {
    std::string text;
    for (const char c : result.out) {
      if (c != ' ' || text.empty() || text.back() != ' ') text += c;
    }
    return text;
  }();
  for (const char* line : {" 1 1 1 n0 n0 0 0\n", " 4 4 4 n3 n5 3.5 3.5\n",  // alignment
                           " 4 n3 3 2 0.513417\n",                          // coverage
                           " 4 n5 3 1.5\n",                                 // deviation
                           " NE 3.5 m ", " SR 0 1[NE ≤ d_th]", " SR error 3.5 against 3\n",
                           "cost 3.5, |R| 4, PL(R) 6, d_th 3"}) {
    EXPECT_NE(squeezed.find(line), std::string::npos) << line << " in\n" << squeezed;
  }
  const CliResult unknown = run({"explain", "--graphs", graph, "--pairs", pairs, "--item", "zz"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.err.find("zz: no such item"), std::string::npos);
}

TEST(Cli, ShowsExamplesWithoutACommand) {
  const CliResult result = run({});
  EXPECT_EQ(result.code, 0);
  for (const char* part : {"warpath demo", "warpath eval --graphs", "warpath validate"}) {
    EXPECT_NE(result.out.find(part), std::string::npos);
  }
  EXPECT_EQ(run({"--version"}).out.substr(0, 8), "warpath ");
  EXPECT_NE(run({"eval", "--help"}).out.find("--threshold"), std::string::npos);
  EXPECT_EQ(run({"evaluate"}).code, 2);
}

TEST(Cli, ListsEveryMetric) {
  const std::string text = run({"metrics"}).out;
  for (const MetricInfo& m : path_metric_table()) {
    EXPECT_NE(text.find("\n  " + std::string(m.name) + " "), std::string::npos) << text;
    EXPECT_NE(text.find(formula(m.metric, Convention{})), std::string::npos) << m.name;
    EXPECT_NE(text.find(m.source), std::string::npos) << m.name;
  }
}

TEST(Cli, ListsEverySettingOfEveryPreset) {
  const std::string text = run({"presets"}).out;
  for (const Preset& p : presets()) {
    EXPECT_NE(text.find("\n  " + p.convention.preset + " "), std::string::npos);
    for (const Setting& k : settings())
      EXPECT_NE(text.find(k.get(p.convention)), std::string::npos);
  }
  for (const Setting& k : settings())
    EXPECT_NE(text.find("--" + std::string(k.name)), std::string::npos);
  EXPECT_NE(text.find("coordinates are not public"), std::string::npos);
}

TEST(Conventions, ReadBackEverySettingThatTheyWrite) {
  for (const Preset& p : presets()) {
    Convention copy;
    copy.preset = p.convention.preset;
    for (const Setting& k : settings()) k.set(copy, k.get(p.convention));
    EXPECT_EQ(copy, p.convention);
  }
  Convention duet = find_preset("Hamt").convention;
  EXPECT_EQ(duet.preset, "hamt");
  duet.preset = "duet";
  EXPECT_EQ(duet, find_preset("duet").convention);
}

}  // namespace
}  // namespace warpath::testing
