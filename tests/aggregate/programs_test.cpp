// Tests the rules of programs with files of their own on hand-made files: their means, the places
// that their exceptions name, and what `ours` makes of the same files.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "host/files/aggregate/rules.hpp"
#include "tests/support/files.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

class ProgramRules : public ::testing::Test {
 protected:
  // Reads files by a rule and applies it.
  void apply(const std::string& rule, const aggregate::DumpRequest& request) {
    const aggregate::AggregateRule& found = aggregate::find_aggregate_rule(rule);
    dump = found.read(request);
    result = found.apply(dump, {});
  }

  aggregate::RuleResult ours(const aggregate::OursOptions& options = {}) const {
    return aggregate::average_ours(dump, options);
  }

  double mean(std::string_view measure) const { return mean_of(result.means, measure); }

  double mean_of(const std::vector<aggregate::RuleMean>& means, std::string_view measure) const {
    const auto found = std::ranges::find(means, measure, &aggregate::RuleMean::measure);
    if (found == means.end() || !found->mean) return -99.0;
    return *found->mean;
  }

  double mean_in(std::string_view group, std::string_view measure) const {
    const auto found = std::ranges::find(result.groups, group, &aggregate::RuleGroup::name);
    return found == result.groups.end() ? -98.0 : mean_of(found->means, measure);
  }

  void fails(const std::string& with) const { EXPECT_EQ(result.failure, with); }

  std::string write(const std::string& name, const std::string& text) const {
    return folder.write(name, text);
  }

  TemporaryFolder folder;
  formats::ResultDump dump;
  aggregate::RuleResult result;
};

// ---------------------------------------------------------------- ActiveVLN

constexpr const char* run_text =
    R"({{"id": "{}", "success": {}, "spl": {}, "distance_to_goal": {}, "oracle_success": true,
       "path_length": 10}})";

TEST_F(ProgramRules, OfActiveVlnTakeTheMeanOfEachIdFirst) {
  write("log/stats_1_0.json", fmt::format(run_text, 1, "true", "0.5", "NaN"));
  write("log/stats_1_1.json", fmt::format(run_text, 1, "false", "Infinity", "4"));
  write("log/stats_2_0.json", fmt::format(run_text, 2, "true", "0.25", "1"));
  apply("activevln", {{folder.path()}});
  EXPECT_TRUE(result.means.empty());  // ids differ in their numbers of runs
  EXPECT_DOUBLE_EQ(mean_in("mean@2", "SR"), 0.5);
  EXPECT_DOUBLE_EQ(mean_in("mean@2", "SPL"), 0.25);
  EXPECT_DOUBLE_EQ(mean_in("mean@2", "NE"), 2.0);
  EXPECT_DOUBLE_EQ(mean_in("std@2", "NE"), 2.0);
  EXPECT_DOUBLE_EQ(mean_in("mean@1", "SPL"), 0.25);
  EXPECT_EQ(ours().refusal->where().field, "NE");
}

TEST_F(ProgramRules, OfActiveVlnEndWhereListsGetOutOfStep) {
  write("log/a.json", fmt::format(run_text, 1, "true", "0.5", "1"));
  const std::string second = write("log/b.json", fmt::format(run_text, 2, "true", "null", "1"));
  apply("activevln", {{folder.path()}});
  fails("IndexError: " + second + " has no usable spl: the lists of measures get out of step");
  write("log/a.json", R"({"id": 1, "success": 1})");
  write("log/b.json", R"({"id": 2, "success": 0})");
  apply("activevln", {{folder.path()}});  // nothing has an SPL, so no list is short
  EXPECT_DOUBLE_EQ(mean("SR"), 0.5);
  EXPECT_EQ(result.means.size(), 1u);
}

TEST_F(ProgramRules, OfActiveVlnLeaveOutWhatOursRefuses) {
  write("log/a.json", fmt::format(run_text, 1, "true", "0.5", "1"));
  const std::string cut = write("log/b.json", R"({"id": 2, "succ)");
  apply("activevln", {{folder.path()}});
  EXPECT_DOUBLE_EQ(mean("SR"), 1.0);
  EXPECT_EQ(result.find("SR")->n, 1u);
  EXPECT_EQ(ours().refusal->where().file, cut);
  ASSERT_EQ(dump.notes.size(), 1u);
  EXPECT_NE(dump.notes[0].find(cut), std::string::npos);
}

