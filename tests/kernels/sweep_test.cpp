// Compares every execution of the sweep with plain loops, bit for bit, and tests the fibers' checks
// with deliberate faults.

#include "kernels/sweep/sweep.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "tests/support/fiber_lanes.hpp"
#include "tests/support/pair_cases.hpp"

namespace warpath::testing {
namespace {

using namespace kernels;

constexpr float scale = -1.0f / 3.0f;

template <int K>
struct NodeRows {
  TableView table;
  std::span<const int> path;
  int row[K];

  void load(int first, int) {
    for (int i = 0; i < K; ++i) row[i] = first + i < 0 ? table.pad : path[first + i];
  }
  void column(int node, float (&d)[K]) const {
    for (int i = 0; i < K; ++i) d[i] = table.between(node, row[i]);
  }
  float between(int a, int b) const { return table.between(a, b); }
};

template <class L, int C>
struct NodeQuery {
  std::span<const int> path;

  int node(int t, int c) const {
    const int j = (t - L::rank()) * C + c, last = static_cast<int>(path.size()) - 1;
    return path[std::clamp(j, 0, last)];
  }
};

// Holds two rows of exactly |Q| entries, each allocated separately so that a sanitizer sees their
// ends. They start with values that no correct sweep ever reads.
class BorderMemory {
 public:
  explicit BorderMemory(std::size_t columns) : sides_{Side(columns), Side(columns)} {}

  template <bool Strips>
  Border<Strips> view() {
    return {sides_[0].template row<Strips>(), sides_[1].template row<Strips>()};
  }

 private:
  struct Side {
    std::vector<float> dtw, column;
    std::vector<std::uint32_t> carry;

