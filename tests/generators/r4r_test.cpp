// Joins paths of R2R: by hand on a small scan, and against files that the original script made.

#include "warpath/r4r.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>

#include "host/files/formats/json_file.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

// Writes viewpoints a, b, … at (x, 0, 0), each joined with the next.
std::string line_graph(const std::vector<double>& xs) {
  std::string text;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    std::string flags;
    for (std::size_t j = 0; j < xs.size(); ++j) {
      flags += fmt::format("{}{}", j > 0 ? "," : "", i + 1 == j || j + 1 == i);
    }
    text += fmt::format(
        R"({}{{"image_id":"{}","pose":[1,0,0,{},0,1,0,0,0,0,1,0,0,0,0,1],"included":true,)"
        R"("unobstructed":[{}]}})",
        i > 0 ? "," : "", static_cast<char>('a' + i), xs[i], flags);
  }
  return "[" + text + "]";
}

std::string path_entry(const std::string& id, const std::string& scan, const std::string& path,
                       double heading, const std::string& instructions) {
  std::string viewpoints;
  for (const char c : path) {
    viewpoints += fmt::format(R"({}"{}")", viewpoints.empty() ? "" : ",", c);
  }
  return fmt::format(
      R"({{"path_id":{},"scan":"{}","path":[{}],"heading":{},"distance":{},"instructions":[{}]}})",
      id, scan, viewpoints, heading, path.size() + 0.5, instructions);
}

// Two scans: s, a line of a (0 m) to g (6 m), and t, likewise. The stated distances are not the
// lengths, so that a test sees which of them is used.
struct Lines {
  TemporaryFolder folder;
  R4rOptions options;

  explicit Lines(const std::vector<std::string>& entries) {
    const std::string graph = line_graph({0, 1, 2, 3, 4, 5, 6});
    folder.write("graphs/s_connectivity.json", graph);
    folder.write("graphs/t_connectivity.json", graph);
    options.graphs = folder.path("graphs");
    options.dataset = folder.write("R2R.json", fmt::format("[{}]", fmt::join(entries, ",\n")));
  }
};

// Returns "first second: path / shortest path" of each entry.
std::vector<std::string> joins(const R4r& r4r) {
  const formats::JsonFile file("R4R", r4r.json);
  std::vector<std::string> lines;
  for (const json::Value element : json::Array(file.root())) {
    const json::Object entry(element);
    const auto nodes = [&](const char* key) {
      std::string text;
      for (const json::Value node : json::Array(entry[key])) text += node.text();
      return text;
    };
    const InputError::Where here{"R4R"};
    lines.push_back(fmt::format("{} {}: {} / {}", formats::id_text(entry["first_path_id"], here),
                                formats::id_text(entry["second_path_id"], here), nodes("path"),
                                nodes("shortest_path")));
  }
  return lines;
}

using Joins = std::vector<std::string>;