// ---------------------------------------------------------------- LH-VLN

std::string task(const std::string& successes, const std::string& errors,
                 const std::string& lengths) {
  return fmt::format(
      R"({{"successes": {}, "oracle_successes": [1, 1], "navigation_steps": [20, 20],)"
      R"( "navigation_errors": {}, "gt_step": [10, 30], "gt_path": {}}})"
      "\n",
      successes, errors, lengths);
}

TEST_F(ProgramRules, OfLhVlnWeighSubtasks) {
  const std::string two = task("[1, 1]", "[0.5, 3]", "[2, 6]") + task("[0, 1]", "[4]", "[2]");
  apply("lhvln", {{write("a.jsonl", two)}});
  EXPECT_DOUBLE_EQ(mean("SR"), 0.5);
  EXPECT_DOUBLE_EQ(mean("SPL"), 0.5 * 40.0 / 40.0);
  EXPECT_DOUBLE_EQ(mean("NE"), (1.75 + 4.0) / 2.0);
  EXPECT_DOUBLE_EQ(mean("ISR"), 3.0 / 4.0);
  EXPECT_DOUBLE_EQ(mean("CSR"), ((2.0 + 2.0) / 4.0 + 1.0 / 4.0) / 2.0);
  EXPECT_DOUBLE_EQ(mean("CGT"), ((0.25 * 2.0 + 0.75 * 2.0) / 2.0 + 0.75 / 2.0) / 2.0);
  EXPECT_DOUBLE_EQ(mean("TAR"), (1.0 + (1.0 - 2.0 / 6.0) + (1.0 - 3.0 / 4.0)) / 3.0);
  EXPECT_DOUBLE_EQ(mean("contest"),
                   0.4 * mean("TAR") + 0.2 * (mean("ISR") + mean("CSR") + mean("CGT")));
  EXPECT_DOUBLE_EQ(*ours().find("ISR")->mean, 0.75);
  EXPECT_DOUBLE_EQ(*result.find("ISR")->divisor, 4.0);
}

TEST_F(ProgramRules, OfLhVlnNameTheTaskThatEndsThem) {
  apply("lhvln",
        {{write("a.jsonl", task("[1, 1]", "[1]", "[2, 6]") + task("[1, null]", "[1]", "[1]"))}});
  fails("TypeError: line 2 has no list of numbers for successes");  // tasks are added first
  ASSERT_TRUE(ours().refusal);
  apply("lhvln", {{write("a.jsonl", task("[1, 1]", "[1]", "[2, 6]") + "\n")}});
  EXPECT_TRUE(result.failure.starts_with("IndexError: ")) << result.failure;
  EXPECT_NE(result.failure.find("has 1 navigation_errors for 2 entries of gt_path"),
            std::string::npos);
}

TEST_F(ProgramRules, OfLhVlnHaveNoWeightsOfAbsentTasks) {
  apply("lhvln", {{write("a.jsonl", task("[1, 1]", "[0.5, 3]", "[2, 6]"))}});
  aggregate::OursOptions options;
  options.missing = Missing::zero;
  options.episodes = 4;
  const aggregate::RuleResult refused = ours(options);
  ASSERT_TRUE(refused.refusal);
  EXPECT_EQ(refused.refusal->where().file, dump.files[0].name);
  EXPECT_EQ(refused.refusal->where().field, "ISR");
  EXPECT_NE(std::string(refused.refusal->what()).find("the weights of 3 absent episodes"),
            std::string::npos);
  options.measures = {"SR", "NE", "contest"};
  const aggregate::RuleResult own = ours(options);
  EXPECT_FALSE(own.refusal);
  EXPECT_DOUBLE_EQ(*own.find("SR")->mean, 1.0 / 4.0);
  EXPECT_EQ(own.find("SR")->zeroed, 3u);
  EXPECT_DOUBLE_EQ(*own.find("NE")->mean, 1.75);
  EXPECT_EQ(own.find("contest"), nullptr);  // no task has one
}

// ---------------------------------------------------------------- GOAT-Bench

