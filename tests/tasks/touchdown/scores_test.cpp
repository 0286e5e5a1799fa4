// Tests routes on streets: their files, success, edit distance, lengths and key points, worked out
// by hand.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/golden.hpp"

namespace warpath::testing {
namespace {

// The links of c make it a crossing. e leads to g, but not back, and the last of b's two links with
// the heading 90 leads to c, so that VELMA does not walk from b to x.
//
//     x --- b          e --> g
//           |          |     |
//           a    b --- c --- d
//
const std::string street_links =
    "a,0,b\nb,180,a\nb,90,x\nx,270,b\nb,90,c\nc,270,b\nc,90,d\nd,270,c\nd,0,g\ng,180,d\n"
    "c,0,e\ne,180,c\ne,90,g\n";

class StreetTask : public ::testing::Test {
 protected:
  StreetTask() {
    std::string nodes;
    for (const char* node : {"a", "b", "c", "d", "e", "g", "x"}) {
      nodes += std::string(node) + ",0,40.0,-74.0,seen\n";
    }
    folder.write("street/nodes.txt", nodes);
    folder.write("street/links.txt", street_links);
  }

  Arguments arguments(const std::string& dataset, const std::string& predictions,
                      const Arguments& more) const {
    return with({"--graphs", folder.path("street"), "--dataset", dataset, predictions}, more);
  }

  // Scores a query, whose reference has an item of its own.
  CsvRow score(const std::string& reference, const std::string& query, const Arguments& more) {
    const std::string dataset =
        folder.write("d.jsonl", R"({"route_id":7,"route_panoids":)" + reference +
                                    R"(,"start_heading":90,"navigation_text":"Go."})");
    const std::string predictions =
        folder.write("p.json", R"([{"instr_id":"7","trajectory":)" + query + "}]");
    const auto rows = eval_rows(folder, arguments(dataset, predictions, more));
    return rows.size() == 1 ? rows.front() : CsvRow{};
  }

  CliResult evaluate(const std::string& dataset, const std::string& predictions,
                     const Arguments& more) const {
    Arguments all = arguments(dataset, predictions, more);
    all.insert(all.begin(), "eval");
    return run(all);
  }