TEST(R4r, WritesEntriesAsTheOriginalScript) {
  const Lines lines({path_entry("7", "s", "abc", 0.25, R"("Go. ","“Äh”\n")"),
                     path_entry(R"("x")", "s", "edc", 1, R"("A","B")")});
  R4rOptions options = lines.options;
  options.threshold_m = 2.0;
  const R4r r4r = make_r4r(options);
  EXPECT_EQ(joins(r4r), (Joins{"7 7: abcbabc / abc", "7 x: abcdedc / abc", "x 7: edcbabc / edc",
                               "x x: edcdedc / edc"}));
  EXPECT_TRUE(r4r.json.starts_with(R"([
  {
    "distance": 9.0,
    "first_path_id": 7,
    "heading": 0.25,
    "instructions": [
      "Go. Go. ",
      "Go. “Äh”\n",
      "“Äh”\nGo. ",
      "“Äh”\n“Äh”\n"
    ],
    "path": [
      "a",
      "b",
      "c",
      "b",
      "a",
      "b",
      "c"
    ],
    "path_id": 0,
    "scan": "s",
    "second_path_id": 7,
    "shortest_path": [
      "a",
      "b",
      "c"
    ],
    "shortest_path_distance": 2.0
  },
  {
    "distance": 9.0,
    "first_path_id": 7,
    "heading": 0.25,
    "instructions": [
      "Go. A",
      "Go. B",
      "“Äh”\nA",
      "“Äh”\nB"
    ],)"))
      << r4r.json;
  EXPECT_TRUE(r4r.json.ends_with("\n  }\n]\n"));
  EXPECT_NE(r4r.json.find(R"("second_path_id": "x")"), std::string::npos);
}

TEST(R4r, OrdersByScanThenFirstThenSecondPath) {
  const Lines lines({path_entry("1", "t", "bc", 0, R"("")"), path_entry("2", "s", "bc", 0, R"("")"),
                     path_entry("3", "t", "cb", 0, R"("")"),
                     path_entry("4", "s", "cb", 0, R"("")")});
  const R4r r4r = make_r4r(lines.options);
  EXPECT_EQ(joins(r4r),
            (Joins{"1 1: bcbc / bc", "1 3: bcb / b", "3 1: cbc / c", "3 3: cbcb / cb",
                   "2 2: bcbc / bc", "2 4: bcb / b", "4 2: cbc / c", "4 4: cbcb / cb"}));
  EXPECT_NE(r4r.json.find("\"shortest_path_distance\": 0\n"), std::string::npos);
  const formats::JsonFile file("R4R", r4r.json);
  for (std::size_t k = 0; k < 8; ++k) {
    const json::Object entry(file.root().at(k));
    EXPECT_EQ(std::uint64_t(entry["path_id"]), k);
    EXPECT_EQ(entry["scan"].text(), k < 4 ? "t" : "s");
  }
}

TEST(R4r, CountsAPathOnceAndItsInstructionsEach) {
  const Lines lines(
      {path_entry("1", "s", "abc", 0, R"("","","")"), path_entry("2", "s", "cdef", 0, R"("","")")});
  R4rOptions options = lines.options;
  options.threshold_m = 0.0;
  const R4r r4r = make_r4r(options);
  EXPECT_EQ(joins(r4r), (Joins{"1 2: abcdef / abcdef"}));
  EXPECT_EQ(r4r.r2r.paths, 2u);
  EXPECT_EQ(r4r.r2r.samples, 5u);
  EXPECT_EQ(r4r.r2r.length.mean(), 4.0) << "as the file states it: 3.5 m and 4.5 m";
  EXPECT_EQ(r4r.r2r.shortest.mean(), 2.5);
  EXPECT_EQ(r4r.r4r.paths, 1u);
  EXPECT_EQ(r4r.r4r.samples, 6u);
  EXPECT_EQ(r4r.r4r.length.mean(), 8.0);
  EXPECT_EQ(r4r.r4r.shortest.mean(), 5.0);
  EXPECT_EQ(r4r.r4r.viewpoints.mean(), 6.0);
  EXPECT_EQ(r4r.r4r.shortests.count(5), 1u);
  EXPECT_EQ(r4r.too_far, 3u);
  EXPECT_EQ(r4r.too_turned, 0u);
}

TEST(R4r, ComparesDistancesByAtMostOrLess) {
  // d(b, e) is 3 m, the threshold; d(f, a) is 5 m.
  const Lines lines(
      {path_entry("1", "s", "ab", 0, R"("")"), path_entry("2", "s", "ef", 0, R"("")")});
  R4rOptions options = lines.options;
  EXPECT_EQ(joins(make_r4r(options)),
            (Joins{"1 1: abab / ab", "1 2: abcdef / abcdef", "2 2: efef / ef"}));
  options.compare = Compare::less;
  EXPECT_EQ(joins(make_r4r(options)), (Joins{"1 1: abab / ab", "2 2: efef / ef"}));
  options.threshold_m = std::nextafter(3.0, 4.0);
  EXPECT_EQ(make_r4r(options).r4r.paths, 3u);
}

TEST(R4r, ComparesHeadingsWithoutWrapping) {
  // Path 1 ends along +x, which is 0; path 2 along −x, which is pi.
  const Lines lines(
      {path_entry("1", "s", "ab", 0.5, R"("")"), path_entry("2", "s", "cb", 6.0, R"("")")});
  R4rOptions options = lines.options;
  options.heading_threshold = 0.5;
  const R4r ahead = make_r4r(options);
  EXPECT_EQ(joins(ahead), Joins{"1 1: abab / ab"}) << "6.0 is 0.28 from 2 pi, but 6 from 0";
  EXPECT_EQ(ahead.too_turned, 3u);
  EXPECT_EQ(ahead.too_far, 0u);
  options.heading_threshold = 2.7;  // pi − 0.5 = 2.64, 6 − pi = 2.86
  EXPECT_EQ(joins(make_r4r(options)), (Joins{"1 1: abab / ab", "2 1: cbab / cb"}));
  options.heading_threshold = 6.0;
  EXPECT_EQ(make_r4r(options).r4r.paths, 4u);
}

TEST(R4r, TakesTheDirectionOfTheLastStep) {
  const Lines lines({path_entry("1", "s", "abcb", 3.1, R"("")")});
  R4rOptions options = lines.options;
  options.heading_threshold = 0.1;
  EXPECT_EQ(make_r4r(options).r4r.paths, 1u) << "c to b leads along −x, which is pi";
}

TEST(R4r, TakesDirectionsFromZeroToTwoPi) {
  Lines lines({path_entry("1", "s", "ab", 4.7, R"("")")});
  lines.folder.write("graphs/s_connectivity.json",
                     R"([{"image_id":"a","pose":[1,0,0,0,0,1,0,1,0,0,1,0,0,0,0,1],"included":true,
                          "unobstructed":[false,true]},
                         {"image_id":"b","pose":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"included":true,
                          "unobstructed":[true,false]}])");
  R4rOptions options = lines.options;
  options.heading_threshold = 0.1;
  EXPECT_EQ(make_r4r(options).r4r.paths, 1u) << "a to b leads along -y, which is 4.712, not -1.571";
}

