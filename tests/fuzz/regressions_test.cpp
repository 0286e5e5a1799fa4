// The inputs of the fuzz targets, in builds without a fuzzer: seeds, and those that once failed.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "host/core/batch/check_batch.hpp"
#include "tests/fuzz/checks.hpp"
#include "tests/fuzz/random_case.hpp"
#include "tests/fuzz/targets.hpp"
#include "tests/support/files.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::fuzz {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> files;
  const fs::path path = testing::source("tests/fuzz/" + folder);
  if (!fs::exists(path)) return files;
  for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::vector<std::uint8_t> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class FuzzTargets : public ::testing::TestWithParam<Target> {};

TEST_P(FuzzTargets, AcceptSeedsAndInputsThatOnceFailed) {
  const std::string name(GetParam().name);
  std::vector<fs::path> files = files_in("corpus/" + name);
  EXPECT_FALSE(files.empty());
  std::ranges::copy(files_in("regressions/" + name), std::back_inserter(files));
  for (const fs::path& file : files) {
    EXPECT_NO_THROW(GetParam().run(bytes_of(file))) << file;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FuzzTargets, ::testing::ValuesIn(targets),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(FuzzTargetList, NamesEachFolderOfInputs) {
  for (const char* folder : {"corpus", "regressions"}) {
    for (const fs::path& path : files_in(folder)) {
      EXPECT_TRUE(std::ranges::count(targets, path.filename().string(), &Target::name)) << path;
    }
  }
}

// ---------------------------------------------------------------- the checks themselves

TEST(FuzzChecks, SeeAMessageOfTwoLines) {
  EXPECT_THROW(check_message(UsageError("one\ntwo")), Violation);
  EXPECT_THROW(check_message(UsageError("")), Violation);
}

TEST(FuzzChecks, SeeAReaderThatThrowsAnotherError) {
  EXPECT_THROW(read_or_refuse([] { throw UsageError("an option"); }), UsageError);
}

TEST(FuzzChecks, SeePathsOfViewpointsThatAreNotInTheTable) {
  formats::StringTable viewpoints;
  formats::NamedPaths paths;
  paths.elements.push_back(viewpoints.intern("a"));
  EXPECT_THROW(check_paths(paths, viewpoints), Violation);
  paths.end_path();
  EXPECT_NO_THROW(check_paths(paths, viewpoints));
  paths.elements.front() = 1;
  EXPECT_THROW(check_paths(paths, viewpoints), Violation);
}

TEST(FuzzChecks, SeeAScanWithTwoViewpointsOfOneId) {
  const Edge edge{0, 1, 1.0};
  EXPECT_NO_THROW(check_scan(Scan("s", {"a", "b"}, {}, {&edge, 1})));
  EXPECT_THROW(check_scan(Scan("s", {"a", "a"}, {}, {&edge, 1})), Violation);
}

TEST(RandomCases, AreValidForAnyBytes) {
  std::vector<std::vector<std::uint8_t>> inputs = {{}, std::vector<std::uint8_t>(500, 0xFF)};
  std::mt19937 random(testing::run_seed());
  for (int k = 0; k < 200; ++k) {
    std::vector<std::uint8_t>& bytes = inputs.emplace_back(random() % 800);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  }
  for (const auto& bytes : inputs) {
    const RandomCase made(bytes);
    EXPECT_NO_THROW(batch::check(made.batch)) << made.text();
    EXPECT_NO_THROW(batch::check_viewpoints(made.batch)) << made.text();
    EXPECT_NO_THROW(check(made.convention)) << made.text();
    EXPECT_FALSE(made.metrics.empty());
  }
}

}  // namespace
}  // namespace warpath::fuzz
