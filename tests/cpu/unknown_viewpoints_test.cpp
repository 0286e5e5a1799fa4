// Tests that the CPU back end refuses a viewpoint that is none of its scan's, wherever it lies: the
// check is a part of laying out the pairs.

#include <gtest/gtest.h>

#include <string>

#include "host/core/cpu/backend.hpp"
#include "host/core/cpu/cpu_kernels.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/pair_cases.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

// Returns the message with which the batch is refused, or "".
std::string refusal(const PairBatch& batch, const cpu::CpuKernels& kernels) {
  return error_of_call([&] { cpu::score(batch, {}, {.kernels = &kernels}); });
}

// Puts viewpoints that are not there at random places, one at a time.
void expect_refusals(PairBatch batch, std::mt19937_64& random) {
  const auto below = [&](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  for (int k = 0; k < 40; ++k) {
    const Pair& pair = batch.pairs[below(batch.pairs.size())];
    PathSet& paths = k % 2 == 0 ? batch.references : batch.queries;
    const std::uint32_t path = k % 2 == 0 ? pair.reference : pair.query;
    Node& node = paths.elements[paths.offsets[path] + below(paths.size_of(path))];
    const auto viewpoints = static_cast<Node>(batch.scans[pair.scan]->size());
    const Node unknown[] = {viewpoints, viewpoints + 1, 0x10000,
                            0x7fffffff, 0x80000000,     0xffffffff};
    const Node was = node;
    for (const cpu::CpuKernels* kernels : cpu::usable_kernels()) {
      node = unknown[below(std::size(unknown))];
      const std::string message = refusal(batch, *kernels);
      EXPECT_NE(message.find(" names viewpoint " + std::to_string(node) + ","), std::string::npos)
          << kernels->name << ": " << message;
      node = was;
      ASSERT_EQ(refusal(batch, *kernels), "") << kernels->name;
    }
  }
}

class UnknownViewpoints : public ::testing::Test {
 protected:
  std::mt19937_64 random{run_seed() + 15};
  RandomBatch made{random(), 1};
};

TEST_F(UnknownViewpoints, AreRefusedInShortPaths) {
  made.add_pairs(70, 8, 8);
  expect_refusals(made.batch(), random);
}

TEST_F(UnknownViewpoints, AreRefusedInPathsOfAllLengths) {
  made.add_pairs(70, 40, 60);
  expect_refusals(made.batch(), random);
}

TEST_F(UnknownViewpoints, AreRefusedInPairsWithAReferenceInCommon) {
  made.add_pairs(120, 12, 20, 60);
  expect_refusals(made.batch(), random);
}

TEST_F(UnknownViewpoints, AreRefusedInPairsScoredAlone) {
  made.add_pair(0, made.walk(0, 0, 200), made.walk(0, 0, 150));
  made.add_pair(0, made.walk(0, 0, 3), made.walk(0, 0, 4));
  expect_refusals(made.batch(), random);
}

}  // namespace
}  // namespace warpath::testing