// ---------------------------------------------------------------- errors

std::string error_of(const R4rOptions& options) {
  return error_of_call<Error>([&] { make_r4r(options); });
}

void expect_says(const R4rOptions& options, const std::vector<std::string>& parts) {
  const std::string error = error_of(options);
  for (const std::string& part : parts) {
    EXPECT_NE(error.find(part), std::string::npos) << part << " in: " << error;
  }
}

TEST(R4rErrors, SayWhyNothingIsJoined) {
  const Lines lines({path_entry("1", "s", "ag", 1, R"("")")});
  R4rOptions options = lines.options;
  expect_says(options, {"R2R.json", "joins nothing", "at most 3 m", "raise --threshold"});
  options.compare = Compare::less;
  expect_says(options, {"less than 3 m"});
  options.threshold_m = 10.0;
  options.heading_threshold = 0.1;
  expect_says(options, {"joins nothing", "of 1 pair of paths", "more than 0.1",
                        "raise --heading-threshold"});
}

TEST(R4rErrors, NameThePathAndTheKey) {
  const std::string good = path_entry("1", "s", "abc", 0, R"("")");
  const auto says = [&](const std::string& what, const std::string& with,
                        const std::vector<std::string>& parts) {
    std::string entry = good;
    ASSERT_NE(entry.find(what), std::string::npos) << what;
    entry.replace(entry.find(what), what.size(), with);
    expect_says(Lines({good, entry}).options, parts);
  };
  says(R"("heading")", R"("turn")", {"R2R.json: path 1: no key 'heading'"});
  says(R"("instructions")", R"("texts")", {"path 1: no key 'instructions'"});
  says(R"("distance")", R"("length")", {"path 1: no key 'distance'"});
  says(R"("path_id")", R"("id")", {"entry 1: no key 'path_id'"});
  says(R"("heading":0)", R"("heading":null)", {"path 1: heading: ", "a finite number", "null"});
  says(R"("heading":0)", R"("heading":NaN)", {"path 1: heading: ", "NaN or infinite"});
  says(R"([""])", R"([null])", {"path 1: instructions: should be a string, is null"});
  says(R"("b")", R"("z")", {"path 1: path: names the viewpoint z", "scan s"});
  says(R"("a","b","c")", R"("a")", {"path 1: path: has 1 viewpoint,", "test split"});
  says(R"("scan":"s")", R"("scan":"u")", {"1 of the dataset's 2 scans has no graph: u"});
}

