// Tests the contents and the form of reports: the table's texts, JSON, CSV, LaTeX that compiles.

#include <gtest/gtest.h>
#include <simdjson.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <sstream>

#include "host/files/io/wrap.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

// Uses a street a - b - c with two metres per step, three paths of two instructions, and agents.
class Report : public ::testing::Test {
 protected:
  std::string agent(const std::string& name, const std::vector<std::string>& trajectories) const {
    std::string text;
    for (std::size_t k = 0; k < trajectories.size(); ++k) {
      text += (text.empty() ? "" : ",") + std::string(R"({"instr_id":")") + std::to_string(k / 2) +
              "_" + std::to_string(k % 2) + R"(","trajectory":)" + trajectories[k] + "}";
    }
    return folder.write(name, "[" + text + "]");
  }

  CliResult eval(const Arguments& more) const {
    return run(with({"eval", "--graphs", graph, "--dataset", data, "--threshold", "1"}, more));
  }
  std::string out(const Arguments& more) const {
    const CliResult result = eval(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  }
  simdjson::dom::element json(const Arguments& more) {
    return parsers.emplace_back().parse(out(with({"--json", "-", "--quiet"}, more)));
  }

  const std::string stay = R"([["a"]])", go = R"([["a"],["b"],["c"]])", lost = R"([["zz"]])";
  const TemporaryFolder folder;
  const std::string graph = folder.write("s.json", R"({"nodes":[{"id":"a","position":[0,0]},
    {"id":"b","position":[2,0]},{"id":"c","position":[4,0]}],"edges":[["a","b"],["b","c"]]})");
  const std::string data = folder.write("d.json", R"([
    {"path_id":0,"scan":"s","path":["a","b","c"],"instructions":["",""]},
    {"path_id":1,"scan":"s","path":["a","b"],"instructions":["",""]},
    {"path_id":2,"scan":"s","path":["a","b","c"],"instructions":["",""]}])");
  const std::string half = agent("half.json", {go, stay, go, stay, go, stay});
  const std::string all = agent("all.json", {go, go, go, go, go, go});
  const std::string broken = agent("broken.json", {go, lost, go, lost, go, lost});
  std::deque<simdjson::dom::parser> parsers;
};

// ---------------------------------------------------------------- names

TEST_F(Report, UsesAgentNamesOfTheCommandLine) {
  const std::string table = out({"My agent=" + half, all, "--metrics", "SR"});
  EXPECT_NE(table.find("\n  My agent  "), std::string::npos) << table;
  EXPECT_NE(table.find("\n  all       "), std::string::npos) << table;
  const auto runs = json({"A=" + half, "B=" + all})["runs"];
  EXPECT_EQ(std::string_view(runs.at(0)["name"]), "A");
  EXPECT_EQ(std::string_view(runs.at(0)["file"]), half);
  EXPECT_EQ(std::string_view(runs.at(1)["name"]), "B");
}

TEST_F(Report, OpensAFileWhoseNameHasAnEqualsSign) {
  const std::string odd = agent("a=b.json", {go, go, go, go, go, go});
  EXPECT_EQ(std::string_view(json({odd})["runs"].at(0)["name"]), "a=b");
  EXPECT_EQ(std::string_view(json({"x=" + odd})["runs"].at(0)["name"]), "x");
}