  TemporaryFolder folder;
};

constexpr const char* abcdg = R"(["a","b","c","d","g"])";
constexpr const char* abceg = R"(["a","b","c","e","g"])";

void expect_value(const CsvRow& row, const std::string& metric, double value) {
  ASSERT_TRUE(row.contains(metric)) << metric;
  ASSERT_FALSE(row.at(metric).empty()) << metric;
  EXPECT_NEAR(std::stod(row.at(metric)), value, 1e-6) << metric;
}

TEST_F(StreetTask, CountsLinksAndViewpoints) {
  for (const std::string backend : {"reference", "cpu"}) {
    for (const std::string preset : {"touchdown", "map2seq", "vln-transformer"}) {
      const CsvRow row = score(abcdg, abceg, {"--preset", preset, "--backend", backend});
      expect_value(row, "SR", 1.0);
      expect_value(row, "NE", 0.0);
      expect_value(row, "ED", 1.0);
      expect_value(row, "SED", 1.0 - 1.0 / 5);
      // c, e and g of the query are warped to c, d and g: two links.
      expect_value(row, "DTW", 2.0);
      expect_value(row, "nDTW", std::exp(-2.0 / (2.0 * std::sqrt(5.0))));
      expect_value(row, "SDTW", std::exp(-2.0 / (2.0 * std::sqrt(5.0))));
      const double pc = (4.0 + std::exp(-1.0)) / 5, expected = pc * 5;
      expect_value(row, "PC", pc);
      expect_value(row, "EPL", expected);
      expect_value(row, "CLS", pc * expected / (expected + std::abs(expected - 5)));
    }
  }
}

TEST_F(StreetTask, CountsASwapOnce) {
  constexpr const char *wanted = R"(["a","b","c","d"])", *swapped = R"(["a","c","b","d"])";
  for (const std::string backend : {"reference", "cpu"}) {
    const auto edits = [&](const char* reference, const char* query, const std::string& edit) {
      return score(reference, query,
                   {"--preset", "touchdown", "--edit", edit, "--backend", backend});
    };
    expect_value(edits(wanted, swapped, "osa"), "ED", 1.0);
    expect_value(edits(wanted, swapped, "osa"), "SED", 1.0 - 1.0 / 4);
    expect_value(edits(wanted, swapped, "levenshtein"), "ED", 2.0);
    // Optimal string alignment edits no part twice: ca to abc takes 3, not 2.
    expect_value(edits(R"(["c","a"])", R"(["a","b","c"])", "osa"), "ED", 3.0);
    // Over links: those of the swapped path are others.
    const CsvRow links = score(
        wanted, swapped, {"--preset", "touchdown", "--edit-unit", "edges", "--backend", backend});
    expect_value(links, "ED", 3.0);
  }
}

TEST_F(StreetTask, EndsAtTheGoalOrItsNeighbour) {
  constexpr const char *to_e = R"(["c","e"])", *to_g = R"(["c","d","g"])";
  for (const std::string backend : {"reference", "cpu"}) {
    // Undirected, e is beside g; as VELMA walks, it is three links away: g, d, c, e.
    const CsvRow both = score(to_e, to_g, {"--preset", "touchdown", "--backend", backend});
    expect_value(both, "SR", 1.0);
    expect_value(both, "NE", 1.0);
    const CsvRow directed = score(to_e, to_g, {"--preset", "velma", "--backend", backend});
    expect_value(directed, "SR", 1.0);
    expect_value(directed, "NE", 3.0);
    // SED and SDTW take that success.
    expect_value(directed, "SED", 1.0 - 2.0 / 3);
    EXPECT_EQ(directed.at("SDTW"), directed.at("nDTW"));
    // OSR takes the way back, too, from every viewpoint of the query: from g, but not from d.
    const CsvRow back =
        score(R"(["d","c","e"])", R"(["d","g"])", {"--preset", "velma", "--backend", backend});
    expect_value(back, "SR", 1.0);
    expect_value(back, "OSR", 1.0);
    const CsvRow passed =
        score(R"(["d","c","e"])", R"(["d","g","d"])", {"--preset", "velma", "--backend", backend});
    expect_value(passed, "SR", 0.0);
    expect_value(passed, "OSR", 1.0);
    const CsvRow at_start =
        score(R"(["d","c","e"])", R"(["d"])", {"--preset", "velma", "--backend", backend});
    expect_value(at_start, "OSR", 0.0);
    const CsvRow missed = score(to_e, R"(["c","d"])", {"--preset", "velma", "--backend", backend});
    expect_value(missed, "SR", 0.0);
    expect_value(missed, "NE", 2.0);
  }
}

TEST_F(StreetTask, FindsKeyPoints) {
  // K(R) = a, b, (c, d), and K(Q) = a, b, (c, e): two are common, and the goal is met.
  expect_value(score(abcdg, abceg, {"--preset", "velma"}), "KPA", 3.0 / 4);
  expect_value(score(abcdg, abceg, {"--preset", "velma", "--kp-start", "none"}), "KPA", 1.0 / 2);
  // A path of one viewpoint has none.
  expect_value(score(R"(["g","d"])", R"(["a"])", {"--preset", "velma"}), "KPA", 0.0);
  // Of a reference that passes the crossing twice each time counts, of what is common once.
  constexpr const char* twice = R"(["b","c","d","c","d"])";
  expect_value(score(twice, twice, {"--preset", "velma"}), "KPA", (3.0 + 1) / (4 + 1));
  // b has three links, but only two headings; so b is no crossing.
  const Arguments no_start{"--preset", "velma", "--kp-start", "none"};
  expect_value(score(R"(["a","b","c"])", R"(["c"])", no_start), "KPA", 1.0);
}

TEST_F(StreetTask, NeedsTouchdownsFilesForKeyPointsAndHeadings) {
  const std::string graph =
      folder.write("g.json", R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[1,0]}],
        "edges":[["a","b"]]})");
  const std::string dataset = folder.write("d.jsonl", R"({"id":7,"route_panoids":["a","b"]})");
  const std::string predictions =
      folder.write("p.json", R"([{"instr_id":"7","trajectory":["a","b"]}])");
  const Arguments inputs{"eval", "--graphs", graph, "--dataset", dataset, predictions, "--preset"};
  const auto with = [&](const std::string& preset) {
    Arguments all = inputs;
    all.push_back(preset);
    return run(all);
  };
  const CliResult touchdown = with("touchdown");
  EXPECT_EQ(touchdown.code, 0) << touchdown.err;
  EXPECT_EQ(touchdown.out.find("KPA"), std::string::npos) << touchdown.out;
  const CliResult velma = with("velma");
  EXPECT_EQ(velma.code, 2);
  EXPECT_NE(velma.err.find("say --links both"), std::string::npos) << velma.err;
}

