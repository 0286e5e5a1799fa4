#include "host/checks/selftest/resident_checks.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/checks/selftest/compare.hpp"
#include "host/checks/selftest/device_workloads.hpp"
#include "host/checks/selftest/order.hpp"
#include "host/checks/selftest/resident_arrays.hpp"
#include "host/checks/selftest/resident_scorers.hpp"
#include "host/core/batch/distance_tables.hpp"
#include "host/core/cpu/backend.hpp"
#include "host/core/cpu/points.hpp"
#include "host/core/cuda/plan.hpp"

namespace warpath::selftest {
namespace {

using synthetic::Random;
using synthetic::SyntheticBatch;

constexpr Form rows_of_int64{8, 8, true}, uint16_in_turn{2, 4, false}, rows_of_int32{4, 4, true};
constexpr Form forms[] = {rows_of_int64, uint16_in_turn, rows_of_int32};

// ---------------------------------------------------------------- batches

/// Tells which rows of a batch are scored.
struct Rows {
  std::vector<std::uint8_t> active;
  Order scored;
};

// Leaves out every third row, and all rows from `end` on.
Rows choose_rows(std::size_t count, std::size_t end) {
  Rows rows;
  for (std::size_t row = 0; row < count; ++row) {
    rows.active.push_back(row < end && row % 3 != 1);
    if (rows.active.back() != 0) rows.scored.push_back(row);
  }
  return rows;
}

/// Holds pairs of viewpoint paths that are to lie on a device.
struct ResidentPairs {
  SyntheticBatch made;
  Rows rows;
};

// The device does not know how long queries were before their repeats were collapsed.
ResidentPairs as_made(SyntheticBatch made) {
  made.batch.n_query_raw.clear();
  const std::size_t count = made.batch.pairs.size();
  return {std::move(made), choose_rows(count, count)};
}

// Repeats the pairs until they are enough to be packed. Of the repeats only two for each pair may
// be scored, so that few pairs take little time.
ResidentPairs repeated(SyntheticBatch made) {
  const std::size_t pairs = made.batch.pairs.size(), count = cuda::small_batch + 100;
  Order order(count);
  for (std::size_t row = 0; row < count; ++row) order[row] = row % pairs;
  made.batch.n_query_raw.clear();
  made.batch = reordered(made.batch, order);
  return {std::move(made), choose_rows(count, 3 * pairs)};
}

template <class Pairs>
Order queries_of(const Pairs& batch) {
  Order queries;
  for (const auto& pair : batch.pairs) queries.push_back(pair.query);
  return queries;
}

template <class Pairs>
std::vector<std::int64_t> references_of(const Pairs& batch) {
  std::vector<std::int64_t> references;
  for (const auto& pair : batch.pairs) references.push_back(pair.reference);
  return references;
}

// Returns the numbers first … end − 1.
Order numbers(std::size_t first, std::size_t end) {
  Order all(end - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

// ---------------------------------------------------------------- scoring

/// Counts what differs, by what is compared.
struct ResidentMismatches {
  Mismatches scores, left_out, totals, bad_pairs;

  void add(const ResidentMismatches& other) {
    scores.add(other.scores);
    left_out.add(other.left_out);
    totals.add(other.totals);
    bad_pairs.add(other.bad_pairs);
  }
};

/// Holds what the CPU computes of the rows that are scored.
struct Expected {
  MetricSet metrics;
  const Rows& rows;
  Scores scores;
  BatchStatistics totals;
};

template <class Scorer>
Mismatches check_totals(const Scorer& scorer, const Batch& batch, const Expected& expected,
                        void* workspace, cuda::Stream stream) {
  Mismatches found;
  try {
    found.add(compare_statistics(scorer.statistics(batch, workspace, stream), expected.totals));
  } catch (const std::overflow_error&) {  // by values that no kernel should have written
    found.add(false);
  }
  return found;
}

// Scores a batch that lies on the device, of viewpoint paths or of continuous ones.
template <class Scorer>
ResidentMismatches score_there(cuda::Device& device, const Scorer& scorer, const Batch& batch,
                               const Expected& expected) {
  ResultsOnDevice results(device, expected.metrics, batch.count);
  const cuda::DeviceArray<char> workspace(device, scorer.workspace_bytes(batch));
  const cuda::UniqueStream stream(device);
  results.mark(stream.get());
  scorer.warm_up(batch, workspace.data(), stream.get());
  scorer.score(batch, results.view(), workspace.data(), stream.get());
  results.download(stream.get());
  device.wait(stream.get());
  ResidentMismatches found;
  found.scores = compare_values_and_statuses(results.scores(expected.rows.scored), expected.scores,
                                             results.columns());
  for (std::size_t row = 0; row < batch.count; ++row) {
    if (expected.rows.active[row] == 0) found.left_out.add(results.is_marked(row));
  }
  found.totals = check_totals(scorer, batch, expected, workspace.data(), stream.get());
  return found;
}

// ---------------------------------------------------------------- viewpoint paths

/// Holds a batch of viewpoint paths on a device.
class BatchOnDevice {
 public:
  BatchOnDevice(cuda::Device& device, const PairBatch& batch, const Rows& rows, const Form& form)
      : queries_(device, batch.queries, queries_of(batch), form),
        pairs_(device, references_of(batch), rows.active, batch.task_success, form) {}

  Batch view() const {
    Batch batch;
    pairs_.enter(batch);
    batch.queries = queries_.view();
    return batch;
  }

 private:
  PathsOnDevice queries_;
  PairsOnDevice pairs_;
};

// Stores references first … end − 1 of the batch.
template <class Scorer>
void store(cuda::Device& device, Scorer& scorer, const PairBatch& batch, std::size_t first,
           std::size_t end, const Form& form) {
  if (first == end) return;
  const Order which = numbers(first, end);
  const std::vector<std::uint32_t> all = scans_of(batch);
  std::vector<std::int64_t> scans;
  for (const std::size_t r : which) scans.push_back(all[r]);
  const PathsOnDevice paths(device, batch.references, which, form);
  const IntegersOnDevice scan_of(device, scans, form.number_bytes);
  const cuda::UniqueStream stream(device);
  scorer.store(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first),
               paths.view(), scan_of.view(), stream.get());
  device.wait(stream.get());
}

template <class Scorer>
std::string bad_pair_of(cuda::Device& device, const Scorer& scorer, const PairBatch& batch,
                        const Rows& rows, const Form& form) {
  const BatchOnDevice there(device, batch, rows, form);
  const cuda::DeviceArray<char> workspace(device, scorer.workspace_bytes(there.view()));
  const cuda::UniqueStream stream(device);
  return scorer.find_bad_pair(there.view(), workspace.data(), stream.get());
}

// Checks the batch as it is, and with a viewpoint that no scan has in the last pair to be scored
// and in those with the same query, of which the first is to be named.
template <class Scorer>
Mismatches check_bad_pairs(cuda::Device& device, const Scorer& scorer, const ResidentPairs& pairs,
                           const Form& form) {
  PairBatch batch = pairs.made.batch;
  const Order& scored = pairs.rows.scored;
  Mismatches found;
  found.add(bad_pair_of(device, scorer, batch, pairs.rows, form).empty());
  const std::uint32_t query = batch.pairs[scored.back()].query;
  batch.queries.elements[batch.queries.offsets[query + std::size_t{1}] - 1] = 60'000;
  const auto bad =
      std::ranges::find(scored, query, [&](std::size_t row) { return batch.pairs[row].query; });
  found.add(bad_pair_of(device, scorer, batch, pairs.rows, form) == "pair " + std::to_string(*bad));
  return found;
}

// @param room see ScorerInputs
template <class Scorer>
ResidentMismatches check_pairs(cuda::Device& device, const ResidentPairs& pairs,
                               const Request& request, const Form& form, std::uint32_t room) {
  const auto& [metrics, convention] = request;
  const PairBatch& batch = pairs.made.batch;
  const batch::DistanceTables tables(batch.scans, convention);
  const PairBatch scored = reordered(batch, pairs.rows.scored);
  Expected expected{metrics, pairs.rows, Scores(), BatchStatistics()};
  cpu::score(scored, tables, convention, {.metrics = metrics}, expected.scores);
  expected.totals = cpu::statistics(scored, tables, convention, {.metrics = metrics});
  Scorer scorer(device, ScorerInputs(batch, room, request));
  if (room > 0) {
    const std::size_t references = batch.references.size();
    store(device, scorer, batch, 0, references / 2, form);
    store(device, scorer, batch, references / 2, references, form);
  }
  const BatchOnDevice there(device, batch, pairs.rows, form);
  ResidentMismatches found = score_there(device, scorer, there.view(), expected);
  found.bad_pairs = check_bad_pairs(device, scorer, pairs, form);
  return found;
}

std::uint32_t room_for(const PairBatch& batch) {
  return static_cast<std::uint32_t>(batch.references.size() + 3);
}

// Scores a small batch in every form. @param count of the requests, from the first on
template <class Scorer>
ResidentMismatches check_small(cuda::Device& device, const ResidentPairs& pairs,
                               std::size_t count = requests().size()) {
  const std::vector<Request> all = requests();
  ResidentMismatches found;
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t room = k % 2 == 0 ? 0 : room_for(pairs.made.batch);
    found.add(check_pairs<Scorer>(device, pairs, all[k], forms[k % std::size(forms)], room));
  }
  return found;
}

// Room for many references lets the scorer expect few queries of each.
ResidentMismatches check_packed(cuda::Device& device, Random& random, std::size_t pairs) {
  const ResidentPairs large =
      repeated(uniform_pairs(random, {"", {1, 32}, {1, 40}, 150, 1}, pairs));
  const auto room = static_cast<std::uint32_t>(large.rows.active.size());
  return check_pairs<InternalScorer>(device, large, requests()[0], rows_of_int64, room);
}

// Gives each pair a task success, so that totals are added up by row.
ResidentMismatches check_packed_shared(cuda::Device& device, Random& random, std::size_t pairs) {
  SyntheticBatch made = uniform_pairs(random, {"", {1, 20}, {1, 40}, 150, 160}, pairs);
  for (std::size_t k = 0; k < pairs; ++k) made.batch.task_success.push_back(random.unit());
  const ResidentPairs large = repeated(std::move(made));
  return check_pairs<InternalScorer>(device, large, requests()[1], uint16_in_turn, 0);
}

// ---------------------------------------------------------------- continuous paths

/// Holds a batch of continuous paths on a device.
class PointBatchOnDevice {
 public:
  PointBatchOnDevice(cuda::Device& device, const PointBatch& batch, const Rows& rows,
                     const Form& form)
      : references_(device, batch.references, numbers(0, batch.references.size()), form),
        queries_(device, batch.queries, queries_of(batch), form),
        pairs_(device, references_of(batch), rows.active, batch.task_success, form) {}

