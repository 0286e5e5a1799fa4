// Tests evaluations of graphs and texts in memory: the same results as those of files, and errors
// that name them as files.

#include <gtest/gtest.h>

#include <atomic>

#include "tests/support/errors.hpp"
#include "tests/support/good_files.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"
#include "warpath/evaluate.hpp"
#include "warpath/r4r.hpp"
#include "warpath/random_baseline.hpp"

namespace warpath::testing {
namespace {

class MemoryInputs : public ::testing::Test {
 protected:
  EvalFiles on_disk() const {
    EvalFiles files;
    files.graphs = scene.graphs;
    files.dataset = scene.data;
    files.predictions = {scene.agent};
    return files;
  }

  EvalFiles in_memory() const {
    EvalFiles files;
    files.graph_store = store;
    files.dataset = "val_seen.json";
    files.predictions = {"agent"};
    files.texts = {{"val_seen.json", dataset}, {"agent", predictions_with(good)}};
    return files;
  }

  static std::string refusal_of(const EvalFiles& files) {
    return error_of_call<Error>([&] { Evaluator(files).evaluate({}); });
  }

  // The graph of the scene, with its positions.
  static std::shared_ptr<GraphStore> make_store() {
    auto made = std::make_shared<GraphStore>();
    made->add({.id = "s",
               .viewpoints = {"a", "b", "c", "x"},
               .positions = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {9, 0, 0}},
               .edges = {{0, 1}, {1, 2}}});
    return made;
  }

  const Scene scene{};
  const std::shared_ptr<GraphStore> store = make_store();
};

TEST_F(MemoryInputs, AreEvaluatedAsFilesAre) {
  Evaluator files(on_disk()), memory(in_memory());
  const auto want = files.evaluate({}), got = memory.evaluate({});
  ASSERT_EQ(got.size(), 1u);
  expect_same_scores(got[0].scores, want[0].scores, "memory");
  EXPECT_EQ(got[0].hash, want[0].hash);
  EXPECT_EQ(memory.description().dataset_hash, files.description().dataset_hash);
  EXPECT_EQ(memory.description().dataset_description, files.description().dataset_description);
  EXPECT_EQ(got[0].name, "agent");
  EXPECT_EQ(got[0].file, "agent");
  EXPECT_EQ(memory.files().graphs, "graphs in memory");
  EXPECT_EQ(memory.description().graphs_detection, "arrays, 1 scan");
  EXPECT_TRUE(memory.files().texts.empty());
}

TEST_F(MemoryInputs, GoWithFiles) {
  EvalFiles files = on_disk();
  files.predictions = {scene.agent, "again"};
  files.texts["again"] = predictions_with(good);
  const auto agents = Evaluator(files).evaluate({});
  ASSERT_EQ(agents.size(), 2u);
  expect_same_scores(agents[1].scores, agents[0].scores, "again");
  files.graphs.clear();
  files.graph_store = std::make_shared<GraphStore>(scene.graphs);
  Evaluator by_store(files);
  expect_same_scores(by_store.evaluate({})[0].scores, agents[0].scores, "store");
  EXPECT_EQ(by_store.files().graphs, scene.graphs);
}

TEST_F(MemoryInputs, ScoreOnReadyDistances) {
  const auto ready = std::make_shared<GraphStore>();
  ready->add({.id = "s", .viewpoints = {"a", "b", "c"}, .distances = {0, 1, 2, 1, 0, 1, 2, 1, 0}});
  EvalFiles files = in_memory();
  files.graph_store = ready;
  for (const Backend backend : {Backend::reference, Backend::cpu}) {
    const auto want = Evaluator(on_disk()).evaluate({}, {.backend = backend});
    const auto got = Evaluator(files).evaluate({}, {.backend = backend});
    expect_same_scores(got[0].scores, want[0].scores, "ready distances");
  }
  Evaluator evaluator(files);
  Convention hops;
  hops.distance = Distance::hops;
  EXPECT_THROW(evaluator.evaluate(hops), InputError);
}

TEST_F(MemoryInputs, AreNamedByErrorsAsFilesAre) {
  EvalFiles files = in_memory();
  files.texts["agent"] = R"([{"instr_id": 3)";
  EXPECT_EQ(refusal_of(files).find("agent: "), 0u) << refusal_of(files);
  files = in_memory();
  files.texts["val_seen.json"] = R"([{"path_id": 1, "scan": "other", "path": ["a", "b"]}])";
  EXPECT_EQ(refusal_of(files).find("val_seen.json: "), 0u) << refusal_of(files);
  files = in_memory();
  files.graph_store = std::make_shared<GraphStore>();
  EXPECT_EQ(refusal_of(files),
            "graphs in memory: 1 of the dataset's 1 scans has no graph: s; add them to the store");
  files = in_memory();
  files.graphs = scene.graphs;
  EXPECT_NE(refusal_of(files).find("given twice"), std::string::npos);
  files = in_memory();
  files.max_input_bytes = 100;
  EXPECT_NE(refusal_of(files).find("val_seen.json"), std::string::npos) << refusal_of(files);
}

TEST_F(MemoryInputs, AreWatchedWhileTheyAreScored) {
  Evaluator evaluator(in_memory());
  std::atomic<std::uint64_t> done = 0;
  EvalOptions options;
  options.watch = [&](std::uint64_t more) { done += more; };
  const auto agents = evaluator.evaluate({}, options);
  EXPECT_EQ(done, agents[0].scores.size());
  EXPECT_GT(done, 0u);
  struct Stop {};
  options.watch = [](std::uint64_t) { throw Stop(); };
  EXPECT_THROW(evaluator.evaluate({}, options), Stop);
  EXPECT_EQ(evaluator.evaluate({}).size(), 1u);
}

TEST_F(MemoryInputs, GiveRandomBaselinesAndR4r) {
  const RandomBaseline files({.graphs = scene.graphs, .dataset = scene.data}, 3);
  const RandomBaseline memory({.dataset = "set", .graph_store = store, .texts = {{"set", dataset}}},
                              3);
  EXPECT_EQ(memory.statistics({}, {.walks = 1000}).statistics,
            files.statistics({}, {.walks = 1000}).statistics);
  EXPECT_EQ(memory.files().graphs, "graphs in memory");
  EXPECT_TRUE(memory.files().texts.empty());
  R4rOptions options{.graphs = scene.graphs, .dataset = scene.data};
  const std::string want = make_r4r(options).json;
  options = {.dataset = "set", .graph_store = store, .texts = {{"set", dataset}}};
  EXPECT_EQ(make_r4r(options).json, want);
}

}  // namespace
}  // namespace warpath::testing