TEST_F(StreetTask, RefusesAGoalThatNoWayLeadsTo) {
  const std::string dataset = folder.write("d.jsonl", R"({"id":7,"route_panoids":["a","b","x"]})");
  const std::string predictions =
      folder.write("p.json", R"([{"instr_id":"7","trajectory":["a","b"]}])");
  EXPECT_EQ(evaluate(dataset, predictions, {"--preset", "touchdown"}).code, 0);
  const CliResult velma = evaluate(dataset, predictions, {"--preset", "velma"});
  EXPECT_EQ(velma.code, 1);
  EXPECT_NE(velma.err.find("7"), std::string::npos) << velma.err;
}

// ---------------------------------------------------------------- files

const std::string velma_results =
    R"({"prompt_template":"","instances":{"7":{"idx":"7","gold_pano_path":["a","b","c","d","g"],
      "agent_pano_path":["a","b","c","e","g"],"metrics":{"tc":1,"spd":0,"kpa":0.75}},
      "8":{"idx":"8","gold_pano_path":["c","e"],"agent_pano_path":["c","d","g"],
      "metrics":{"tc":1.0,"spd":SPD_8,"kpa":0.5}}},"metrics":{"tc":100.0,"spd":1.5,"sed":75.0}})";

std::string results_with(const std::string& spd) {
  std::string text = velma_results;
  return text.replace(text.find("SPD_8"), 5, spd);
}

TEST_F(StreetTask, ReadsResultsAsPredictionsAndAsDataset) {
  const std::string results = folder.write("velma.json.gz", gzip(results_with("3")));
  const CliResult same = evaluate(results, results, {"--preset", "velma"});
  ASSERT_EQ(same.code, 0) << same.err;
  EXPECT_NE(same.out.find("VELMA results"), std::string::npos) << same.out;
  EXPECT_NE(same.out.find("the metrics in the file equal these (2 predictions)"), std::string::npos)
      << same.out;
  const std::string other = folder.write("other.json", results_with("2"));
  const CliResult differs = evaluate(other, other, {"--preset", "velma"});
  ASSERT_EQ(differs.code, 0) << differs.err;
  EXPECT_NE(differs.out.find("in 1 of 2 predictions, at most by spd 1 (8); see preset velma"),
            std::string::npos)
      << differs.out;
}

TEST_F(StreetTask, NamesWhatIsWrongWithFiles) {
  const std::string good = folder.write("good.json", results_with("3"));
  const auto problem = [&](const std::string& text) {
    const std::string file = folder.write("bad.json", text);
    const CliResult result = evaluate(good, file, {"--preset", "velma"});
    EXPECT_EQ(result.code, 1) << text;
    return result.err;
  };
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {R"({"instances":{"7":{"agent_pano_path":["a"]},"8":{}}})",
            "bad.json: 8: no key 'agent_pano_path'"},
           {R"({"instances":{"7":{"agent_pano_path":["a"]},"8":[]}})", "bad.json: 8: should be"},
           {R"({"route_panoids":["a"],"id":7})", "routes of Touchdown or map2seq"}}) {
    EXPECT_NE(problem(text).find(says), std::string::npos) << problem(text);
  }
  const auto dataset_problem = [&](const std::string& text) {
    const CliResult result = evaluate(folder.write("bad.jsonl", text), good, {});
    EXPECT_EQ(result.code, 1) << text;
    return result.err;
  };
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {R"({"route_panoids":["a"]})", "no key 'route_id'"},
           {R"({"route_id":7,"route_panoids":"a"})", "bad.jsonl: 7: route_panoids: should be"},
           {"{\"id\":7,\"route_panoids\":[\"a\"]}\n{\"id\":7,\"route_panoids\":[\"b\"]}",
            "the dataset has this id twice"},
           {R"({"instances":{"7":{"gold_pano_path":["a"]}}})", "no key 'idx'"}}) {
    EXPECT_NE(dataset_problem(text).find(says), std::string::npos) << dataset_problem(text);
  }
}

}  // namespace
}  // namespace warpath::testing
