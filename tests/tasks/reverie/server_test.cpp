// Tests that validate judges REVERIE's submissions by the rules of REVERIE's own evaluator.

#include "tests/support/submissions.hpp"

namespace warpath {
namespace {

using testing::CliResult;

class ValidateReverie : public testing::SubmissionTest {
 protected:
  ValidateReverie() {
    dataset = folder.write("dataset.json", R"([{"id": "1_66", "path_id": 1, "objId": 66,
        "scan": "house", "path": ["a", "b", "c"], "instructions": ["", "", "", ""]}])");
  }

  // Returns an entry with one more key and value.
  static std::string entry_with(int instruction, const std::string& trajectory,
                                const std::string& object) {
    return fmt::format(R"({{"instr_id": "1_66_{}", "trajectory": {}{}}})", instruction, trajectory,
                       object);
  }
  // Writes a submission that is valid except for the first entry.
  std::string write_with(const std::string& first) {
    std::vector<std::string> entries{first};
    for (int k = 1; k < 4; ++k) entries.push_back(entry_with(k, good, R"(, "predObjId": 66)"));
    return write_entries(entries);
  }
};

TEST_F(ValidateReverie, AcceptsAValidSubmission) {
  const std::string file = write_with(entry_with(0, good, R"(, "predObjId": -1)"));
  const CliResult result = validate(file);
  EXPECT_EQ(result.code, 0) << result.out;
  expect_in(result.out, "REVERIE's eval_release.py");
  expect_in(result.out, verdict(file, submission::Outcome::harmless));
}

TEST_F(ValidateReverie, AcceptsAJumpAndDoesNotFillIt) {
  const std::string jump = R"([["a", 0, 0], ["c", 0, 0]])";
  const std::string file = write_with(entry_with(0, jump, R"(, "predObjId": 5)"));
  EXPECT_EQ(validate(file).code, 0);
  EXPECT_EQ(fixed(file).find(R"(["b", 0, 0])"), std::string::npos);
}

TEST_F(ValidateReverie, WantsEveryInstruction) {
  expect(write_entries({entry_with(0, good, R"(, "predObjId": 66)")}), submission::Problem::missing,
         3, "1_66_1");
}

TEST_F(ValidateReverie, ReportsAnEntryWithoutAnObject) {
  const std::string file = write_with(entry_with(0, good, ""));
  expect(file, submission::Problem::object_key, 1, "1_66_0");
  fixed(file, 1);  // which object it found nobody knows
}

TEST_F(ValidateReverie, ReportsAndRenamesTheKeyOfDuet) {
  const std::string file = write_with(entry_with(0, good, R"(, "pred_objid": "66")"));
  expect(file, submission::Problem::object_key, 1, "1_66_0: its key is pred_objid");
  const std::string text = fixed(file);
  expect_in(text, R"("predObjId": "66")");
  EXPECT_EQ(text.find("pred_objid"), std::string::npos) << text;
}

TEST_F(ValidateReverie, KeepsBothKeysWhereTheServersOwnIsThere) {
  const std::string file =
      write_with(entry_with(0, good, R"(, "pred_objid": "5", "predObjId": 66)"));
  EXPECT_EQ(validate(file).code, 0);
  expect_in(fixed(file), R"("pred_objid": "5", "predObjId": 66)");
}

TEST_F(ValidateReverie, R2rDoesNotAskForObjects) {
  use_reference(R"(["a", "b", "c"])");
  const std::string file = write_first(good);
  EXPECT_EQ(validate(file).code, 0);
  EXPECT_EQ(
      fixed_entry(fmt::format(R"({{"instr_id": "1_0", "trajectory": {}, "pred_objid": 5}})", good)),
      fmt::format(R"({{"instr_id": "1_0", "trajectory": {}, "pred_objid": 5}})", good));
}

}  // namespace
}  // namespace warpath
