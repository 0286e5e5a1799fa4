// Tests shards of random walks and warpath merge.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "host/core/definitions/later_settings.hpp"
#include "tests/support/good_files.hpp"
#include "tests/support/walk_scene.hpp"
#include "warpath/convention.hpp"
#include "warpath/version.hpp"

namespace warpath::testing {
namespace {

class Merge : public ::testing::Test {
 protected:
  // Scores a shard and returns its JSON file.
  std::string shard(int number, int of, const Arguments& more = {}) const {
    const std::string file = scene.folder.path(fmt::format("{}_of_{}.json", number, of));
    const CliResult result =
        run(with(scene.random({"--walks", "1001", "--seed", "9", "--quiet", "--json", file,
                               "--shard", fmt::format("{}/{}", number, of)}),
                 more));
    EXPECT_EQ(result.code, 0) << result.err;
    return file;
  }

  Arguments shards(int of, const Arguments& more = {}) const {
    Arguments files;
    for (int k = 1; k <= of; ++k) files.push_back(shard(k, of, more));
    return files;
  }

  CliResult merge(const Arguments& files, const Arguments& more = {}) const {
    return run(with({"merge"}, files, more));
  }

  // Expects a refusal of one line with these parts.
  void refuses(const Arguments& files, const std::vector<std::string>& says) const {
    const CliResult result = merge(files);
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    for (const std::string& part : says) {
      EXPECT_NE(result.err.find(part), std::string::npos) << part << " not in " << result.err;
    }
    EXPECT_EQ(result.out, "");
  }

  // Expects that the shards of a run and the run by itself give the same files.
  void expect_merged_is(const Arguments& whole, const Arguments& files) const {
    const Arguments merged = with({"merge"}, files);
    std::vector<std::string> json, csv;
    for (Arguments command : {whole, merged}) {
      json.push_back(scene.folder.path("out.json"));
      csv.push_back(scene.folder.path("out.csv"));
      command.insert(command.end(),
                     {"--quiet", "--no-run-info", "--json", json.back(), "--csv", csv.back()});
      const CliResult result = run(command);
      ASSERT_EQ(result.code, 0) << result.err;
      json.back() = read_text(json.back());
      csv.back() = read_text(csv.back());
    }
    EXPECT_EQ(json[0], json[1]);
    EXPECT_EQ(csv[0], csv[1]);
    EXPECT_EQ(json[0].find("shard"), std::string::npos);
  }

  // Returns a copy of a file in which one text replaces another.
  std::string changed(const std::string& file, const std::string& what,
                      const std::string& with) const {
    return scene.folder.write("changed.json", replaced(read_text(file), what, with));
  }