TEST_F(Report, RefusesInvalidNamesAsUsageErrors) {
  for (const Arguments& names :
       {Arguments{"A=" + half, "A=" + all}, Arguments{half, half}, Arguments{"=" + half},
        Arguments{"A="}, Arguments{"--name", "A", half, all}, Arguments{"--name", "A", "B=" + half},
        Arguments{"--merge", "A=" + half, "A=" + all}}) {
    const CliResult result = eval(names);
    EXPECT_EQ(result.code, 2) << result.out;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

TEST_F(Report, UsesTheNameOptionForOneAgent) {
  EXPECT_EQ(std::string_view(json({"--name", "A", half})["runs"].at(0)["name"]), "A");
  EXPECT_EQ(std::string_view(json({"--name", "A", "--merge", half, half})["runs"].at(0)["name"]),
            "A");
}

TEST_F(Report, RefusesNdhReferencesForOtherDatasets) {
  const CliResult result = eval({half, "--reference", "planner"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("--reference planner is for NDH"), std::string::npos) << result.err;
}

// ---------------------------------------------------------------- the table

TEST_F(Report, FitsThreeAgentsIntoEightyColumns) {
  const std::string table = out({half, all, "third=" + half, "--by", "length", "--also", "valan"});
  std::istringstream lines(table);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) continue;  // not a line of the table
    EXPECT_LE(io::columns(line), 80u) << line;
    ++count;
  }
  EXPECT_GT(count, 20u) << table;
}

TEST_F(Report, ShowsWhichMeansHaveFewerItems) {
  EXPECT_EQ(eval({broken}).code, 1);
  const std::string skip = out({broken, "--invalid", "skip", "--metrics", "SR,NE"});
  EXPECT_NE(skip.find("  3 of 6\n"), std::string::npos) << skip;
  const std::string zero = out({broken, "--invalid", "zero", "--metrics", "SR,NE"});
  EXPECT_NE(zero.find("(3 of 6)  6\n"), std::string::npos) << zero;
  const std::string by = out({broken, "--invalid", "skip", "--metrics", "SR", "--by", "length"});
  EXPECT_NE(by.find("\n  3 "), std::string::npos) << by;
  EXPECT_NE(by.find("  2 of 4\n"), std::string::npos) << by;
}

// Presets of R2R with two instructions to a path: r2r refuses them, and ndh is of another task.
TEST_F(Report, ShowsEveryPresetThatCanScoreTheFilesAndWhatMakesThemDiffer) {
  const std::string table = out({half, "--metrics", "SR,DTW,SED", "--also", "all"});
  for (const char* row : {"half [paper]", "half [valan]", "half [r4r-hops]"}) {
    EXPECT_NE(table.find("\n  " + std::string(row)), std::string::npos) << row << table;
  }
  EXPECT_EQ(table.find("half [envdrop]"), std::string::npos) << table;
  for (const char* note :
       {"\nr4r-hops: SR, DTW, SED by distance=hops\n",
        "\nvalan: DTW by dtw-norm=reference-length\n", "\nr2r refuses the files: ",
        "\nevery mean of the table is the same under envdrop, duet, r4r\n"}) {
    EXPECT_NE(table.find(note), std::string::npos) << note << table;
  }
  EXPECT_EQ(table.find("ndh"), std::string::npos) << table;
}

TEST_F(Report, WritesWhatMakesEveryPresetDiffer) {
  const auto report = json({half, "--also", "all"});
  bool has_valan = false;
  const simdjson::dom::array others = report["also"].get_array();
  for (const simdjson::dom::element also : others) {
    if (std::string_view(also["preset"]) != "valan") continue;
    has_valan = true;
    const simdjson::dom::array changed =
        also["changed_by"]["dtw-norm=reference-length"].get_array();
    EXPECT_EQ(std::string_view(changed.at(0)), "DTW");
  }
  EXPECT_TRUE(has_valan);
  EXPECT_NE(std::string_view(report["refusing_presets"]["r2r"]), "");
}

TEST_F(Report, NamesAgentAndPresetOnEachRowOfAlso) {
  const std::string table = out({half, all, "--metrics", "SR,SED", "--also", "r4r-hops"});
  for (const char* row : {"half [paper]", "half [r4r-hops]", "all [paper]", "all [r4r-hops]"}) {
    EXPECT_NE(table.find("\n  " + std::string(row)), std::string::npos) << row << table;
  }
  EXPECT_NE(table.find("r4r-hops differs from paper in: distance=hops"), std::string::npos)
      << table;
}

TEST_F(Report, PrintsNotesOnAllAgentsOnce) {
  const std::string copy = folder.write("copy.json", read_text(broken));
  const std::string table = out({"A=" + broken, "B=" + copy, "--invalid", "skip"});
  EXPECT_NE(table.find("unknown_viewpoint: 3 items name"), std::string::npos) << table;
  EXPECT_EQ(table.find("unknown_viewpoint: "), table.rfind("unknown_viewpoint: ")) << table;
  const std::string two = out({"A=" + broken, "B=" + half, "--invalid", "skip"});
  EXPECT_NE(two.find("unknown_viewpoint (A): 3 items name"), std::string::npos) << two;
}

TEST_F(Report, ExplainsItsIntervals) {
  for (const auto& [ci, words] :
       {std::pair("path", "± 95 % interval, clustered by reference path, "),
        std::pair("scan", "± 95 % interval, clustered by scan, 1 scan\n"),
        std::pair("none", "± 95 % interval, every item taken for independent"),
        std::pair("bootstrap", "95 % interval by bootstrap (10,000 draws of reference paths)")}) {
    const std::string table = out({half, "--ci", ci});
    EXPECT_NE(table.find(words), std::string::npos) << words << " in " << table;
  }
  EXPECT_NE(out({half, "--ci", "scan", "--metrics", "SR"}).find("0.3333 ± –"), std::string::npos);
  const std::string plain = out({half, "--no-intervals", "--metrics", "SR", "--digits", "2"});
  EXPECT_NE(plain.find("\n  half   0.33  6\n"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("±"), std::string::npos) << plain;
  EXPECT_EQ(eval({half, "--digits", "16"}).code, 2);
}

TEST_F(Report, ExplainsAnIntervalOfOneSideWhereThereIsOne) {
  const std::string words = "+ or − alone: every item has 0 or every item has 1";
  const std::string shares = out({all, "--metrics", "OSR"});
  EXPECT_NE(shares.find("1.0000 −"), std::string::npos) << shares;
  EXPECT_NE(shares.find(words), std::string::npos) << shares;
  const std::string spread = out({half, "--metrics", "SR"});
  EXPECT_EQ(spread.find(words), std::string::npos) << spread;
}

TEST_F(Report, ExplainsAnIntervalOfOneSideThatOnlyAGroupHas) {
  const std::string paths = folder.write("three.json", R"([
    {"path_id":0,"scan":"s","path":["a","b","c"],"instructions":[""]},
    {"path_id":1,"scan":"s","path":["a","b"],"instructions":[""]},
    {"path_id":2,"scan":"s","path":["b","c"],"instructions":[""]}])");
  const std::string agent = folder.write("agent.json", R"({"0_0":["a"],"1_0":["a","b"],
    "2_0":["b","c"]})");
  const auto table = [&](const Arguments& more) {
    return run(with({"eval", "--graphs", graph, "--dataset", paths, agent, "--metrics", "SR"},
                    more))
        .out;
  };
  const std::string words = "+ or − alone";
  EXPECT_EQ(table({}).find(words), std::string::npos) << table({});
  EXPECT_NE(table({"--by", "length"}).find("1.0000 −"), std::string::npos);
  EXPECT_NE(table({"--by", "length"}).find(words), std::string::npos);
}

