// Compares the rules of programs with files of their own with what the original programs return or
// print on made result dumps, and the exceptions that they end with. Tolerance 1e-12.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>

#include "host/files/aggregate/rules.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/io/input_file.hpp"
#include "tests/support/files.hpp"

namespace warpath::testing {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  formats::ResultDump dump;
  aggregate::RuleResult result, ours;
};

Outcome outcome_of(const std::string& rule, const aggregate::DumpRequest& request) {
  const aggregate::AggregateRule& found = aggregate::find_aggregate_rule(rule);
  Outcome outcome;
  outcome.dump = found.read(request);
  outcome.result = found.apply(outcome.dump, {});
  aggregate::OursOptions options;
  options.invalid = Invalid::skip;
  outcome.ours = aggregate::average_ours(outcome.dump, options);
  return outcome;
}

double number_in(json::Value value) {
  if (const auto not_finite = formats::not_finite_in(value)) return *not_finite;
  double number = std::nan("");
  EXPECT_TRUE(value.get(number));
  return number;
}

// Returns a value below a golden by its keys; NaN, with a failure, if it is not there.
json::Value at(json::Value value, const std::vector<std::string_view>& keys) {
  for (const std::string_view key : keys) {
    value = value[key];
    EXPECT_TRUE(value.exists()) << key;
  }
  return value;
}

class Golden {
 public:
  Golden(std::string where, const Outcome& outcome, json::Value root)
      : where_(std::move(where)), outcome_(outcome), root_(root) {}

  const Outcome& outcome() const { return outcome_; }
  json::Value root() const { return root_; }

  void equal(double wanted, double value, const std::string& what) {
    ++compared;
    const bool is_equal = std::isfinite(wanted)
                              ? std::abs(wanted - value) <= 1e-12 * std::max(1.0, std::abs(wanted))
                          : std::isnan(wanted) ? std::isnan(value)
                                               : wanted == value;
    EXPECT_TRUE(is_equal) << where_ << ' ' << what << ": " << wanted << " is " << value;
  }

  void equal(const std::vector<std::string_view>& keys, double value) {
    equal(number_in(at(root_, keys)), value, fmt::format("{}", fmt::join(keys, " ")));
  }

  // The golden has a mean under these keys.
  void mean(const std::vector<std::string_view>& keys, std::string_view measure) {
    equal(keys, value_of(outcome_.result.means, measure));
  }

  double value_of(const std::vector<aggregate::RuleMean>& means, std::string_view measure) {
    const auto found = std::ranges::find(means, measure, &aggregate::RuleMean::measure);
    EXPECT_NE(found, means.end()) << where_ << ": no " << measure;
    return found == means.end() || !found->mean ? std::nan("") : *found->mean;
  }

  const std::vector<aggregate::RuleMean>& group(std::string_view name) {
    const auto& groups = outcome_.result.groups;
    const auto found = std::ranges::find(groups, name, &aggregate::RuleGroup::name);
    EXPECT_NE(found, groups.end()) << where_ << ": no group " << name;
    return found == groups.end() ? outcome_.result.means : found->means;
  }

  int compared = 0;

 private:
  std::string where_;
  const Outcome& outcome_;
  json::Value root_;
};

void compare_activevln(Golden& golden) {
  const auto& dump = golden.outcome().dump;
  const auto read = std::ranges::count_if(
      dump.episodes, [](const formats::DumpEpisode& e) { return !e.id.empty(); });
  golden.equal({"files"}, static_cast<double>(dump.files.size()));
  golden.equal({"read"}, static_cast<double>(read));
  golden.equal({"skipped"}, static_cast<double>(dump.episodes.size()) - static_cast<double>(read));
  const auto& result = golden.outcome().result;
  for (const auto [key, values] : formats::as_object(at(golden.root(), {"metrics"}), {})) {
    for (const auto [name, value] : formats::as_object(values, {})) {
      if (name.find('/') != name.npos) continue;  // a bootstrap
      const auto& means = result.groups.empty() ? result.means : golden.group(name);
      golden.equal({"metrics", key, name}, golden.value_of(means, formats::measure_name(key)));
    }
  }
}

void compare_evt(Golden& golden) {
  golden.equal({"episode count:"}, static_cast<double>(golden.outcome().dump.episodes.size()));
  golden.mean({"success rate"}, "SR");
  golden.mean({"following rate:"}, "TR");
  golden.mean({"collision rate:"}, "CR");
}

// Compares a line that the program prints.
void expect_printed(Golden& golden, const std::string& line, std::size_t& from) {
  std::size_t number = 0;
  for (const json::Value printed : formats::as_array(at(golden.root(), {"printed"}), {})) {
    if (++number <= from || printed.text() != line) continue;
    from = number;
    ++golden.compared;
    return;
  }
  ADD_FAILURE() << "not printed: " << line;
}