  const WalkScene scene;
};

TEST_F(Merge, GivesTheFilesOfOneRunByteForByte) {
  for (const Arguments& more : std::vector<Arguments>{{},
                                                      {"--metrics", "SDTW,PL", "--preset", "duet"},
                                                      {"--sample", "uniform", "--steps", "4"},
                                                      {"--backend", "reference"}}) {
    Arguments files = shards(3, more);
    std::ranges::reverse(files);
    expect_merged_is(with(scene.random({"--walks", "1001", "--seed", "9"}), more), files);
  }
}

// The walks of every third reference have no value. Of the first shard, all have one.
TEST_F(Merge, GivesTheFilesOfOneRunWhereWalksHaveNoValues) {
  const Scene gap;
  gap.folder.write("dataset.json", R"([
{"path_id":1,"scan":"s","path":["b","c"],"heading":0,"distance":1,"instructions":[""]},
{"path_id":2,"scan":"s","path":["a","b","c"],"heading":0,"distance":2,"instructions":[""]},
{"path_id":3,"scan":"s","path":["a","x"],"heading":0,"distance":2,"instructions":["",""]}])");
  for (const char* invalid : {"zero", "skip"}) {
    for (const char* backend : {"cpu", "reference"}) {
      SCOPED_TRACE(std::string(invalid) + ", " + backend);
      const Arguments whole{"random",  "--graphs",  gap.graphs, "--dataset", gap.data,
                            "--walks", "11",        "--seed",   "9",         "--backend",
                            backend,   "--invalid", invalid};
      Arguments files;
      for (int k = 1; k <= 4; ++k) {
        files.push_back(scene.folder.path(fmt::format("gap{}.json", k)));
        Arguments shard = whole;
        shard.insert(shard.end(),
                     {"--quiet", "--json", files.back(), "--shard", fmt::format("{}/4", k)});
        const CliResult result = run(shard);
        ASSERT_EQ(result.code, 0) << result.err;
      }
      EXPECT_EQ(read_text(files[0]).find("unreachable"), std::string::npos);
      EXPECT_NE(read_text(files[1]).find("\"unreachable\": 1"), std::string::npos);
      expect_merged_is(whole, files);
    }
  }
}

TEST_F(Merge, PrintsTheTableOfOneRun) {
  const std::string whole =
      run(scene.random({"--walks", "1001", "--seed", "9", "--backend", "cpu"})).out;
  const std::string merged = merge(shards(4)).out;
  EXPECT_EQ(merged, replaced(whole, "back end cpu, single", "single"));
  EXPECT_EQ(merge(shards(4), {"--metrics", "SR,PL", "--percent"}).out.find("nDTW"),
            std::string::npos);
  EXPECT_EQ(merge(shards(4, {"--metrics", "SR"}), {"--metrics", "PL"}).code, 2);
  EXPECT_EQ(merge(shards(4, {"--metrics", "SR"}), {"--metrics", "all"}).code, 0);
}

TEST_F(Merge, TakesAShardForOneOfARun) {
  const std::string second = shard(2, 3);
  const std::string json = read_text(second);
  for (const char* part : {"\"number\": 2,", "\"of\": 3,", "\"first\": 333,", "\"count\": 334"}) {
    EXPECT_NE(json.find(part), std::string::npos) << part;
  }
  const std::string text =
      run(scene.random({"--walks", "1001", "--seed", "9", "--shard", "2/3"})).out;
  for (const char* part : {"random (shard 2/3)", "shard 2/3: 334 walks from walk 333 on"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(merge({shard(1, 1)}).code, 0);
}

TEST_F(Merge, HasARunInfoOfItsOwn) {
  const std::string json = merge(shards(2), {"--quiet", "--json", "-"}).out;
  EXPECT_NE(json.find("\"command_line\": [\n      \"merge\""), std::string::npos);
  EXPECT_EQ(json.find("\"backend\""), std::string::npos);
}

TEST_F(Merge, RefusesMissingAndRepeatedShards) {
  const Arguments files = shards(3);
  refuses({files[0], files[2]}, {"1 of 3 shards is missing: 2/3; score them too"});
  refuses({files[1]}, {"2 of 3 shards are missing: 1/3, 3/3"});
  refuses({files[0], files[1], files[1]},
          {"2_of_3.json: is shard 2/3 as ", "name each shard once"});
  const Arguments many = shards(9);
  refuses({many[0]}, {"8 of 9 shards are missing: 2/9, 3/9, 4/9, 5/9, 6/9, …;"});
}

TEST_F(Merge, RefusesShardsOfDifferentRuns) {
  const Arguments files = shards(2);
  for (const auto& [what, with, says] :
       {std::tuple("\"seed\": 9", "\"seed\": 8", "the seed is 8, but 9 in "),
        std::tuple("\"count\": 1001", "\"count\": 1002", "the number of walks is 1002, but 1001"),
        std::tuple("\"sample\": \"cycle\"", "\"sample\": \"uniform\"", "--sample is uniform"),
        std::tuple("\"threshold\": 3,", "\"threshold\": 2.5,", "--threshold is 2.5, but 3 in"),
        std::tuple("\"preset\": \"paper\"", "\"preset\": \"r2r\"", "the preset is r2r"),
        std::tuple("\"precision\": \"single\"", "\"precision\": \"double\"", "the precision is"),
        std::tuple("\"references\": 30", "\"references\": 31", "the number of references"),
        std::tuple("\"format_description\": \"R2R, ", "\"format_description\": \"R4R, ",
                   "the reading of the dataset is R4R, ")}) {
    refuses({files[0], changed(files[1], what, with)},
            {"changed.json: is a shard of another run: ", says});
  }
  const std::string hash = "\"hash\": \"";
  refuses({files[0], changed(files[1], hash, hash + "0")}, {"the hash of the dataset is 0"});
  refuses({files[0], shard(2, 3)}, {"the number of shards is 3, but 2"});
}

TEST_F(Merge, RefusesOtherFiles) {
  const Arguments files = shards(2);
  const std::string whole = scene.folder.write("whole.json", scene.json({"--walks", "9"}));
  refuses({files[0], whole}, {"whole.json: is the report of a whole run", "--shard k/n"});
  const std::string pairs = scene.folder.path("walks.jsonl");
  scene.json({"--walks", "9", "--save", "9", pairs});
  const std::string eval = scene.folder.path("eval.json");
  ASSERT_EQ(
      run({"eval", "--graphs", scene.graphs, "--pairs", pairs, "--quiet", "--json", eval}).code, 0);
  refuses({eval}, {"eval.json: is a report of warpath eval", "warpath random --shard k/n"});
  refuses({scene.data}, {"dataset.json: is no report of warpath", "warpath random --shard k/n"});
  refuses({scene.folder.path("none.json")}, {"none.json", "No such file"});
  const std::string flat =
      scene.folder.write("flat.json", scene.json({"--walks", "9", "--flat-names"}));
  refuses({flat}, {"flat.json: has no sums", "--flat-names"});
}

TEST_F(Merge, RefusesChangedAndUnfinishedFiles) {
  const Arguments files = shards(2);
  for (const auto& [what, with, says] :
       {std::tuple("\"warpath\": \"" WARPATH_VERSION, "\"warpath\": \"9.9.9",
                   "was written by version 9.9.9; this is " WARPATH_VERSION),
        std::tuple("\"items\": 500", "\"items\": 499",
                   "was interrupted after 499 of 500 walks; score --shard 1/2 again"),
        std::tuple("\"values\": \"", "\"values\": \"x", "values: is no whole number of 128 bits"),
        std::tuple("\"squares\": \"", "\"squares\": \"0", "squares: is no whole number"),
        std::tuple("\"underflow\": 0", "\"underflow\": 1", "n: differs from the histogram"),
        std::tuple("\"counts\": [", "\"counts\": [1, ", "counts: has another number of bins"),
        std::tuple("\"seed\": 9", "\"seed\": -9", "seed: is no whole number"),
        std::tuple("\"sample\": \"cycle\"", "\"sample\": \"x\"", "changed.json: no sample 'x'"),
        std::tuple("\"number\": 1,", "\"number\": 3,", "number: is not from 1 to n"),
        std::tuple("\"definition\": 1", "\"definition\": 2", "definition: is not that of this"),
        std::tuple("\"grid_bits\": 40", "\"grid_bits\": 41", "grid_bits: is not that of this"),
        std::tuple("\"precision\": \"single\"", "\"precision\": \"half\"",
                   "precision: is neither single nor double"),
        std::tuple("\"counts\": {\n", "\"counts\": {\n        \"99999999999\": 1,\n",
                   "99999999999: is no number of steps")}) {
    refuses({changed(files[0], what, with), files[1]}, {"changed.json: ", says});
  }
  const std::string text = read_text(files[0]);
  const std::size_t metrics = text.find("\"metrics\": {") + 12, items = text.find("\"items\": ");
  refuses({scene.folder.write("changed.json", text.substr(0, metrics) + "}, " + text.substr(items)),
           files[1]},
          {"changed.json: ", "metrics: is empty"});
  refuses({scene.folder.write("changed.json", text.substr(0, text.size() / 2)), files[1]},
          {"changed.json: ", "truncated"});
}

TEST_F(Merge, NamesAFileWhoseSumsOverflow) {
  const Arguments files = shards(3);
  const std::regex squares("\"squares\": \"[0-9]+\"");
  const std::string changed_file = scene.folder.write(
      "changed.json", std::regex_replace(read_text(files[1]), squares,
                                         "\"squares\": \"170141183460469231731687303715884105727\"",
                                         std::regex_constants::format_first_only));
  refuses({files[0], changed_file, files[2]},
          {"changed.json: has sums that are too large", "write them again"});
}

TEST(LaterSettings, AreSettings) {
  for (const std::string_view name : definitions::later_settings) {
    EXPECT_NE(std::ranges::find(settings(), name, &Setting::name), settings().end()) << name;
  }
}

TEST_F(Merge, TakesASettingThatCameLaterForItsDefault) {
  const Arguments files = shards(2);
  const std::regex setting("\"(ndtw-threshold|ended|window)\": [^\\n]*\\n *");
  const std::string earlier =
      scene.folder.write("earlier.json", std::regex_replace(read_text(files[0]), setting, ""));
  ASSERT_EQ(read_text(earlier).find("ndtw-threshold"), std::string::npos);
  const CliResult merged = merge({earlier, files[1]});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(merged.out, merge(files).out);
  const Arguments others = shards(2, {"--ndtw-threshold", "2"});
  refuses({earlier, others[1]}, {"another run: --ndtw-threshold is 2, but 0 in "});
}

TEST_F(Merge, RefusesUnknownSettingsAndMissingOnes) {
  const Arguments files = shards(2);
  const std::string threshold = "\"threshold\": 3,";
  refuses({changed(files[0], threshold, threshold + " \"fuel\": 1,"), files[1]},
          {"changed.json: ", "fuel: is no setting of this version", "with one version"});
  refuses({changed(files[0], threshold, ""), files[1]}, {"changed.json: ", "threshold"});
}

TEST_F(Merge, OverwritesNoInput) {
  const Arguments files = shards(2);
  const CliResult result = merge(files, {"--json", files[0]});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("would overwrite the input"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace warpath::testing