// ---------------------------------------------------------------- for papers

TEST_F(Report, PrintsOnlyTheTableInMarkdownAndLatex) {
  const CliResult markdown = eval({half, all, "--markdown", "--metrics", "SR"});
  std::istringstream lines(markdown.out);
  for (std::string line; std::getline(lines, line);) EXPECT_TRUE(line.starts_with("|")) << line;
  EXPECT_NE(markdown.out.find("**0.6667**"), std::string::npos) << markdown.out;
  EXPECT_NE(markdown.err.find("preset paper"), std::string::npos);
  const CliResult latex = eval({half, all, "--latex", "--metrics", "SR"});
  EXPECT_TRUE(latex.out.starts_with("\\begin{tabular}")) << latex.out;
  const std::size_t end = latex.out.find("\\end{tabular}\n% warpath signature: preset:paper|");
  ASSERT_NE(end, std::string::npos) << latex.out;
  EXPECT_EQ(std::count(latex.out.begin() + static_cast<std::ptrdiff_t>(end), latex.out.end(), '\n'),
            2);
  EXPECT_NE(latex.out.find("\\textbf{0.6667}"), std::string::npos) << latex.out;
  EXPECT_NE(latex.err.find("\\usepackage{booktabs}"), std::string::npos);
}

std::string hostile_latex(const std::string& file) {
  return "a_b%c&d#e$f{g}h~i^j\\k\"l<m>n|o[p]*é智±−=" + file;
}

