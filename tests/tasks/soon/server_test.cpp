// Tests that validate judges SOON's submissions by the rules of the challenge's script.

#include "host/tasks/soon/server.hpp"

#include "tests/support/submissions.hpp"

namespace warpath {
namespace {

using testing::CliResult;

class ValidateSoon : public testing::SubmissionTest {
 protected:
  ValidateSoon() {
    server = &soon::soon_server;
    use_annotation("7");
  }

  void use_annotation(const std::string& id) {
    const std::string corner = R"({"heading": 0.5, "elevation": 0.25})";
    dataset = folder.write(
        "dataset.json",
        fmt::format(
            R"([{{"instr_id": {0}, "scan": "house", "path": [["a", "b", "c"], ["e", "d", "c"]],
            "bboxes": [{{"image_id": "c", "target": {{"left_top": {1}, "right_top": {1},
            "right_bottom": {1}, "left_bottom": {1}, "center": {1}}}}}], "instructions": [""]}}])",
            id, corner));
  }

  // Writes a submission that is valid except for this trajectory.
  std::string write_with(const std::string& trajectory, const std::string& id = "7") {
    return write_trajectories(fmt::format("[{}, {}]", second, trajectory), id);
  }
  std::string write_trajectories(const std::string& list, const std::string& id = "7") {
    return write_entries({fmt::format(R"({{"instr_id": {}, "trajectory": {}}})", id, list)});
  }
  // Returns a trajectory on this path with a good direction.
  static std::string on(const std::string& path) {
    return fmt::format(R"({{"path": {}, "obj_heading": [0.5], "obj_elevation": [0.5]}})", path);
  }

  const std::string first = on(R"([["a", 0, 0], ["b", 0, 0], ["c", 0, 0]])");
  const std::string second = on(R"([["e", 0, 0], ["d", 0, 0], ["c", 0, 0]])");
};

TEST_F(ValidateSoon, AcceptsAValidSubmission) {
  const std::string file = write_with(first);
  const CliResult result = validate(file);
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  expect_in(result.out, "SOON-EvalAI-Starters");
  expect_in(result.out, "SOON submission, 2 predictions");
  expect_in(result.out, verdict(file, submission::Outcome::harmless));
}

TEST_F(ValidateSoon, AcceptsJumpsOtherOrdersAndPlainNumbers) {
  EXPECT_EQ(validate(write_with(on(R"([["a", 0, 0], ["c", 0, 0]])"))).code, 0);
  EXPECT_EQ(validate(write_trajectories(fmt::format("[{}, {}]", second, first))).code, 0);
  const std::string plain =
      R"({"path": [["a", 0, 0], ["c", 0, 0]], "obj_heading": 0.5, "obj_elevation": 0.25})";
  EXPECT_EQ(validate(write_with(plain)).code, 0);
}

TEST_F(ValidateSoon, ReportsWhatIsWrongWithATrajectory) {
  const std::string good_path = R"([["a", 0, 0], ["c", 0, 0]])";
  const auto with = [&](const std::string& more) {
    return fmt::format(R"({{"path": {}, {}}})", good_path, more);
  };
  const std::vector<std::tuple<std::string, submission::Problem, std::string>> rows{
      {with(R"("obj_heading": [0.5])"), submission::Problem::direction,
       "7, trajectory 1: found path"},
      {fmt::format(R"({{"path": {}}})", good_path), submission::Problem::direction,
       "7, trajectory 1: found"},
      {with(R"("obj_heading": [0.5, 0.6], "obj_elevation": [0.5])"), submission::Problem::direction,
       "7, trajectory 1\n"},
      {with(R"("obj_heading": null, "obj_elevation": [0.5])"), submission::Problem::direction,
       "7, "},
      {with(R"("obj_heading": ["x"], "obj_elevation": [0.5])"), submission::Problem::direction,
       "7, "},
      {with(R"("obj_heading": [6.2], "obj_elevation": [-0.25])"), submission::Problem::angle_unit,
       "7, trajectory 1: obj_elevation is -0.25"},
      {with(R"("obj_heading": [NaN], "obj_elevation": [0.5])"), submission::Problem::not_finite,
       "7, "},
      {on(R"([["a", NaN, 0], ["c", 0, 0]])"), submission::Problem::not_finite, "7, trajectory 1"},
      {on("null"), submission::Problem::malformed, "7, trajectory 1: the trajectory is"},
      {on(R"([["a"], 3])"), submission::Problem::malformed,
       "7, trajectory 1: trajectory[1] is a number"},
      {on("[]"), submission::Problem::empty_path, "7, trajectory 1\n"},
      {on(R"(["a", "c"])"), submission::Problem::plain,
       "7, trajectory 1: trajectory[0] is a string"},
      {on(R"([["a"], ["b", "c"]])"), submission::Problem::nested,
       "7, trajectory 1: trajectory[1] names 2"},
      {on(R"([{"viewpoint": "a"}, ["c"]])"), submission::Problem::objects,
       "7, trajectory 1: trajectory[0] is an object"},
      {on(R"([["b"], ["c"]])"), submission::Problem::wrong_start,
       "7, trajectory 1: it begins at b"},
      {on(R"([["a"], ["x"]])"), submission::Problem::unknown_viewpoint, "7_0: trajectory[1], x"},
      {on(R"([["a"], ["f"]])"), submission::Problem::unreachable, "7_0: trajectory[1], f"},
  };
  for (const auto& [trajectory, problem, example] : rows) {
    SCOPED_TRACE(trajectory);
    expect(write_with(trajectory), problem, 1, example);
  }
}