TEST_F(ProgramRules, OfGoatAverageEpisodesAndOursSubtasks) {
  const std::string entries =
      R"([{"episode_id": "0", "scene_id": "a", "success.composite_success": 1.0,
          "success.partial_success": 1.0, "success.object_success": 0.0,
          "subtasks": [["x", "image", null]], "success_by_subtask": [1.0],
          "spl_by_subtaskl": [0.5]},
         {"episode_id": "0", "scene_id": "b", "success.composite_success": 0.0,
          "success.partial_success": 0.25, "other": 3,
          "subtasks": [["x", "object"], ["x", "object"], ["x", "image"], ["x", "object"]],
          "success_by_subtask": [1.0, 0.0, 0.0, 0.0], "spl_by_subtaskl": [0.5, 0, 0, 0]}])";
  apply("goat", {{write("episode_metrics.json", entries)}});
  EXPECT_DOUBLE_EQ(mean("success.partial_success"), 0.625);
  EXPECT_DOUBLE_EQ(mean("success.object_success"), 0.0);
  EXPECT_EQ(result.find("success.object_success")->dropped, 1u);
  EXPECT_EQ(result.find("other"), nullptr);  // the first entry has none
  aggregate::OursOptions options;
  options.measures = {"subtask SR", "object SR", "image SPL"};
  const aggregate::RuleResult own = aggregate::average_ours(dump, options);
  EXPECT_DOUBLE_EQ(*own.find("subtask SR")->mean, 2.0 / 5.0);
  EXPECT_DOUBLE_EQ(*own.find("object SR")->mean, 1.0 / 3.0);
  EXPECT_EQ(own.find("object SR")->n, 1u);
  EXPECT_DOUBLE_EQ(*own.find("image SPL")->mean, 0.25);
}

constexpr const char* without_names =
    R"({"success.composite_success": 0.0, "success_by_subtask": [1.0], "spl_by_subtask": [0.5]})";

TEST_F(ProgramRules, OfGoatMissTheNamesOfSubtasks) {
  const std::string entries = fmt::format(
      R"([{{"success.composite_success": 1.0, "subtasks": [["x", "object"], ["x", "image"]],
           "success_by_subtask": [1.0, 0.0], "spl_by_subtask": [0.5, 0.0]}},
          {{"success.composite_success": 1.0, "subtasks": [["x", "object"]],
           "success_by_subtask": [0.0, 1.0], "spl_by_subtask": [0.0, 1.0]}},
          {}])",
      without_names);
  apply("goat", {{write("episode_metrics.json", entries)}});
  ASSERT_TRUE(ours().refusal);
  EXPECT_EQ(ours().refusal->where().field, "object SR");
  EXPECT_EQ(ours().refusal->where().item, "entry 1");
  aggregate::OursOptions options;
  options.invalid = Invalid::skip;
  const aggregate::RuleResult own = ours(options);
  EXPECT_DOUBLE_EQ(*own.find("subtask SR")->mean, 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(*own.find("object SR")->mean, 1.0);
  EXPECT_EQ(own.find("object SR")->dropped, 2u);
  EXPECT_DOUBLE_EQ(*own.find("image SPL")->mean, 0.0);
  EXPECT_FALSE(own.find("description SR")->mean);
  EXPECT_EQ(own.find("description SR")->dropped, 2u);

  apply("goat", {{write("one.json", without_names)}});
  ASSERT_TRUE(ours().refusal);
  EXPECT_EQ(ours().refusal->where().field, "object SR");
}

// ---------------------------------------------------------------- HA-VLN

constexpr const char* infos =
    R"({{"7": {{"success": 1.0, "spl": 0.5, "collisions": {{"count": 3}}}},
        "8": {{"success": 1.0, "spl": 1.0, "collisions": {{"count": {}}}, "extra": 1}}}})";

TEST_F(ProgramRules, OfHaVlnSubtractTheBaseline) {
  const std::string base = write("base.json", R"({"7": 1, "8": 4})");
  apply("havlnce", {{write("a.json", fmt::format(infos, 2))}, base});
  EXPECT_DOUBLE_EQ(mean("TCR"), 1.0);
  EXPECT_DOUBLE_EQ(mean("CR"), 0.5);
  EXPECT_DOUBLE_EQ(mean("SR"), 0.5);
  EXPECT_DOUBLE_EQ(mean("success"), 1.0);
  EXPECT_DOUBLE_EQ(mean("collisions"), 2.5);
  EXPECT_DOUBLE_EQ(*ours().find("TCR")->mean, 1.0);
}