void compare_uavon(Golden& golden) {
  golden.equal({"total"}, static_cast<double>(golden.outcome().dump.episodes.size()));
  for (const char* name : {"SR", "OSR", "DTS"}) golden.mean({name}, name);
  // The script adds in the order of a set: the golden has 13 digits.
  const auto& result = golden.outcome().result;
  EXPECT_NEAR(number_in(at(golden.root(), {"SPL"})), *result.find("SPL")->mean, 1e-13);
  std::size_t from = 0;
  for (const auto& [name, printed] : {std::pair("collision", "collision  "),
                                      {"step limit", "step_limit "},
                                      {"stop", "stop       "}}) {
    const aggregate::RuleMean& mean = *result.find(name);
    const double count = *mean.mean * static_cast<double>(mean.n);
    expect_printed(golden, fmt::format("{} : {:.2f}% ({:.0f})", printed, 100 * *mean.mean, count),
                   from);
  }
  expect_printed(
      golden, fmt::format("Average Final Frame Number     : {:.2f}", *result.find("steps")->mean),
      from);
  expect_printed(golden,
                 fmt::format("Average Final Move Distance    : {:.2f}", *result.find("PL")->mean),
                 from);
  for (const auto& [group, title] : {std::pair("small", "SMALL"), {"mid", "MID"}, {"big", "BIG"}}) {
    const auto& means = golden.group(group);
    const double n = static_cast<double>(means.front().n);
    const auto value = [&](std::string_view name) { return golden.value_of(means, name); };
    expect_printed(golden, fmt::format("===== Size Category: {} =====", title), from);
    expect_printed(golden, fmt::format("Total Tasks      : {:.0f}", n), from);
    expect_printed(
        golden,
        fmt::format("Success Rate (SR): {:.2f}% ({:.0f})", 100 * value("SR"), n * value("SR")),
        from);
    expect_printed(golden,
                   fmt::format("Oracle  Rate (OSR): {:.2f}% ({:.0f})", 100 * value("OSR"),
                               n * (value("OSR") - value("SR"))),
                   from);
    const std::string distance =
        std::isnan(value("DTS")) ? "nan" : fmt::format("{:.3f}", value("DTS"));
    expect_printed(golden, "Distance to Success (DTS): " + distance, from);
    expect_printed(golden, fmt::format("SPL: {:.3f}%", 100 * value("SPL")), from);
  }
}

void compare_lhvln(Golden& golden) {
  golden.equal({"n"}, static_cast<double>(golden.outcome().dump.episodes.size()));
  for (const auto& [key, measure] : {std::pair("success_rate", "SR"),
                                     {"oracle_success_rate", "OSR"},
                                     {"spl", "SPL"},
                                     {"navigation_error", "NE"},
                                     {"independent_success_rate", "ISR"},
                                     {"conditional_success_rate", "CSR"},
                                     {"conditional_path_length", "CGT"},
                                     {"tar", "TAR"},
                                     {"contest", "contest"}}) {
    golden.mean({key}, measure);
  }
}

void compare_goat(Golden& golden) {
  const auto means = formats::as_object(at(golden.root(), {"means"}), {});
  for (const auto [key, value] : means) golden.mean({"means", key}, key);
  EXPECT_EQ(golden.outcome().result.means.size(), means.size());
  if (!golden.root()["own_sums"].exists()) return;
  for (const char* part : {"all", "object", "image", "description"}) {
    const std::string name = std::string_view(part) == "all" ? "subtask" : part;
    const aggregate::RuleMean& success = *golden.outcome().ours.find(name + " SR");
    golden.equal({"own_sums", part, "n"}, *success.divisor);
    golden.equal({"own_sums", part, "success"}, *success.mean);
    golden.equal({"own_sums", part, "spl"}, *golden.outcome().ours.find(name + " SPL")->mean);
  }
}

void compare_ha_vln(Golden& golden) {
  for (const auto [key, value] : formats::as_object(at(golden.root(), {"means"}), {})) {
    const bool is_kept = key == "success" || key == "SR";
    golden.mean({"means", key}, is_kept ? std::string(key) : formats::measure_name(key));
  }
  const auto& dump = golden.outcome().dump;
  for (std::size_t e = 0; e < dump.episodes.size(); ++e) {
    for (const char* name : {"TCR", "CR", "SR"}) {
      const double value = dump.find(name)->values[e].number;
      if (std::isnan(dump.find("TCR")->values[e].number)) continue;  // 0 in the rule alone
      golden.equal({"per_episode", dump.episodes[e].id, name}, value);
    }
  }
}