TEST_F(Report, WritesWellFormedLatexForAnyNames) {
  const std::string text =
      out({hostile_latex(half), "[b]=" + all, "--latex", "--by", "length", "--also", "valan"});
  const std::size_t comment = text.find("\n% ");
  ASSERT_EQ(text.find('\n', comment + 1), text.size() - 1) << "one line, the last";
  const std::string latex = text.substr(0, comment + 1);
  int depth = 0;
  for (std::size_t i = 0; i < latex.size(); ++i) {
    const char c = latex[i];
    if (c == '\\') {
      ++i;  // an escaped character, or the first letter of a command
    } else {
      EXPECT_EQ(std::string("%#~^_\"").find(c), std::string::npos) << c << " at " << i;
      EXPECT_TRUE(static_cast<unsigned char>(c) < 0x80 || latex.substr(i, 2) == "é" ||
                  latex.substr(i - 1, 2) == "é")
          << i;
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
    ASSERT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
  for (const std::string rule : {"\\toprule", "\\midrule", "\\bottomrule"}) {
    EXPECT_NE(latex.find(rule), std::string::npos);
  }
  EXPECT_EQ(latex.find("\\\\\n  ["), std::string::npos) << "a bracket would be an option";
}

TEST_F(Report, WritesLatexThatCompiles) {
  std::string program;
  for (const char* name : {"pdflatex", "latex", "tectonic"}) {
    const std::string found = "command -v " + std::string(name) + " > /dev/null 2>&1";
    if (program.empty() && std::system(found.c_str()) == 0) program = name;
  }
  if (program.empty()) GTEST_SKIP() << "there is no pdflatex, latex or tectonic";
  const std::string table =
      out({hostile_latex(half), "[b]=" + all, "--latex", "--by", "length", "--also", "valan"});
  const std::string file =
      folder.write("t.tex", "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n" +
                                table + "\\end{document}\n");
  const std::string options =
      program == "tectonic" ? "" : " -interaction=nonstopmode -halt-on-error";
  const std::string command =
      "cd " + folder.path() + " && " + program + options + " " + file + " > log.txt 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_text(folder.path("log.txt"));
}

// ---------------------------------------------------------------- JSON and CSV

TEST_F(Report, WritesJsonOfOneShapeForOneAndManyAgents) {
  const auto one = json({half}), two = json({half, all});
  std::vector<std::string> keys;
  for (const auto field : one.get_object()) keys.emplace_back(field.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"warpath", "dataset", "graphs", "preset", "convention",
                                            "precision", "interval", "runs", "run_info"}));
  EXPECT_EQ(simdjson::minify(one["runs"].at(0)), simdjson::minify(two["runs"].at(0)));
  const auto sr = one["runs"].at(0)["metrics"]["SR"];
  EXPECT_EQ(double(sr["mean"]), 2.0 / 6.0);
  EXPECT_EQ(std::uint64_t(sr["n"]), 6u);
  EXPECT_EQ(std::uint64_t(sr["of"]), 6u);
  EXPECT_LT(double(sr["ci95"].at(0)), double(sr["mean"]));
}

TEST_F(Report, WritesEqualBytesForEqualRunsWithoutRunInfo) {
  const Arguments arguments{half, all, "--json", "-", "--quiet"};
  Arguments more = arguments;
  more.insert(more.end(), {"--csv", folder.path("items.csv")});
  const auto end_of = [](const std::string& text) { return text.find(",\n  \"run_info\""); };
  const std::string first = out(arguments);
  std::string second;
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    second = out(more);
  }
  ASSERT_NE(end_of(first), std::string::npos);
  EXPECT_NE(first.substr(end_of(first)), second.substr(end_of(second))) << "other command lines";
  EXPECT_EQ(first.substr(0, end_of(first)), second.substr(0, end_of(second)));
  more.push_back("--no-run-info");
  EXPECT_EQ(out(more), first.substr(0, end_of(first)) + "\n}\n");
  const auto info = json({half})["run_info"];
  EXPECT_EQ(std::string_view(info["date"]).size(), 20u);
  EXPECT_GE(std::uint64_t(info["threads"]), 1u);
  EXPECT_EQ(eval({half, "--no-run-info"}).code, 2) << "changes nothing where there is no JSON";
}

TEST_F(Report, WritesWhatItemsCountIfAsked) {
  EXPECT_TRUE(json({half})["runs"].at(0)["per_item"].error());
  const auto run = json({broken, "--items", "--invalid", "zero"})["runs"].at(0);
  const auto items = run["per_item"];
  const auto text = [](const simdjson::dom::element& e) { return simdjson::minify(e); };
  EXPECT_EQ(text(items["instr_id"]), R"(["0_0","0_1","1_0","1_1","2_0","2_1"])");
  EXPECT_EQ(text(items["path"]), "[0,0,1,1,0,0]") << "two paths are equal";
  EXPECT_EQ(text(items["length"]), "[3,3,2,2,3,3]");
  EXPECT_EQ(text(items["scored"]), "[true,true,true,true,true,true]");
  EXPECT_EQ(text(items["status"].at(1)), R"("unknown_viewpoint")");
  EXPECT_EQ(text(items["values"]["SR"]), "[1,0,0,0,1,0]") << "a failure counts 0";
  EXPECT_EQ(text(items["values"]["NE"]), "[0,null,2,null,0,null]");
  const auto skip = json({broken, "--items", "--invalid", "skip"})["runs"].at(0);
  EXPECT_EQ(text(skip["per_item"]["values"]["SR"]), "[1,null,0,null,1,null]");
  EXPECT_EQ(double(skip["metrics"]["SR"]["mean"]), 2.0 / 3.0);
  EXPECT_EQ(eval({half, "--items"}).code, 2) << "changes nothing where there is no JSON";
  EXPECT_EQ(eval({half, "--items", "--flat-names", "--json", "-"}).code, 2);
}

