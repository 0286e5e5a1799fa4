// Compares means of result dumps with those of the original programs (real data), and of a plain
// Python transcription of them (our own made-up dumps). Double precision agrees to 1e-12, single
// precision to 1e-6.

#include "host/files/aggregate/rules.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

#include "host/files/formats/json_file.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

bool is_single_precision(std::string_view rule) {
  return rule == "internnav" || rule == "streamvln";
}

// Returns the number of a golden file, in which NaN and Infinity are literals.
double golden_number(json::Value value) {
  if (const auto not_finite = formats::not_finite_in(value)) return *not_finite;
  double number = std::nan("");
  EXPECT_TRUE(value.get(number));
  return number;
}

bool agrees(double golden, double ours, double tolerance) {
  if (!std::isfinite(golden) || !std::isfinite(ours)) {
    return std::isnan(golden) ? std::isnan(ours) : golden == ours;
  }
  return std::abs(golden - ours) <= tolerance * std::max(1.0, std::abs(golden));
}

// Compares one mean; "N/A" is a mean that is not there.
void expect_mean(const aggregate::RuleResult& result, const std::string& measure,
                 json::Value golden, double tolerance, const std::string& where) {
  const aggregate::RuleMean* mean = result.find(measure);
  ASSERT_NE(mean, nullptr) << where << ": no " << measure;
  if (golden.is_string()) {
    EXPECT_EQ(golden.text(), "N/A") << where;
    EXPECT_FALSE(mean->mean) << where << ' ' << measure;
    return;
  }
  ASSERT_TRUE(mean->mean) << where << ' ' << measure;
  const double wanted = golden_number(golden);
  EXPECT_TRUE(agrees(wanted, *mean->mean, tolerance))
      << where << ' ' << measure << ": " << wanted << " is " << *mean->mean;
}

void expect_failure(const aggregate::RuleResult& result, json::Value error,
                    const std::string& where) {
  const std::string wanted(error.text());
  EXPECT_EQ(result.failure.substr(0, result.failure.find(": ")), wanted) << where;
  EXPECT_GT(result.failure.size(), wanted.size() + 10) << where << ": no reason";
  EXPECT_TRUE(result.means.empty()) << where;
}

// ---------------------------------------------------------------- our own dumps

class MadeUpDumps : public ::testing::Test {
 protected:
  MadeUpDumps() : goldens(source("tests/aggregate/aggregate_goldens.json")) {}

  formats::ResultDump dump_of(json::Object golden) const {
    std::string lines;
    for (const json::Value line : formats::as_array(golden["lines"], {})) {
      lines.append(formats::as_string(line, {})).append("\n");
    }
    const std::vector<std::string> files{folder.write("dump.jsonl", lines)};
    return formats::read_result_dumps(files, formats::DumpDuplicates::error);
  }

  TemporaryFolder folder;
  formats::JsonFile goldens;
};

aggregate::OursOptions ours_with(std::string_view invalid) {
  aggregate::OursOptions options;
  options.invalid = invalid == "skip"   ? Invalid::skip
                    : invalid == "zero" ? Invalid::zero
                                        : Invalid::error;
  return options;
}

TEST_F(MadeUpDumps, HaveTheMeansOfThePlainTranscription) {
  std::map<std::string, int> compared;  // means by rule
  for (const auto [name, value] : formats::as_object(goldens.root(), {})) {
    const json::Object golden = formats::as_object(value, {});
    const formats::ResultDump dump = dump_of(golden);
    for (const auto [key, outcome] : formats::as_object(golden["rules"], {})) {
      const std::string rule(key.substr(0, key.find(' ')));
      const std::string where = fmt::format("{} {}", name, key);
      const aggregate::RuleResult result = aggregate::find_aggregate_rule(rule).apply(
          dump, ours_with(key.substr(key.find(' ') + 1)));
      if (const json::Value error = outcome["error"]; error.exists()) {
        if (rule == "ours") {
          EXPECT_TRUE(result.refusal) << where;
        } else {
          expect_failure(result, error, where);
        }
        continue;
      }
      ASSERT_FALSE(result.has_failed()) << where << ": " << result.failure;
      for (const auto [measure, mean] : formats::as_object(outcome["means"], {})) {
        if (rule == "ours" && formats::not_finite_in(mean)) {
          EXPECT_FALSE(result.find(formats::measure_name(measure))->mean)
              << where << ' ' << measure;
          continue;
        }
        expect_mean(result, formats::measure_name(measure), mean,
                    is_single_precision(rule) ? 1e-6 : 1e-12, where);
        ++compared[rule];
      }
      EXPECT_EQ(result.means.size(), formats::as_object(outcome["means"], {}).size()) << where;
    }
  }
  EXPECT_EQ(compared.size(), 7u);
  for (const auto& [rule, count] : compared) EXPECT_GE(count, 14) << rule;
}

// ---------------------------------------------------------------- logs

class Logs : public ::testing::Test {
 protected:
  formats::ResultDump read(const std::string& name, const std::string& text) const {
    const std::vector<std::string> files{folder.write(name, text)};
    return formats::read_result_dumps(files, formats::DumpDuplicates::error);
  }