// Compares one table of rates that weigh episodes by lengths.
void compare_rates(Golden& golden, const std::vector<std::string_view>& above,
                   const std::vector<aggregate::RuleMean>& means) {
  const auto keys = [&](std::initializer_list<std::string_view> more) {
    std::vector<std::string_view> all = above;
    all.insert(all.end(), more);
    return all;
  };
  const auto find = [&](std::string_view name) {
    return *std::ranges::find(means, name, &aggregate::RuleMean::measure);
  };
  const double n = static_cast<double>(find("SR").n);
  const double conditions = find("GC").divisor.value_or(n);
  golden.equal(keys({"success", "num_successes"}), n * *find("SR").mean);
  golden.equal(keys({"success", "num_evals"}), n);
  golden.equal(keys({"success", "success_rate"}), *find("SR").mean);
  golden.equal(keys({"goal_condition_success", "completed_goal_conditions"}),
               conditions * *find("GC").mean);
  golden.equal(keys({"goal_condition_success", "total_goal_conditions"}), conditions);
  golden.equal(keys({"goal_condition_success", "goal_condition_success_rate"}), *find("GC").mean);
  golden.equal(keys({"path_length_weighted_success_rate"}), *find("PLW SR").mean);
  golden.equal(keys({"path_length_weighted_goal_condition_success_rate"}), *find("PLW GC").mean);
}

void compare_alfred(Golden& golden) {
  const auto results = formats::as_object(at(golden.root(), {"results"}), {});
  for (const auto [type, values] : results) {
    compare_rates(golden, {"results", type},
                  type == "all" ? golden.outcome().result.means : golden.group(type));
  }
}

void compare_teach(Golden& golden) {
  const auto& result = golden.outcome().result;
  compare_rates(golden, {}, result.means);
  const double n = static_cast<double>(golden.outcome().dump.episodes.size());
  for (const auto& [key, name] : {std::pair("num_predicted_stops", "stops"),
                                  {"num_fails_by_api_limit", "api limit"},
                                  {"num_fails_by_traj_len_limit", "step limit"},
                                  {"num_fails_by_error", "errors"}}) {
    golden.equal({key}, n * *result.find(name)->mean);
  }
}

// ---------------------------------------------------------------- the cases as files

// TEACh's evaluate_traj: makes the metrics of instances from what the original failed at.
std::string metrics_of(const std::string& made_inputs) {
  const formats::JsonFile inputs("made inputs", made_inputs);
  std::string text;
  int number = 0;
  for (const json::Value input : formats::as_array(inputs.root(), {})) {
    const auto of = [&](std::string_view key, std::size_t k) {
      return std::int64_t(input[key].at(k));
    };
    const auto total = of("init", 0) - of("init", 1), open = of("final", 0) - of("final", 1);
    const auto gt = std::int64_t(input["gt"]), steps = std::int64_t(input["traj"]);
    const double rate =
        total == 0 ? 1.0 : 1.0 - static_cast<double>(open) / static_cast<double>(total);
    const double share = static_cast<double>(gt) / static_cast<double>(std::max({gt, steps, 1L}));
    text += fmt::format(
        "{}\"i{}\": {{\"completed_goal_conditions\": {}, \"total_goal_conditions\": {}, "
        "\"path_len_weighted_success_spl\": {}, \"path_len_weighted_goal_condition_spl\": {}, "
        "\"gt_path_len\": {}, \"success\": {}, \"traj_len\": {}, \"predicted_stop\": 0, "
        "\"num_api_fails\": 0, \"error\": 0}}",
        text.empty() ? "{" : ", ", number++, total - open, total,
        bool(input["success"]) ? share * static_cast<double>(gt) : 0.0,
        rate * share * static_cast<double>(gt), gt, bool(input["success"]) ? 1 : 0, steps);
  }
  return text + "}";
}

class Cases {
 public:
  Cases(fs::path folder, std::string split) : folder_(std::move(folder)), split_(std::move(split)) {
    for (const char* rule : {"activevln", "evt", "uavon"}) {
      unpack_tar(file(rule, "tar.gz"), rule, unpacked_);
    }
    for (const char* rule : {"havlnce", "alfred", "teach"}) {
      const formats::JsonFile cases(file(rule, "json.gz"));
      for (const auto [name, value] : formats::as_object(cases.root(), {})) {
        texts_[fmt::format("{} {}", rule, name)] = json::minify(value);
      }
    }
    const std::string lines = io::read_input(file("lhvln", "jsonl.gz"));
    for (std::size_t begin = 0; begin < lines.size();) {
      const std::size_t end = std::min(lines.find('\n', begin), lines.size());
      const std::string line = lines.substr(begin, end - begin);
      const std::size_t name = line.find(':') + 2;
      texts_["lhvln " + line.substr(name, line.find('"', name) - name)] += line + '\n';
      begin = end + 1;
    }
  }