TEST_F(Report, WritesTheNamesOfLoggersIfFlat) {
  const auto run = json({half, "--flat-names"})["runs"].at(0);
  EXPECT_EQ(std::string_view(run["name"]), "half");
  EXPECT_NEAR(double(run["sr"]), 100.0 / 3.0, 1e-12);
  EXPECT_NEAR(double(run["lengths"]), 2.0, 1e-12);
  for (const char* key :
       {"oracle_sr", "spl", "nDTW", "SDTW", "CLS", "steps", "nav_error", "oracle_error", "gp"}) {
    EXPECT_FALSE(run[key].error()) << key;
  }
  EXPECT_EQ(std::uint64_t(run["n"]), 6u);
  const auto zero = json({broken, "--flat-names", "--invalid", "zero"})["runs"].at(0);
  EXPECT_EQ(std::uint64_t(zero["nav_error_n"]), 3u);
  EXPECT_TRUE(zero["sr_n"].error());
}

TEST_F(Report, RefusesGroupsByLanguageWithoutLanguages) {
  const CliResult result = eval({half, "--by", "language"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("no item has a language"), std::string::npos) << result.err;
}

TEST_F(Report, WritesNineDigitsForSinglePrecision) {
  const std::string csv = folder.path("items.csv");
  out({half, "--csv", csv, "--quiet", "--backend", "cpu"});
  const CsvRow row = read_csv(csv).at(1);
  for (const auto& [name, value] : row) {
    if (name == "run" || name == "instr_id" || name == "scan" || name == "status") continue;
    const auto digits =
        std::ranges::count_if(value, [](unsigned char c) { return std::isdigit(c) != 0; });
    EXPECT_LE(digits, 10) << name << " " << value;  // 9, behind the 0 of a fraction
  }
  const double single = std::stod(read_csv(csv).at(1).at("nDTW"));
  out({half, "--csv", csv, "--quiet", "--backend", "reference"});
  const std::string exact = read_csv(csv).at(1).at("nDTW");
  EXPECT_GT(exact.size(), 12u) << exact;
  EXPECT_NEAR(single, std::stod(exact), 1e-6);
}

// ---------------------------------------------------------------- the tables of definitions

TEST(Explain, FitsEightyColumns) {
  const std::string text = run({"explain", "--graphs", source("tests/golden/connectivity"),
                                "--dataset", source("tests/golden/dataset.json"),
                                source("tests/golden/predictions.json"), "--item", "4259_0"})
                               .out;
  std::istringstream lines(text.substr(text.find("\n\n")));  // behind the line with the file's name
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_LE(io::columns(line), 80u) << line;
  EXPECT_GT(count, 30u) << text;
}

TEST(Explain, ShowsBothPlanesWhereOsrHasItsOwn) {
  const TemporaryFolder folder;
  const Arguments files{"explain",
                        "--item",
                        "1",
                        "--dataset",
                        folder.write("dataset.json", R"({"episodes": [
      {"episode_id": 1, "trajectory_id": 0, "scene_id": "h", "start_position": [0, 0, 0],
       "goals": [{"position": [30, 40, 0]}], "reference_path": [[0, 0, 0], [30, 40, 0]]}]})"),
                        folder.write("agent.json", R"({"1": [[0, 0, 0], [27, 0, 0]]})")};
  const auto text_of = [&](const Arguments& more) {
    Arguments all = files;
    all.insert(all.end(), more.begin(), more.end());
    const CliResult result = run(all);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  // y is the height: 50 m and 30 m at the start, 40.11 m and 3 m at the end.
  const std::string both = text_of({"--preset", "citynav-vlnce"});
  for (const char* part : {"to the goal (3-D)", "of OSR (2-D)", "  50 ", "  30\n", "  3\n"})
    EXPECT_NE(both.find(part), std::string::npos) << part << " in\n" << both;
  EXPECT_EQ(text_of({"--preset", "citynav"}).find("of OSR"), std::string::npos);
}

TEST(Definitions, FitEightyColumnsOrAreMarkdown) {
  for (const char* command : {"metrics", "presets"}) {
    std::istringstream lines(run({command}).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(io::columns(line), 80u) << line;
    std::istringstream markdown(run({command, "--markdown"}).out);
    for (std::string line; std::getline(markdown, line);) {
      const bool is_markdown = line.empty() || line[0] == '|' || line.starts_with("## ") ||
                               line.starts_with("- ") || line.starts_with("Q is") ||
                               line.starts_with("↑ more is better");
      EXPECT_TRUE(is_markdown) << command << ": " << line;
    }
    EXPECT_EQ(run({command}).out.find("seeds"), std::string::npos);
    EXPECT_EQ(run({command}).out.find("knob"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpath::testing