    explicit Side(std::size_t n) : dtw(n, -7.0f), column(n, -7.0f), carry(n, edit_minus) {}
    template <bool Strips>
    BorderRow row() {
      return {dtw.data(), column.data(), carry.data()};
    }
  };
  Side sides_[2];
};

// Does what one lane does for its pair; the result is that of the last rank.
template <class L, int K, int C, unsigned Quantities, bool Edges, bool Strips>
void sweep_pair(const TableView& table, const PathPair& pair, Border<Strips> border,
                Measured& out) {
  using Lane =
      Sweep<L, K, C, Quantities, Edges, NodeRows<K>, const NodeQuery<L, C>, Border<Strips>>;
  NodeRows<K> rows{table, pair.reference, {}};
  const NodeQuery<L, C> query{pair.query};
  Lane sweep(rows, query, static_cast<int>(pair.reference.size()),
             static_cast<int>(pair.query.size()), scale, border);
  const SweepResult<L> s = sweep.run();
  if (L::rank() != L::W - 1) return;
  const auto total = [](const auto& sum) { return Measured::Total{sum.high, sum.low}; };
  out = {.dtw = s.dtw,
         .coverage = total(s.coverage),
         .deviation = total(s.deviation),
         .length = total(s.length),
         .max_deviation = s.max_deviation,
         .goal = s.goal,
         .nearest = s.nearest,
         .first = s.first,
         .edits = {}};
  out.edits[Edges] = s.edits;
}

struct Outcome {
  std::vector<Measured> measured;
  std::string fault;
};

// Describes one way to execute the sweep.
struct Execution {
  std::string name;
  unsigned want;
  bool edges;
  int longest;  ///< viewpoints of the longest reference that it takes
  Outcome (*run)(const PairCases&);
};

template <int K, int C, unsigned Quantities, bool Edges, bool Strips>
Outcome run_scalar(const PairCases& cases) {
  Outcome outcome{std::vector<Measured>(cases.pairs.size()), ""};
  for (std::size_t p = 0; p < cases.pairs.size(); ++p) {
    BorderMemory border(cases.pairs[p].query.size());
    sweep_pair<ScalarLanes, K, C, Quantities, Edges, Strips>(
        cases.view(), cases.pairs[p], border.view<Strips>(), outcome.measured[p]);
  }
  return outcome;
}

// Puts 32 / W pairs of different lengths into a warp, each with its own group.
template <class L, int K, int C, unsigned Quantities, bool Edges>
Outcome run_fibers(const PairCases& cases) {
  constexpr std::size_t groups = FiberWarp::max_lanes / L::W;
  const std::size_t pairs = cases.pairs.size();
  Outcome outcome{std::vector<Measured>(pairs), ""};
  FiberWarp warp(cases.seed);
  for (std::size_t p = 0; p < pairs; p += groups) {
    const std::size_t used = std::min(groups, pairs - p);
    std::vector<BorderMemory> borders;
    for (std::size_t g = 0; g < used; ++g) borders.emplace_back(cases.pairs[p + g].query.size());
    const std::string fault = warp.run(static_cast<int>(used) * L::W, [&](int lane) {
      const std::size_t g = lane / L::W;
      sweep_pair<L, K, C, Quantities, Edges, true>(
          cases.view(), cases.pairs[p + g], borders[g].view<true>(), outcome.measured[p + g]);
    });
    if (outcome.fault.empty()) outcome.fault = fault;
  }
  return outcome;
}

template <int K, int C, bool Edges, bool Strips, unsigned Quantities = quantity_all>
Execution scalar() {
  return {
      fmt::format("scalar K={} C={} edges={} strips={} want={}", K, C, Edges, Strips, Quantities),
      Quantities, Edges, Strips ? std::numeric_limits<int>::max() : K,
      run_scalar<K, C, Quantities, Edges, Strips>};
}

template <int W, int K, int C, bool Edges, unsigned Quantities = quantity_all>
Execution fibers() {
  return {fmt::format("fibers W={} K={} C={} edges={} want={}", W, K, C, Edges, Quantities),
          Quantities, Edges, std::numeric_limits<int>::max(),
          run_fibers<FiberLanes<W>, K, C, Quantities, Edges>};
}

template <bool Edges>
void add_scalars(std::vector<Execution>& all) {
  all.insert(all.end(), {scalar<1, 1, Edges, true>(), scalar<2, 2, Edges, true>(),
                         scalar<3, 1, Edges, true>(), scalar<5, 2, Edges, true>(),
                         scalar<12, 1, Edges, true>(), scalar<12, 2, Edges, false>(),
                         scalar<20, 1, Edges, true>(), scalar<20, 2, Edges, true>(),
                         scalar<32, 1, Edges, false>(), scalar<32, 2, Edges, true>()});
}

const std::vector<Execution>& scalar_executions() {
  static const std::vector<Execution> all = [] {
    std::vector<Execution> list;
    add_scalars<false>(list);
    add_scalars<true>(list);
    return list;
  }();
  return all;
}

template <bool Edges>
void add_fibers(std::vector<Execution>& all) {
  all.insert(all.end(),
             {fibers<1, 5, 1, Edges>(), fibers<1, 3, 2, Edges>(), fibers<2, 3, 1, Edges>(),
              fibers<2, 1, 2, Edges>(), fibers<4, 2, 1, Edges>(), fibers<4, 5, 2, Edges>(),
              fibers<8, 2, 1, Edges>(), fibers<8, 5, 2, Edges>(), fibers<16, 1, 1, Edges>(),
              fibers<16, 3, 2, Edges>(), fibers<32, 1, 2, Edges>(), fibers<32, 2, 1, Edges>(),
              fibers<32, 5, 1, Edges>()});
}

const std::vector<Execution>& fiber_executions() {
  static const std::vector<Execution> all = [] {
    std::vector<Execution> list;
    add_fibers<false>(list);
    add_fibers<true>(list);
    return list;
  }();
  return all;
}

template <unsigned Quantities>
void add_subset(std::vector<Execution>& all) {
  all.insert(all.end(),
             {scalar<12, 1, true, true, Quantities>(), scalar<5, 2, false, true, Quantities>(),
              fibers<8, 2, 1, true, Quantities>(), fibers<4, 3, 2, false, Quantities>()});
}

// Returns what differs in a pair, or "".
std::string difference(const Execution& e, const Measured& got, const Measured& want) {
  std::string text;
  auto compare = [&](unsigned part, const char* name, float a, float b) {
    if ((e.want & part) && !same_bits(a, b)) text += fmt::format(" {} {} != {}", name, a, b);
  };
  compare(quantity_dtw, "dtw", got.dtw, want.dtw);
  compare(quantity_coverage, "coverage", got.coverage.high, want.coverage.high);
  compare(quantity_coverage, "coverage.low", got.coverage.low, want.coverage.low);
  compare(quantity_deviation, "deviation", got.deviation.high, want.deviation.high);
  compare(quantity_deviation, "deviation.low", got.deviation.low, want.deviation.low);
  compare(quantity_deviation, "max deviation", got.max_deviation, want.max_deviation);
  compare(quantity_goal, "goal", got.goal, want.goal);
  compare(quantity_goal, "nearest", got.nearest, want.nearest);
  compare(quantity_goal, "first", got.first, want.first);
  compare(quantity_length, "length", got.length.high, want.length.high);
  compare(quantity_length, "length.low", got.length.low, want.length.low);
  compare(quantity_edits, "edits", static_cast<float>(got.edits[e.edges]),
          static_cast<float>(want.edits[e.edges]));
  return text;
}

std::size_t differing(const Execution& e, const Outcome& outcome,
                      const std::vector<Measured>& want) {
  std::size_t count = 0;
  for (std::size_t p = 0; p < want.size(); ++p) {
    count += !difference(e, outcome.measured[p], want[p]).empty();
  }
  return count;
}

void expect_same(const Execution& e, const PairCases& cases, const std::vector<Measured>& want) {
  if (e.longest < std::numeric_limits<int>::max()) {
    PairCases fitting = cases;
    std::vector<Measured> wanted;
    fitting.pairs.clear();
    for (std::size_t p = 0; p < want.size(); ++p) {
      if (static_cast<int>(cases.pairs[p].reference.size()) > e.longest) continue;
      fitting.pairs.push_back(cases.pairs[p]);
      wanted.push_back(want[p]);
    }
    return expect_same({e.name, e.want, e.edges, std::numeric_limits<int>::max(), e.run}, fitting,
                       wanted);
  }
  const Outcome outcome = e.run(cases);
  EXPECT_EQ(outcome.fault, "") << e.name << ", seed " << run_seed();
  for (std::size_t p = 0; p < want.size(); ++p) {
    const std::string text = difference(e, outcome.measured[p], want[p]);
    const PathPair& pair = cases.pairs[p];
    EXPECT_EQ(text, "") << e.name << ", |R| " << pair.reference.size() << ", |Q| "
                        << pair.query.size() << ", pair " << p << ", seed " << run_seed();
    if (!text.empty()) return;
  }
}

constexpr int batch_pairs = 256;

TEST(Sweep, EqualsThePlainLoopsInEveryScalarShape) {
  std::mt19937_64 random(run_seed());
  for (std::size_t done = 0; done < run_pairs() && !HasFailure(); done += batch_pairs) {
    const PairCases cases = make_pair_cases(random(), batch_pairs, 40, 40);
    const std::vector<Measured> want = measure_plainly(cases, scale);
    for (const Execution& e : scalar_executions()) expect_same(e, cases, want);
  }
}

// Each batch goes to the next shape, so an eighth of the pairs is enough.
TEST(Sweep, EqualsThePlainLoopsInEveryFiberShape) {
  std::mt19937_64 random(run_seed() + 1);
  const auto& shapes = fiber_executions();
  const std::size_t batches = std::max(shapes.size(), run_pairs() / 8 / batch_pairs);
  for (std::size_t b = 0; b < batches && !HasFailure(); ++b) {
    const PairCases cases = make_pair_cases(random(), batch_pairs, 40, 40);
    expect_same(shapes[b % shapes.size()], cases, measure_plainly(cases, scale));
  }
}

TEST(Sweep, EqualsThePlainLoopsForLongPairs) {
  std::mt19937_64 random(run_seed() + 2);
  const PairCases cases = make_pair_cases(random(), 20, 500, 500);
  const std::vector<Measured> want = measure_plainly(cases, scale);
  for (const Execution& e : scalar_executions()) expect_same(e, cases, want);
  for (const Execution& e : fiber_executions()) expect_same(e, cases, want);
}

TEST(Sweep, EqualsThePlainLoopsForALongReferenceOnFibers) {
  std::mt19937_64 random(run_seed() + 3);
  PairCases cases = make_pair_cases(random(), 4, 2000, 200);
  for (PathPair& pair : cases.pairs) {
    while (pair.reference.size() < 2000) pair.reference.push_back(below(random, cases.pad));
    while (pair.query.size() < 200) pair.query.push_back(below(random, cases.pad));
  }
  const std::vector<Measured> want = measure_plainly(cases, scale);
  for (const Execution& e : {fibers<8, 2, 1, true>(), fibers<32, 1, 2, false>(),
                             fibers<32, 5, 1, true>(), fibers<1, 5, 1, true>()}) {
    expect_same(e, cases, want);
  }
}

TEST(Sweep, EqualsThePlainLoopsForAllSmallLengths) {
  std::mt19937_64 random(run_seed() + 4);
  PairCases cases = make_pair_cases(random(), 1, 1, 1);
  cases.pairs.clear();
  for (int n = 1; n <= 12; ++n) {
    for (int m = 1; m <= 12; ++m) {
      PathPair& pair = cases.pairs.emplace_back();
      for (int i = 0; i < n; ++i) pair.reference.push_back(below(random, cases.pad));
      for (int j = 0; j < m; ++j) pair.query.push_back(below(random, cases.pad));
    }
  }
  const std::vector<Measured> want = measure_plainly(cases, scale);
  for (const Execution& e : scalar_executions()) expect_same(e, cases, want);
  for (const Execution& e : fiber_executions()) expect_same(e, cases, want);
}

TEST(Sweep, GivesTheSameValuesForSubsets) {
  std::mt19937_64 random(run_seed() + 5);
  std::vector<Execution> all;
  add_subset<quantity_goal>(all);
  add_subset<quantity_dtw>(all);
  add_subset<quantity_edits>(all);
  add_subset<quantity_length>(all);
  add_subset<quantity_coverage>(all);
  add_subset<quantity_deviation>(all);
  add_subset<quantity_dtw | quantity_coverage | quantity_deviation>(all);
  add_subset<quantity_all>(all);
  const std::size_t batches = std::max<std::size_t>(2, run_pairs() / 50 / batch_pairs);
  for (std::size_t b = 0; b < batches && !HasFailure(); ++b) {
    const PairCases cases = make_pair_cases(random(), batch_pairs, 40, 40);
    const std::vector<Measured> want = measure_plainly(cases, scale);
    for (const Execution& e : all) expect_same(e, cases, want);
  }
}

// ---------------------------------------------------------------- the checks themselves

// Makes pairs of different lengths, all longer than a strip of 8 lanes x 2 rows.
PairCases fault_cases() {
  PairCases cases = make_pair_cases(run_seed() + 6, 4, 40, 40);
  std::mt19937_64 random(run_seed() + 7);
  for (std::size_t p = 0; p < 4; ++p) {
    while (cases.pairs[p].reference.size() < 20 + p) cases.pairs[p].reference.push_back(0);
    cases.pairs[p].reference.resize(20 + p);
    cases.pairs[p].query.resize(10 + 7 * p, static_cast<int>(below(random, cases.pad)));
  }
  return cases;
}

template <Fault fault>
std::string reported() {
  return run_fibers<FiberLanes<8, fault>, 2, 1, quantity_all, true>(fault_cases()).fault;
}

TEST(FiberChecks, ReportNothingWithoutAFault) {
  EXPECT_EQ(reported<Fault::none>(), "");
}

TEST(FiberChecks, ReportAMaskOfTheWholeWarp) {
  const std::string fault = reported<Fault::whole_warp_mask>();
  EXPECT_NE(fault, "");
  EXPECT_NE(fault.find("sweep.hpp"), std::string::npos) << fault;
}

TEST(FiberChecks, ReportAMaskWithoutTheLaneItself) {
  EXPECT_EQ(reported<Fault::lower_half_mask>().find("a lane is not in its own mask"), 0u);
}

TEST(FiberChecks, ReportMasksThatDiffer) {
  EXPECT_EQ(reported<Fault::uneven_masks>().find("lanes disagree about the mask"), 0u);
}

TEST(FiberChecks, ReportAReadOutsideTheMask) {
  EXPECT_EQ(reported<Fault::reads_below>().find("a lane outside the mask is read"), 0u);
}

TEST(FiberChecks, ReportADivergentCall) {
  const std::string fault = reported<Fault::skipped_shuffle>();
  EXPECT_NE(fault, "");
}

TEST(FiberChecks, ReportAMissingSync) {
  const std::string fault = reported<Fault::no_sync>();
  EXPECT_NE(fault.find("without a sync between"), std::string::npos) << fault;
}

TEST(FiberChecks, ReportALostBorder) {
  const PairCases cases = fault_cases();
  const Outcome outcome =
      run_fibers<FiberLanes<8, Fault::lost_border>, 2, 1, quantity_all, true>(cases);
  EXPECT_EQ(outcome.fault.find("a lane reads unwritten memory"), 0u) << outcome.fault;
  EXPECT_EQ(differing(fibers<8, 2, 1, true>(), outcome, measure_plainly(cases, scale)), 4u);
}

// This is why the fibers record reads and writes.
TEST(FiberChecks, AreNeededBecauseValuesHideAMissingSync) {
  PairCases cases = fault_cases();
  const Outcome outcome =
      run_fibers<FiberLanes<8, Fault::no_sync>, 2, 1, quantity_all, true>(cases);
  EXPECT_EQ(differing(fibers<8, 2, 1, true>(), outcome, measure_plainly(cases, scale)), 0u);
}

// Runs collectives on a few lanes, without a sweep.
std::string run_lanes(int lanes, void (*fn)(int)) {
  return FiberWarp(run_seed()).run(lanes, fn);
}

TEST(FiberChecks, ReportLanesAtDifferentCalls) {
  const std::string fault = run_lanes(8, [](int lane) {
    if (lane % 2)
      FiberLanes<8>::shift_up(1, 0);
    else
      FiberLanes<8>::shift_up(1, 0);
  });
  EXPECT_EQ(fault.find("lanes of one mask are at different calls"), 0u) << fault;
}

TEST(FiberChecks, ReportALaneThatHasReturned) {
  const std::string fault = run_lanes(8, [](int lane) {
    if (lane != 3) FiberLanes<8>::from_last(lane);
  });
  EXPECT_EQ(fault.find("the mask names a lane that has returned"), 0u) << fault;
}

TEST(FiberChecks, ReportAnOverwriteBeforeTheReaderIsDone) {
  static float entry;
  const std::string fault = run_lanes(8, [](int) {
    FiberLanes<8>::store_border(&entry, 0, true, 1.0f);
    FiberLanes<8>::sync();
    FiberLanes<8>::border(&entry, 0);
    FiberLanes<8>::shift_up(0, 0);  // all have read, but a shuffle does not order memory
    FiberLanes<8>::store_border(&entry, 0, true, 2.0f);
  });
  EXPECT_EQ(fault.find("a lane overwrites what another uses"), 0u) << fault;
}

TEST(FiberLanes, ComputeAllPrimitives) {
  static int shifted[32], last[32];
  const std::string fault = run_lanes(32, [](int lane) {
    shifted[lane] = FiberLanes<8>::shift_up(lane, -1);
    last[lane] = FiberLanes<8>::from_last(lane);
  });
  EXPECT_EQ(fault, "");
  for (int l = 0; l < 32; ++l) {
    EXPECT_EQ(shifted[l], l % 8 == 0 ? -1 : l - 1);
    EXPECT_EQ(last[l], l / 8 * 8 + 7);
  }
}

}  // namespace
}  // namespace warpath::testing
