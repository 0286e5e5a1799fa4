// Tests integers of more than 64 bits, which Python reads: they hurt only where somebody needs
// their value.

#include <gtest/gtest.h>
#include <simdjson.h>

#include "host/files/formats/json_error.hpp"
#include "host/files/formats/json_file.hpp"
#include "tests/support/files.hpp"
#include "tests/support/formats.hpp"
#include "tests/support/good_files.hpp"

namespace warpath::testing {
namespace {

constexpr const char* long_integers[] = {"12345678901234567890123", "-9223372036854775809",
                                         "18446744073709551616", "-99999999999999999999999999"};

formats::JsonFile file_of(const std::string& text) {
  const TemporaryFolder folder;
  return formats::JsonFile(folder.write("f.json", text));
}

TEST(LongIntegers, AreReadWithTheirDigits) {
  for (const std::string digits : long_integers) {
    const formats::JsonFile file = file_of("[" + digits + ", 1, {\"k\":" + digits + "}, NaN]");
    const json::Array list = formats::as_array(file.root(), {});
    EXPECT_EQ(formats::long_integer_in(list.at(0)), digits);
    EXPECT_FALSE(formats::is_not_finite(list.at(0)));
    EXPECT_FALSE(formats::object_in(list.at(0)));
    EXPECT_EQ(formats::long_integer_in(list.at(2)["k"]), digits);
    EXPECT_FALSE(formats::long_integer_in(list.at(1)));
    EXPECT_TRUE(formats::is_not_finite(list.at(3)));
  }
}

TEST(LongIntegers, DoNotHideOtherFaults) {
  for (const std::string text : {"[12345678901234567890123 1]", "[012345678901234567890123]", "[-]",
                                 "[12345678901234567890123"}) {
    const std::string error = error_of_call([&] { file_of(text); });
    EXPECT_NE(error.find("f.json: line 1, column"), std::string::npos) << error;
  }
}

TEST(LongIntegers, AreIgnoredWhereNobodyReadsThem) {
  const std::string more = ",\"hash\":12345678901234567890123,";
  Scene s;
  s.folder.write("dataset.json", replaced(dataset, ",\"scan\":\"s\",", more + "\"scan\":\"s\","));
  s.folder.write("agent.json",
                 replaced(predictions_with(good), ",\"trajectory\"", more + "\"trajectory\""));
  const Scene plain;
  const CliResult result = run(s.eval());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(run(plain.eval()).code, 0);
  EXPECT_EQ(read_text(s.folder.path("out.csv")), read_text(plain.folder.path("out.csv")));
}

TEST(LongIntegers, AreRefusedWithTheirPlaceWhereAValueIsNeeded) {
  Scene s;
  s.folder.write("dataset.json",
                 replaced(dataset, "\"path_id\":1", "\"path_id\":12345678901234567890123"));
  const CliResult result = run(s.eval());
  EXPECT_EQ(result.code, 1);
  for (const char* part : {"dataset.json: entry 0: path_id: should be an id",
                           "is an integer of more than 64 bits, 12345678901234567890123; "}) {
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  }
}

TEST(LongIntegers, OfSixtyFourBitsAreIds) {
  const formats::JsonFile file = file_of("[18446744073709551615, -9223372036854775808]");
  EXPECT_EQ(formats::id_text(formats::as_array(file.root(), {}).at(0), {}), "18446744073709551615");
  EXPECT_EQ(formats::id_text(formats::as_array(file.root(), {}).at(1), {}), "-9223372036854775808");
}

TEST(LongIntegers, KeepTheirDigitsInASubmission) {
  Scene s;
  s.folder.write("agent.json", replaced(predictions_with(good), ",\"trajectory\"",
                                        ",\"score\":-12345678901234567890123,\"trajectory\""));
  const CliResult result = run({"validate", "--graphs", s.graphs, "--dataset", s.data, s.agent,
                                "--fix", s.folder.path("fixed.json")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(read_text(s.folder.path("fixed.json")).find("\"score\": -12345678901234567890123,"),
            std::string::npos);
}

TEST(JsonErrors, OfTheMemoryAreNotOfTheFile) {
  EXPECT_THROW(formats::fail_json("[1]", {"f.json"}, simdjson::MEMALLOC), std::bad_alloc);
}

}  // namespace
}  // namespace warpath::testing