  Batch view() const {
    Batch batch;
    pairs_.enter(batch);
    batch.references = references_.view();
    batch.queries = queries_.view();
    return batch;
  }

 private:
  PointsOnDevice references_, queries_;
  PairsOnDevice pairs_;
};

// Rounds coordinates to floats, as which they lie on the device. GCC 12 forgets to round where a
// loop does both conversions.
void round_to_floats(PointSet& paths) {
  std::vector<std::array<float, 3>> rounded(paths.elements.size());
  for (std::size_t k = 0; k < rounded.size(); ++k) {
    std::ranges::transform(paths.elements[k], rounded[k].begin(),
                           [](double x) { return static_cast<float>(x); });
  }
  for (std::size_t k = 0; k < rounded.size(); ++k) {
    std::ranges::copy(rounded[k], paths.elements[k].begin());
  }
}

// The reference is that of the pair before in every third pair.
PointBatch resident_points(Random& random, std::span<const std::size_t> lengths,
                           std::size_t pairs) {
  PointBatch batch = point_pairs(random, lengths, pairs);
  round_to_floats(batch.references);
  round_to_floats(batch.queries);
  for (std::size_t k = 2; k < batch.pairs.size(); k += 3) {
    batch.pairs[k].reference = batch.pairs[k - 1].reference;
  }
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    batch.task_success.push_back(random.unit());
  }
  return batch;
}

PointBatch only(const PointBatch& batch, const Order& rows) {
  PointBatch other{batch.references, batch.queries, {}, {}};
  for (const std::size_t row : rows) {
    other.pairs.push_back(batch.pairs[row]);
    other.task_success.push_back(batch.task_success[row]);
  }
  return other;
}

template <class Scorer>
ResidentMismatches check_points(cuda::Device& device, const PointBatch& batch) {
  const Rows rows = choose_rows(batch.pairs.size(), batch.pairs.size());
  const PointBatch scored = only(batch, rows.scored);
  ResidentMismatches found;
  std::size_t form = 0;
  for (const Request& request : requests()) {
    Expected expected{request.metrics, rows, Scores(), BatchStatistics()};
    expected.scores = cpu::score(scored, request.convention, {.metrics = request.metrics});
    expected.totals.add(expected.scores);
    const Scorer scorer(device, ScorerInputs(PairBatch(), 0, request));
    const PointBatchOnDevice there(device, batch, rows, forms[form++ % std::size(forms)]);
    found.add(score_there(device, scorer, there.view(), expected));
  }
  return found;
}

// The longest reference decides which kernel scores a batch.
ResidentMismatches check_all_points(cuda::Device& device, Random& random, std::size_t pairs) {
  const std::vector<std::size_t> of_kernels[] = {{1, 9, 64, 65, 256}, {257, 600}, {4097}};
  ResidentMismatches found;
  for (const std::vector<std::size_t>& lengths : of_kernels) {
    found.add(check_points<InternalScorer>(device, resident_points(random, lengths, pairs)));
  }
  return found;
}

}  // namespace