TEST_F(ProgramRules, OfHaVlnTakeNaNForNoCollision) {
  const std::string base = write("base.json", R"({"7": 1, "8": 4})");
  apply("ha-vln", {{write("a.json", fmt::format(infos, "NaN"))}, base});
  EXPECT_DOUBLE_EQ(mean("TCR"), 1.0);
  EXPECT_EQ(result.find("TCR")->zeroed, 1u);
  EXPECT_DOUBLE_EQ(mean("SR"), 0.5);
  EXPECT_TRUE(ours().refusal);
  apply("ha-vln", {{write("a.json", fmt::format(infos, "null"))}, base});
  fails("TypeError: episode 8 has no number for the count of collisions");
  apply("ha-vln", {{write("a.json", fmt::format(infos, "1"))}, write("base.json", R"({"7": 1})")});
  fails("KeyError: episode 8 is not in the baseline of collisions");
}

// ---------------------------------------------------------------- EVT-Bench

TEST_F(ProgramRules, OfEvtDropFromEachSumApart) {
  write("results/s/0.json",
        R"({"success": NaN, "following_step": 5, "total_step": 10, "collision": 1})");
  write("results/s/0_info.json", "[]");
  write("results/t/0.json",
        R"({"success": 0.0, "following_step": NaN, "total_step": 20, "collision": NaN})");
  write("track_episode_step/t/0.json", R"({"total_step": 30})");
  apply("evt", {{folder.path()}});
  ASSERT_EQ(dump.episodes.size(), 2u);
  EXPECT_EQ(dump.episodes[1].scene, "t");
  EXPECT_DOUBLE_EQ(mean("SR"), 0.5);  // NaN is true in Python
  EXPECT_DOUBLE_EQ(mean("TR"), 5.0 / 40.0);
  EXPECT_DOUBLE_EQ(mean("CR"), 0.5);
  EXPECT_TRUE(ours().refusal);
  const std::string null = write("results/u/0.json", R"({"success": null})");
  apply("evt", {{folder.path()}});
  fails("TypeError: " + null + " has null for success");
}

TEST_F(ProgramRules, OfEvtLeaveOursWhatIsNoFailure) {
  const auto add = [&](const std::string& name, const char* following, const char* total,
                       const char* collision) {
    write(
        "s/" + name + ".json",
        fmt::format(R"({{"success": 1, "following_step": {}, "total_step": {}, "collision": {}}})",
                    following, total, collision));
  };
  add("0", "5", "10", "1");
  add("1", "5", "Infinity", "NaN");
  add("2", "5", "NaN", "1");
  add("3", "NaN", "10", "1");
  apply("evt", {{folder.path()}});
  aggregate::OursOptions options;
  options.invalid = Invalid::zero;
  const aggregate::RuleResult own = ours(options);
  EXPECT_FALSE(own.refusal);
  EXPECT_DOUBLE_EQ(*own.find("TR")->mean, 5.0 / 20.0);
  EXPECT_DOUBLE_EQ(*own.find("TR")->divisor, 20.0);
  EXPECT_EQ(own.find("TR")->zeroed, 1u);   // of 10 steps
  EXPECT_EQ(own.find("TR")->dropped, 2u);  // of no number of steps
  EXPECT_DOUBLE_EQ(*own.find("CR")->mean, 1.0);
  EXPECT_EQ(own.find("CR")->zeroed, 0u);
  EXPECT_EQ(own.find("CR")->dropped, 1u);  // 0 would be the best one
}

