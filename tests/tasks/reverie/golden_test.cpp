// Compares the scores of a small made-up REVERIE set with those of a plain Python transcription of
// the evaluators. target_golden_test.cpp has the real data.

#include "tests/support/golden.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host/files/formats/json_file.hpp"

namespace warpath::testing {
namespace {

std::string reverie(const std::string& file) {
  return source("tests/golden/targets/reverie/" + file);
}

// Writes VLN-DUET's one file of boxes as the repository's BBox files, every other one gzipped.
std::string write_bbox_folder(const TemporaryFolder& folder) {
  const formats::JsonFile boxes(reverie("boxes.json"));
  bool is_packed = false;
  for (const auto field : json::Object(boxes.root())) {
    const std::string name(field.key);
    const std::string text =
        fmt::format("{{\"{}\":{}}}", name.substr(name.rfind('_') + 1), json::minify(field.value));
    folder.write("BBox/" + name + (is_packed ? ".json.gz" : ".json"),
                 is_packed ? gzip(text) : text);
    is_packed = !is_packed;
  }
  return folder.path("BBox");
}

class ReverieGolden : public ::testing::TestWithParam<std::string> {
 protected:
  // Compares one file of predictions, read with one form of boxes.
  void compare(const std::string& predictions, const std::string& boxes,
               const std::string& backend) {
    const auto golden = read_csv(reverie(GetParam() + ".csv"));
    const auto ours =
        eval_rows(folder_, {"--graphs", source("tests/golden/connectivity"), "--dataset",
                            reverie("dataset.json"), "--objects", boxes, "--backend", backend,
                            "--preset", GetParam(), reverie(predictions)});
    ASSERT_EQ(ours.size(), golden.size());
    for (std::size_t i = 0; i < golden.size(); ++i) {
      const std::string& id = golden[i].at("instr_id");
      ASSERT_EQ(ours[i].at("instr_id"), id);
      if (GetParam() == "reverie") {
        EXPECT_EQ(ours[i].at("status"), golden[i].at("status")) << id;
      }
      for (const Metric m : {Metric::PL, Metric::SP, Metric::SR, Metric::OSR, Metric::SPL,
                             Metric::RGS, Metric::RGSPL}) {
        const std::string name(info(m).name);
        EXPECT_TRUE(agrees(golden[i].at(name), ours[i].at(name), m, backend, 40.0))
            << predictions << " " << backend << " " << id << " " << name << ": golden "
            << golden[i].at(name) << ", ours " << ours[i].at(name);
      }
    }
  }

  TemporaryFolder folder_;
};

TEST_P(ReverieGolden, EqualsThePythonTranscription) {
  const std::string bbox = write_bbox_folder(folder_);
  for (const std::string backend : {"reference", "cpu"}) {
    for (const std::string predictions : {"predictions.json", "nested.json"}) {
      compare(predictions, reverie("boxes.json"), backend);
      compare(predictions, bbox, backend);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, ReverieGolden,
                         ::testing::Values("reverie", "duet-reverie", "scalevln-reverie"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace warpath::testing