std::vector<Check> check_resident(cuda::Device& device, std::size_t pairs, std::uint64_t seed) {
  const cuda::CurrentDevice current(device);
  Random random(seed);
  const std::size_t some = std::min<std::size_t>(pairs / 50 + 8, 2000);
  std::vector<Check> checks;
  ResidentMismatches all;
  const auto add = [&](const std::string& name, const ResidentMismatches& found) {
    checks.push_back(counted("same bits: resident, " + name, found.scores));
    all.add(found);
  };
  // The longest reference decides which kernel scores a batch.
  const auto uniform = [&](synthetic::LengthRange reference, std::size_t count) {
    return as_made(uniform_pairs(random, {"", reference, {1, 40}, 150, 1}, count));
  };
  add("4 threads to a pair", check_small<InternalScorer>(device, uniform({1, 16}, some)));
  add("8 threads to a pair", check_small<InternalScorer>(device, uniform({17, 90}, some)));
  add("32 threads to a pair",
      check_small<InternalScorer>(device, uniform({257, 400}, some / 4 + 2)));
  add("a block to a pair",
      check_small<InternalScorer>(device, uniform({4097, 4200}, some / 100 + 2)));
  const std::size_t all_metrics = 2;  // requests
  add("every difficulty", check_small<InternalScorer>(
                              device, as_made(adversarial_pairs(random, some, true)), all_metrics));
  add("packed", check_packed(device, random, std::min(pairs, cuda::small_batch)));
  add("packed, shared references",
      check_packed_shared(device, random, std::min(pairs, cuda::small_batch)));
  add("points", check_all_points(device, random, some / 4 + 2));
  checks.push_back(counted("same bits: resident, totals", all.totals));
  checks.push_back(counted("resident, pairs left out stay as they were", all.left_out));
  checks.push_back(counted("resident, bad pairs are found", all.bad_pairs));
  return checks;
}

std::vector<Check> check_reference_scorer(std::size_t pairs, std::uint64_t seed) {
  cuda::Device& device = cuda::device_or_error();
  const cuda::CurrentDevice current(device);
  Random random(seed);
  const std::size_t some = std::min<std::size_t>(pairs / 50 + 8, 2000);
  const ResidentPairs made = as_made(uniform_pairs(random, {"", {1, 16}, {1, 40}, 150, 1}, some));
  ResidentMismatches found = check_small<PublicScorer>(device, made);
  const std::size_t lengths[] = {9};
  found.add(check_points<PublicScorer>(device, resident_points(random, lengths, some / 4 + 2)));
  Mismatches all = found.scores;
  for (const Mismatches& of : {found.left_out, found.totals, found.bad_pairs}) all.add(of);
  return {counted("same bits: ReferenceScorer", all)};
}

}  // namespace warpath::selftest