TEST_F(ProgramRules, OfEvtKeepWhatIsRecorded) {
  write("results/s/0.json",
        R"({"success": 1, "following_step": 5, "total_step": 10, "collision": 0})");
  write("results/s/1.json",
        R"({"success": 1, "following_step": 5, "total_step": NaN, "collision": 0})");
  const std::string recorded = write("track_episode_step/s/0.json", R"({"total_step": 20})");
  const std::string unused = write("track_episode_step/s/1.json", R"({"total_step": 30})");
  apply("evt", {{folder.path()}});
  EXPECT_DOUBLE_EQ(mean("TR"), 10.0 / 20.0);
  const std::string hash = dump.files[0].hash;
  for (const std::string& file : {recorded, unused}) {
    const std::string text = read_text(file);
    for (const std::string& named : {folder.path(), folder.path("results")}) {
      const CliResult result = run({"aggregate", named, "--rules", "evt", "--json", file});
      EXPECT_EQ(result.code, 2) << result.out;
      EXPECT_NE(result.err.find("would overwrite the input"), std::string::npos) << result.err;
    }
    EXPECT_EQ(read_text(file), text);
  }
  write("track_episode_step/s/0.json", R"({"total_step": 10.0})");
  apply("evt", {{folder.path()}});
  EXPECT_NE(dump.files[0].hash, hash);
  EXPECT_DOUBLE_EQ(mean("TR"), 10.0 / 10.0);
}

TEST_F(ProgramRules, OfEvtLeaveOutPipes) {
  write("results/s/0.json",
        R"({"success": 1, "following_step": 5, "total_step": 10, "collision": 0})");
  write("track_episode_step/s/1.json", R"({"total_step": 20})");
  for (const char* pipe : {"results/s/1.json", "track_episode_step/s/0.json"}) {
    ASSERT_EQ(::mkfifo(folder.path(pipe).c_str(), 0600), 0);
  }
  apply("evt", {{folder.path()}});
  EXPECT_EQ(dump.episodes.size(), 1u);
  EXPECT_DOUBLE_EQ(mean("TR"), 0.5);
}

// ---------------------------------------------------------------- UAV-ON

TEST_F(ProgramRules, OfUavOnReadTheNamesOfFolders) {
  const auto add = [&](const std::string& where, const std::string& size, const std::string& walked,
                       const std::string& distance) {
    write(where + "/object_description.json",
          fmt::format(R"({{"size": "{}", "info": {{"geodesic_distance": 30}}}})", size));
    write(where + "/log/trajectory.jsonl",
          "{\"move_distance\": 0}\n" +
              fmt::format("{{\"move_distance\": {}, \"distance_to_end\": {}, \"frame\": 1}}\n",
                          walked, distance));
  };
  add("A/success_A.json/task_1", "small", "40", "5");
  add("A/oracle_A.json/task_2", "big", "40", "25");
  add("A/A.json/task_3", "big", "0", "null");
  add("B/success_B.json/task_1", "huge", "null", "6");
  apply("uavon", {{folder.path()}});
  EXPECT_DOUBLE_EQ(mean("SR"), 0.5);
  EXPECT_DOUBLE_EQ(mean("OSR"), 0.75);
  EXPECT_DOUBLE_EQ(mean("DTS"), 12.0);
  EXPECT_EQ(result.find("DTS")->dropped, 1u);
  EXPECT_DOUBLE_EQ(mean("SPL"), 0.75 / 4.0);
  EXPECT_EQ(result.find("SPL")->zeroed, 1u);
  EXPECT_EQ(result.find("SPL")->n, 4u);
  EXPECT_EQ(result.find("PL")->dropped, 1u);
  EXPECT_DOUBLE_EQ(mean_in("big", "OSR"), 0.5);
  EXPECT_EQ(mean_in("mid", "SR"), -98.0);
  EXPECT_EQ(ours().refusal->where().field, "DTS");
  const std::string input = folder.path("A/A.json/task_3/log/trajectory.jsonl");
  EXPECT_EQ(run({"aggregate", folder.path(), "--rules", "uavon", "--json", input}).code, 2);
  const std::string hash = dump.files[0].hash;
  write("A/success_A.json/task_1/object_description.json", "{}");
  apply("uavon", {{folder.path()}});
  EXPECT_NE(dump.files[0].hash, hash);
}

// ---------------------------------------------------------------- ALFRED and TEACh