TEST(R4rErrors, NameStartsAndGoalsThatNoPathJoins) {
  TemporaryFolder folder;
  folder.write("graphs/s_connectivity.json",
               R"([{"image_id":"a","pose":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1],"included":true,
                    "unobstructed":[false,false]},
                   {"image_id":"b","pose":[1,0,0,1,0,1,0,0,0,0,1,0,0,0,0,1],"included":true,
                    "unobstructed":[false,false]}])");
  R4rOptions options;
  options.graphs = folder.path("graphs");
  options.dataset = folder.write("R2R.json", "[" + path_entry("5", "s", "ab", 0, R"("")") + "]");
  expect_says(options, {"path 5: path: no path leads from a to b"});
}

TEST(R4rErrors, RefuseHeadingsWithoutPositions) {
  TemporaryFolder folder;
  R4rOptions options;
  options.graphs = folder.write("s.csv", "a,b,1.0\n");
  options.dataset = folder.write("R2R.json", "[" + path_entry("5", "s", "ab", 0, R"("")") + "]");
  EXPECT_EQ(joins(make_r4r(options)), Joins{"5 5: abab / ab"});
  options.heading_threshold = 1.0;
  expect_says(options, {"scan s", "no positions", "leave --heading-threshold away"});
}

TEST(R4rErrors, RefuseOptionsOutOfRange) {
  const Lines lines({path_entry("1", "s", "abc", 0, R"("")")});
  for (const double threshold : {-1.0, std::nan(""), double{INFINITY}}) {
    R4rOptions options = lines.options;
    options.threshold_m = threshold;
    EXPECT_THROW(make_r4r(options), UsageError) << threshold;
  }
  R4rOptions options = lines.options;
  options.heading_threshold = -0.1;
  EXPECT_THROW(make_r4r(options), UsageError);
  options.heading_threshold = std::nan("");
  EXPECT_THROW(make_r4r(options), UsageError);
}

// ---------------------------------------------------------------- what the original script made

void expect_same_entry(json::Object ours, json::Object golden, std::size_t k) {
  ASSERT_EQ(ours.size(), golden.size()) << k;
  for (const auto& [key, value] : golden) {
    const json::Value mine = ours[key];
    if (key == "distance" || key == "shortest_path_distance") {
      ASSERT_NEAR(double(mine), double(value), 1e-12) << k << ' ' << key;
    } else {
      ASSERT_EQ(json::minify(mine), json::minify(value)) << k << ' ' << key;
    }
  }
}

void expect_golden(const std::string& dataset, const std::string& golden,
                   std::size_t instructions) {
  if (data_folder().empty()) GTEST_SKIP() << "no real data: set WARPATH_DATA to their folder";
  R4rOptions options;
  options.graphs = data_folder() + "/connectivity";
  options.dataset = data_folder() + "/" + dataset;
  const R4r r4r = make_r4r(options);
  const formats::JsonFile ours("R4R", r4r.json), wanted(data_folder() + "/" + golden);
  const json::Array our_entries(ours.root()), entries(wanted.root());
  ASSERT_EQ(our_entries.size(), entries.size());
  EXPECT_EQ(r4r.r4r.paths, entries.size());
  EXPECT_EQ(r4r.r4r.samples, instructions);
  std::size_t k = 0;
  for (auto ours_at = our_entries.begin(); const json::Value entry : entries) {
    expect_same_entry(json::Object(*ours_at), json::Object(entry), k++);
    if (::testing::Test::HasFatalFailure()) return;
    ++ours_at;
  }
}

TEST(R4rGolden, IsWhatTheScriptMakesOfValSeen) {
  expect_golden("R2R_val_seen.json", "R4R_val_seen.json.gz", 1035);
}

TEST(R4rGolden, IsWhatTheScriptMakesOfTrain) {
  expect_golden("R2R_train.json.gz", "R4R_train.json.gz", 233'532);
}

}  // namespace
}  // namespace warpath::testing