  // Compares the mean of SR and what is said of the file.
  static void expect_log(const formats::ResultDump& dump, const std::string& content) {
    ASSERT_EQ(dump.episodes.size(), 4u);
    EXPECT_EQ(*aggregate::average_ours(dump, {}).find("SR")->mean, 0.75);
    EXPECT_EQ(dump.where(1).item, "line 2");
    EXPECT_EQ(dump.files[0].hash, io::content_hash(content));
  }

  TemporaryFolder folder;
};

TEST_F(Logs, AreReadByTheirContent) {
  std::string json, replay;
  for (int e = 0; e < 4; ++e) {
    const int success = e > 0 ? 1 : 0;
    json += fmt::format("{{\"episode_id\": {}, \"success\": {}}}\n", e, success);
    replay += fmt::format("ep  {0} id=  {0}: steps= 35 success={1}.0 OK\n", e, success);
  }
  expect_log(read("run.log", json), json);
  expect_log(read("run.log.gz", gzip(json)), json);
  expect_log(read("replay.log", replay), replay);
  expect_log(read("replay.log.gz", gzip(replay)), replay);
  EXPECT_THROW(read("other.log", "[12:00]: nothing\n"), InputError);
  EXPECT_THROW(read("empty.log", ""), InputError);
}

// ---------------------------------------------------------------- real programs

// Names of the originals' means, where they are not the keys of dumps.
std::string measure_of(std::string_view key) {
  static const std::map<std::string_view, std::string> names{
      {"sucs_all", "SR"}, {"spls_all", "SPL"},   {"oss_all", "OSR"}, {"nes_all", "NE"},
      {"ones_all", "NE"}, {"ndtws_all", "nDTW"}, {"OS", "OSR"}};
  if (const auto found = names.find(key); found != names.end()) return found->second;
  return formats::measure_name(key.starts_with("mean_") ? key.substr(5) : key);
}

// Compares a number that the original prints beside means. Returns false if the key is a mean's.
bool compare_count(const aggregate::RuleResult& result, std::string_view key, json::Value golden) {
  const auto expect = [&](std::uint64_t ours) {
    EXPECT_EQ(golden_number(golden), static_cast<double>(ours)) << key;
    return true;
  };
  const aggregate::RuleMean* length = result.find("PL");
  if (key == "n" || key == "total_episodes" || key == "Count") return expect(length->n);
  if (key == "dropped_files") return expect(length->zeroed);
  if (key == "invalid_spls") return expect(result.find("SPL")->dropped);
  if (key == "invalid_distances") return expect(result.find("NE")->dropped);
  return key == "printed";  // the same, rounded
}

struct Compared {
  int dumps = 0, means = 0, failures = 0;
};

void compare_rule(const formats::ResultDump& dump, std::string_view rule, json::Object golden,
                  const std::string& where, Compared& compared) {
  const aggregate::RuleResult result = aggregate::find_aggregate_rule(rule).apply(dump, {});
  if (const json::Value error = golden["error"]; error.exists()) {
    expect_failure(result, error, where);
    ++compared.failures;
    return;
  }
  ASSERT_FALSE(result.has_failed()) << where << ": " << result.failure;
  for (const auto [key, value] : golden) {
    if (compare_count(result, key, value)) continue;
    expect_mean(result, measure_of(key), value, is_single_precision(rule) ? 1e-6 : 1e-12, where);
    ++compared.means;
  }
}

TEST(RealDumps, HaveTheMeansOfTheOriginalPrograms) {
  const std::filesystem::path targets = std::filesystem::path(data_folder()) / "targets";
  if (data_folder().empty() || !std::filesystem::exists(targets / "results")) {
    GTEST_SKIP() << "no real data: $WARPATH_DATA/targets/results is not there";
  }
  Compared compared;
  for (const char* split : {"val_seen", "val_unseen"}) {
    const auto path = targets / fmt::format("golden/results_{}.json.gz", split);
    if (!std::filesystem::exists(path)) continue;
    const formats::JsonFile goldens(path.string());
    for (const auto [name, rules] : formats::as_object(goldens.root(), {})) {
      const std::vector<std::string> files{
          (targets / fmt::format("results/{}_{}.jsonl.gz", split, name)).string()};
      const formats::ResultDump dump =
          formats::read_result_dumps(files, formats::DumpDuplicates::error);
      ++compared.dumps;
      for (const auto [rule, golden] : formats::as_object(rules, {})) {
        compare_rule(dump, rule, formats::as_object(golden, {}),
                     fmt::format("{} {} {}", split, name, rule), compared);
      }
    }
  }
  EXPECT_GE(compared.dumps, 9);
  EXPECT_GE(compared.means, 150);
  EXPECT_GE(compared.failures, 7);
  std::cout << compared.means << " means and " << compared.failures << " exceptions of "
            << compared.dumps << " dumps\n";
}

// ---------------------------------------------------------------- ours

class Ours : public ::testing::Test {
 protected:
  formats::ResultDump dump(const std::string& lines) const {
    const std::vector<std::string> files{folder.write("dump.jsonl", lines)};
    return formats::read_result_dumps(files, formats::DumpDuplicates::error);
  }

