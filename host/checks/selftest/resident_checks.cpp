#include "host/checks/selftest/resident_checks.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/checks/order.hpp"
#include "host/checks/pairs.hpp"
#include "host/checks/point_pairs.hpp"
#include "host/checks/resident_batch.hpp"
#include "host/checks/resident_runs.hpp"
#include "host/checks/resident_scorers.hpp"
#include "host/checks/selftest/device_workloads.hpp"
#include "host/core/cuda/plan.hpp"

namespace warpath::selftest {

using namespace checks;

namespace {

constexpr Form rows_of_int64{8, 8, true}, uint16_in_turn{2, 4, false}, rows_of_int32{4, 4, true};
constexpr Form forms[] = {rows_of_int64, uint16_in_turn, rows_of_int32};

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

// Returns the numbers first … end − 1.
Order numbers(std::size_t first, std::size_t end) {
  Order all(end - first);
  std::iota(all.begin(), all.end(), first);
  return all;
}

// ---------------------------------------------------------------- viewpoint paths

// Stores references first … end − 1 of the batch.
template <class Scorer>
void store(cuda::Device& device, Scorer& scorer, const PairBatch& batch, std::size_t first,
           std::size_t end, const Form& form) {
  if (first == end) return;
  const Order which = numbers(first, end);
  const std::vector<std::uint32_t> all = scans_of(batch);
  std::vector<std::int64_t> scans;
  for (const std::size_t r : which) scans.push_back(all[r]);
  const PathsOnDevice paths(device, HostPaths(batch.references, which).laid_out(form.in_rows),
                            form);
  const IntegersOnDevice scan_of(device, scans, form.number_bytes);
  const cuda::UniqueStream stream(device);
  scorer.store(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first),
               paths.view(), scan_of, stream.get());
  device.wait(stream.get());
}

template <class Scorer>
std::string bad_pair_of(cuda::Device& device, const Scorer& scorer, const PairBatch& batch,
                        const Rows& rows, const Form& form) {
  const BatchOnDevice there(device, batch, rows.active, form);
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
  const PairBatch& batch = pairs.made.batch;
  Scorer scorer(device, ScorerInputs(batch, room, request));
  if (room > 0) {
    const std::size_t references = batch.references.size();
    store(device, scorer, batch, 0, references / 2, form);
    store(device, scorer, batch, references / 2, references, form);
  }
  ResidentMismatches found = compare_with_cpu(device, scorer, batch, pairs.rows, request, form);
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

// The reference is that of the pair before in every third pair.
PointBatch resident_points(Random& random, std::span<const std::size_t> lengths,
                           std::size_t pairs) {
  PointBatch batch = point_pairs(random, lengths, pairs);
  round_to_floats(batch);
  for (std::size_t k = 2; k < batch.pairs.size(); k += 3) {
    batch.pairs[k].reference = batch.pairs[k - 1].reference;
  }
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    batch.task_success.push_back(random.unit());
  }
  return batch;
}

template <class Scorer>
ResidentMismatches check_points(cuda::Device& device, const PointBatch& batch) {
  const Rows rows = choose_rows(batch.pairs.size(), batch.pairs.size());
  ResidentMismatches found;
  std::size_t form = 0;
  for (const Request& request : requests()) {
    const Scorer scorer(device, ScorerInputs(PairBatch(), 0, request));
    found.add(
        compare_with_cpu(device, scorer, batch, rows, request, forms[form++ % std::size(forms)]));
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
  const auto uniform = [&](LengthRange reference, std::size_t count) {
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