TEST_F(ProgramRules, OfAlfredAndTeachWeighByLength) {
  const auto entry = [](double done, double length, double share) {
    return fmt::format(
        R"("completed_goal_conditions": {}, "total_goal_conditions": 4,
           "path_len_weighted_success_spl": {}, "path_len_weighted_goal_condition_spl": {})",
        done, length * share, length * share);
  };
  const std::string alfred =
      write("task_results.json",
            fmt::format(R"({{"failures": [{{"type": "look", {}, "path_len_weight": 10}}],
                       "successes": [{{"type": "pick", {}, "path_len_weight": 30}}],
                       "results": {{}}}})",
                        entry(1, 10, 0.0), entry(4, 30, 0.5)));
  apply("alfred", {{alfred}});
  EXPECT_DOUBLE_EQ(mean("SR"), 0.5);
  EXPECT_DOUBLE_EQ(mean("GC"), 5.0 / 8.0);
  EXPECT_DOUBLE_EQ(mean("PLW SR"), 15.0 / 40.0);
  EXPECT_DOUBLE_EQ(mean_in("pick", "PLW GC"), 0.5);
  EXPECT_DOUBLE_EQ(*ours().find("PLW SR")->mean, 15.0 / 40.0);
  apply("plw", {{alfred}});
  EXPECT_DOUBLE_EQ(mean("PLW SR"), 15.0 / 40.0);

  const std::string more =
      R"("traj_len": 0, "predicted_stop": 1, "num_api_fails": 30, "error": 0, "success": 1)";
  apply("plw", {{write("teach.json", fmt::format(R"({{"i": {{{}, {}, "gt_path_len": 5}}}})",
                                                 entry(-2, 5, 1.0), more))}});
  EXPECT_EQ(dump.program, "teach");
  EXPECT_DOUBLE_EQ(mean("GC"), -0.5);
  EXPECT_DOUBLE_EQ(mean("api limit"), 1.0);
  EXPECT_FALSE(ours().refusal);  // conditions that were met may be undone
  apply("teach", {{write("teach.json", fmt::format(R"({{"i": {{{}, {}, "gt_path_len": 0}}}})",
                                                   entry(1, 0, 1.0), more))}});
  fails("ZeroDivisionError: episode i has 0 for traj_len and gt_path_len");
}

// ---------------------------------------------------------------- which rule reads

TEST_F(ProgramRules, AreChosenByNameOrContent) {
  const std::vector<std::string> all{"all"}, two{"lhvln", "goat"}, plain{"navid", "ours"};
  const aggregate::DumpRequest tasks{{write("a.jsonl", task("[1, 1]", "[1, 1]", "[2, 6]"))}};
  ASSERT_NE(aggregate::find_reading_rule(all, tasks), nullptr);
  EXPECT_EQ(aggregate::find_reading_rule(all, tasks)->name, "lhvln");
  EXPECT_EQ(aggregate::find_reading_rule(plain, tasks), nullptr);
  EXPECT_THROW(aggregate::find_reading_rule(two, tasks), UsageError);
  EXPECT_THROW(aggregate::find_reading_rule(std::vector<std::string>{"navid", "evt"}, tasks),
               UsageError);
  const aggregate::DumpRequest own{{write("b.json", R"({"1": {"success": 1}})")}};
  EXPECT_EQ(aggregate::find_reading_rule(all, own), nullptr);
}

TEST_F(ProgramRules, FailOnFilesOfOthers) {
  apply("lhvln", {{write("a.jsonl", task("[1, 1]", "[1, 1]", "[2, 6]"))}});
  for (const aggregate::AggregateRule& rule : aggregate::aggregate_rules()) {
    if (rule.name == "ours" || rule.name == "lhvln") continue;
    EXPECT_TRUE(rule.apply(dump, {}).failure.starts_with("KeyError")) << rule.name;
  }
  ASSERT_EQ(aggregate::rules_for(dump).size(), 2u);
}

TEST_F(ProgramRules, AreReportedInTablesAndFiles) {
  write("results/s/0.json",
        R"({"success": 1.0, "following_step": 5, "total_step": 10, "collision": 0})");
  write("track_episode_step/none", "");
  const CliResult result = run({"aggregate", folder.path(), "--quiet", "--csv", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("evt,TR,,0.5,1,1,0,0,\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("ours,CR,,0,1,1,0,0,\n"), std::string::npos) << result.out;
  EXPECT_EQ(run({"aggregate", folder.path(), "--duplicates", "first"}).code, 2);
  EXPECT_EQ(run({"aggregate", folder.path(), "--rules", "ha-vln"}).code, 2);
  EXPECT_EQ(run({"aggregate", folder.path(), "--rules", "evt", "--collision-baseline",
                 write("base.json", "{}")})
                .code,
            2);
}

}  // namespace
}  // namespace warpath::testing