  TemporaryFolder folder;
};

constexpr const char* three =
    "{\"episode_id\": 1, \"success\": 1, \"spl\": 0.5, \"ne\": 1.5}\n"
    "{\"episode_id\": 2, \"success\": true, \"spl\": NaN, \"ne\": Infinity}\n"
    "{\"episode_id\": 4, \"success\": 0, \"ne\": -1}\n";

TEST_F(Ours, CountsWhatItZeroesAndLeavesOut) {
  aggregate::OursOptions options;
  options.invalid = Invalid::zero;
  const aggregate::RuleResult zero = aggregate::average_ours(dump(three), options);
  EXPECT_DOUBLE_EQ(*zero.find("SR")->mean, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(*zero.find("SPL")->mean, 0.5 / 3.0);
  EXPECT_EQ(zero.find("SPL")->zeroed, 2u);
  EXPECT_EQ(zero.find("SPL")->n, 3u);
  EXPECT_DOUBLE_EQ(*zero.find("NE")->mean, 1.5);  // 0 m would be a perfect stop
  EXPECT_EQ(zero.find("NE")->dropped, 2u);

  options.invalid = Invalid::skip;
  const aggregate::RuleResult skip = aggregate::average_ours(dump(three), options);
  EXPECT_DOUBLE_EQ(*skip.find("SPL")->mean, 0.5);
  EXPECT_EQ(skip.find("SPL")->dropped, 2u);
  EXPECT_EQ(skip.find("SPL")->n, 1u);
}

TEST_F(Ours, RefusesTheFirstEpisodeWithoutAValue) {
  const aggregate::RuleResult result = aggregate::average_ours(dump(three), {});
  ASSERT_TRUE(result.refusal);
  EXPECT_EQ(result.refusal->where().item, "line 2");
  EXPECT_EQ(result.refusal->where().field, "SPL");
  EXPECT_NE(result.refusal->problem().find("is NaN; no usable value: SPL in 2 episodes, NE in 2"),
            std::string::npos)
      << result.refusal->problem();
}

TEST_F(Ours, ChecksOnlyTheChosenMeasures) {
  aggregate::OursOptions options;
  options.measures = {"SR"};
  const aggregate::RuleResult result = aggregate::average_ours(dump(three), options);
  EXPECT_FALSE(result.has_failed());
  EXPECT_EQ(result.means.size(), 1u);
}

TEST_F(Ours, CountsMissingEpisodesAsFailures) {
  aggregate::OursOptions options;
  options.measures = {"SR"};
  options.episodes = 5;
  EXPECT_TRUE(aggregate::average_ours(dump(three), options).refusal);
  options.missing = Missing::skip;
  EXPECT_DOUBLE_EQ(*aggregate::average_ours(dump(three), options).find("SR")->mean, 2.0 / 3.0);
  options.missing = Missing::zero;
  const aggregate::RuleResult zero = aggregate::average_ours(dump(three), options);
  EXPECT_DOUBLE_EQ(*zero.find("SR")->mean, 2.0 / 5.0);
  EXPECT_EQ(zero.find("SR")->zeroed, 2u);
  EXPECT_EQ(zero.find("SR")->n, 5u);
}

TEST_F(Ours, RefusesImpossibleValues) {
  for (const char* value : {"1.5", "-0.25", "100"}) {
    const aggregate::RuleResult result =
        aggregate::average_ours(dump(fmt::format("{{\"id\": 1, \"success\": {}}}", value)), {});
    ASSERT_TRUE(result.refusal) << value;
    EXPECT_NE(result.refusal->problem().find("SR cannot be"), std::string::npos);
  }
  const aggregate::RuleResult generic =
      aggregate::average_ours(dump("{\"id\": 1, \"success\": 1, \"reward\": -7.5}"), {});
  EXPECT_DOUBLE_EQ(*generic.find("reward")->mean, -7.5);
}

TEST(AggregateRules, AreFoundByName) {
  EXPECT_EQ(aggregate::find_aggregate_rule("NaVid").name, "navid");
  EXPECT_THROW(aggregate::find_aggregate_rule("navidd"), UsageError);
}

TEST(AggregateRules, OfVlnPeAreForItsDumpsOnly) {
  const TemporaryFolder folder;
  const std::vector<std::string> files{
      folder.write("pe.jsonl", "{\"info\": {\"success\": 1.0}, \"fail_reason\": \"\"}\n")};
  const formats::ResultDump dump =
      formats::read_result_dumps(files, formats::DumpDuplicates::error);
  ASSERT_EQ(aggregate::rules_for(dump).size(), 2u);
  EXPECT_EQ(aggregate::rules_for(dump)[1]->name, "vlnpe");
  for (const aggregate::AggregateRule& rule : aggregate::aggregate_rules()) {
    if (rule.name == "ours" || rule.name == "vlnpe") continue;
    EXPECT_TRUE(rule.apply(dump, {}).failure.starts_with("KeyError")) << rule.name;
  }
}

}  // namespace
}  // namespace warpath::testing