  aggregate::DumpRequest request(const std::string& rule, const std::string& name) {
    if (rule == "activevln" || rule == "evt" || rule == "uavon") {
      return {{unpacked_.path(rule + '/' + name)}};
    }
    if (rule == "goat") {
      const std::string stem = name == "clean" ? "goat_episode_metrics" : "goat_" + name;
      return {{file(stem, "json.gz")}};
    }
    std::string text = texts_.at(rule + ' ' + name);
    if (text.starts_with('[')) text = metrics_of(text);
    for (const auto& [not_json, number] :
         {std::pair("{\"\\u0000\":0}", "NaN"), {"{\"\\u0000\":1}", "Infinity"}}) {
      for (std::size_t at = text.find(not_json); at != text.npos; at = text.find(not_json)) {
        text.replace(at, std::string_view(not_json).size(), number);
      }
    }
    return {{unpacked_.write(fmt::format("{}_{}.json", rule, name), text)},
            rule == "havlnce" ? file("havlnce_collision_num", "json.gz") : ""};
  }

 private:
  std::string file(const std::string& stem, const std::string& end) const {
    return (folder_ / fmt::format("{}_{}.{}", stem, split_, end)).string();
  }
  fs::path folder_;
  std::string split_;
  TemporaryFolder unpacked_;
  std::map<std::string, std::string> texts_;
};

using Compare = void (*)(Golden&);

// The smallest numbers of values and of exceptions that have to be compared.
struct Rule {
  Compare compare;
  int values, failures;
};

const std::map<std::string, Rule> rules_with_files{
    {"activevln", {compare_activevln, 60, 3}}, {"evt", {compare_evt, 16, 1}},
    {"uavon", {compare_uavon, 50, 1}},         {"lhvln", {compare_lhvln, 40, 3}},
    {"goat", {compare_goat, 36, 0}},           {"havlnce", {compare_ha_vln, 200, 3}},
    {"alfred", {compare_alfred, 100, 0}},      {"teach", {compare_teach, 24, 2}}};

// Compares the cases of a rule; the original's failure has to be ours, with a reason.
void compare_cases(const std::string& rule, json::Object cases, Cases& files) {
  int values = 0, failures = 0;
  for (const auto [name, golden] : cases) {
    const std::string where = fmt::format("{} {}", rule, name);
    if (where == "lhvln empty") {  // a file without a task is refused
      const TemporaryFolder folder;
      EXPECT_THROW(outcome_of(rule, {{folder.write("empty.jsonl", "[]")}}), InputError);
      continue;
    }
    const Outcome outcome = outcome_of(rule, files.request(rule, std::string(name)));
    if (const json::Value error = golden["error"]; error.is_string()) {
      const std::string wanted(error.text());
      const std::string exception = wanted.substr(0, wanted.find(':'));
      EXPECT_TRUE(outcome.result.failure.starts_with(exception + ": "))
          << where << ": " << wanted << " is '" << outcome.result.failure << "'";
      EXPECT_GT(outcome.result.failure.size(), exception.size() + 12) << where << ": no reason";
      ++failures;
      continue;
    }
    ASSERT_FALSE(outcome.result.has_failed()) << where << ": " << outcome.result.failure;
    Golden compared(where, outcome, golden);
    rules_with_files.at(rule).compare(compared);
    values += compared.compared;
  }
  std::cout << rule << ": " << values << " values, " << failures << " exceptions\n";
  EXPECT_GE(values, rules_with_files.at(rule).values) << rule;
  EXPECT_GE(failures, rules_with_files.at(rule).failures) << rule;
}

class ProgramGoldens : public ::testing::TestWithParam<std::string> {};

TEST_P(ProgramGoldens, AreGivenToTwelveDigits) {
  const fs::path data = fs::path(data_folder()) / "tasks2";
  if (data_folder().empty() || !fs::exists(data / "aggregates")) {
    GTEST_SKIP() << "no made result dumps: $WARPATH_DATA/tasks2/aggregates is not there";
  }
  for (const char* split : {"val_seen", "val_unseen"}) {
    const auto path = data / fmt::format("golden/aggregates_{}.json.gz", split);
    if (!fs::exists(path)) continue;
    Cases files(data / "aggregates", split);
    const formats::JsonFile goldens(path.string());
    compare_cases(GetParam(), formats::as_object(at(goldens.root(), {GetParam()}), {}), files);
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, ProgramGoldens,
                         ::testing::Values("activevln", "evt", "uavon", "lhvln", "goat", "havlnce",
                                           "alfred", "teach"),
                         [](const auto& rule) { return rule.param; });

}  // namespace
}  // namespace warpath::testing