TEST_F(ValidateSoon, ReportsWhatIsWrongWithAnEntry) {
  const std::string both = fmt::format("[{}, {}]", first, second);
  expect(write_with(first, "\"7\""), submission::Problem::id_type, 1, "7: it is a string");
  expect_in(validate(write_trajectories(both, "\"4-0_0\"")).out, "unknown_id (1): ");
  expect_in(validate(write_trajectories(both, "\"7_0\"")).out, "unknown_id (1): ");
  const CliResult single = validate(write_trajectories(first));  // as VLN-DUET writes it
  expect_in(single.out, "no_list (1): ");
  expect_in(single.out, "starts (1): ");
  expect(write_trajectories(fmt::format("[{}]", first)), submission::Problem::starts, 1, "7_1\n");
  expect_in(validate(write_trajectories(both, "8")).out,
            "missing (1): an instruction has no "
            "trajectory\n    7\n");
  expect(write_trajectories(fmt::format("[{}, {}, {}]", first, second, first)),
         submission::Problem::duplicate_id, 1, "7_0\n");
  expect_in(validate(write_trajectories(R"([["a", 0, 0], ["b", 0, 0], ["c", 0, 0]])")).out,
            "objects (1): ");
  expect_in(validate(write_entries({fmt::format(R"({{"instr_id": 7, "path": {}}})", both)})).out,
            "path_key (1): ");
  const std::string keyed =
      write_entries({fmt::format(R"({{"inst_idx": 7, "trajectory": {}}})", both)});
  expect(keyed, submission::Problem::id_key, 1, "7: its key is inst_idx");
}

TEST_F(ValidateSoon, ReportsAWrongContainer) {
  const std::string line =
      fmt::format(R"({{"instr_id": 7, "trajectory": [{}, {}]}})", first, second);
  const std::string other = R"({"instr_id": 8, "trajectory": []})";
  const CliResult lines = validate(folder.write("agent.jsonl", line + "\n" + other + "\n"));
  EXPECT_EQ(lines.code, 1);
  expect_in(lines.out, "container (1): ");
  expect_in(lines.out, "it is JSON Lines");
  expect_in(lines.out, "unknown_id (1): the annotation has no such id\n    8\n");
}

TEST_F(ValidateSoon, TakesTheAnnotationsKindOfId) {
  use_annotation("\"7\"");
  EXPECT_EQ(validate(write_with(first, "\"7\"")).code, 0);
  expect(write_with(first), submission::Problem::id_type, 1, "7: it is an integer");
}

TEST_F(ValidateSoon, RepairsNothing) {
  const CliResult result = validate(write_with(first), {"--fix", folder.path("fixed.json")});
  EXPECT_EQ(result.code, 2);
  expect_in(result.err, "not of SOON");
}

TEST(ValidateSoonData, AcceptsTheAgents) {
  const std::string data = testing::data_folder();
  if (data.empty()) GTEST_SKIP() << "no folder of real data; set WARPATH_DATA";
  const std::string targets = data + "/targets/";
  for (const char* agent : {"center", "edge", "noisy", "other_view", "over_short", "walk"}) {
    const CliResult result =
        testing::run({"validate", "--graphs", data + "/connectivity", "--dataset",
                      targets + "SOON_made_val_seen.json.gz",
                      fmt::format("{}agents/SOON_val_seen_{}.json.gz", targets, agent)});
    EXPECT_EQ(result.code, 0) << agent << result.out << result.err;
  }
}

}  // namespace
}  // namespace warpath
