#include "host/checks/rollouts.hpp"

#include <algorithm>
#include <array>

#include "host/checks/pairs.hpp"

namespace warpath::checks {
namespace {

// Fills in what rollouts have beside their paths.
void add_states(Rollouts& rollouts) {
  for (std::uint32_t k = 0; k < rollouts.count(); ++k) {
    rollouts.active.push_back(k % 7 != 3);
    rollouts.stopped.push_back(k % 3 != 1);
  }
  for (std::size_t k = 0; k < rollouts.queries.size(); ++k) {
    rollouts.goal.push_back(static_cast<float>((k * 37) % 11) * 0.75f);
  }
}

void add_walk(Random& random, HostPaths& paths, std::uint64_t length, std::array<float, 3> at) {
  for (std::uint64_t t = 0; t < length; ++t) {
    paths.append(at);
    if (random.below(6) == 0) continue;
    const double reach = random.below(8) == 0 ? 2.5 : 0.5;
    for (float& x : at) x += static_cast<float>(random.between(-reach, reach));
  }
  paths.end_path();
}

}  // namespace

Batch Rollouts::batch(bool given_goal) const {
  return {.count = count(),
          .queries = queries.view(),
          .references = in_space() ? references.view() : PathsView(),
          .reference = reference.empty() ? Integers() : reference.data(),
          .reference_count = references.count(),
          .group_size = group_size,
          .active = active.data(),
          .stopped = stopped.data(),
          .distance_to_goal = given_goal ? goal.data() : nullptr,
          .prefix = prefix.empty() ? Integers() : prefix.data(),
          .spl_length = spl_length.empty() ? nullptr : spl_length.data()};
}

void leave_out_first(Rollouts& rollouts) {
  const std::size_t count =
      rollouts.in_space() ? rollouts.references.count() : rollouts.stored.size();
  for (std::size_t r = 0; r < count; ++r) {
    const auto size = static_cast<std::int64_t>(
        rollouts.in_space() ? rollouts.references.lengths[r]
                            : rollouts.stored.size_of(static_cast<std::uint32_t>(r)));
    rollouts.prefix.push_back(r % 5 == 0 ? size : static_cast<std::int64_t>((r * 7) % 5));
    rollouts.spl_length.push_back(static_cast<float>(r % 9));
  }
}

Rollouts rollouts_of(const PairBatch& batch, bool in_rows) {
  Rollouts rollouts{.scans = batch.scans,
                    .stored = batch.references,
                    .scan_of = scans_of(batch),
                    .references = {},
                    .queries = {},
                    .reference = {},
                    .active = {},
                    .stopped = {},
                    .goal = {},
                    .prefix = {},
                    .spl_length = {}};
  Order queries;
  for (const Pair& pair : batch.pairs) {
    queries.push_back(pair.query);
    rollouts.reference.push_back(pair.reference);
  }
  rollouts.queries = HostPaths(batch.queries, queries).laid_out(in_rows);
  add_states(rollouts);
  return rollouts;
}

Rollouts random_point_rollouts(Random& random, std::uint32_t count, std::uint32_t max_reference,
                               std::uint32_t max_query) {
  Rollouts rollouts;
  HostPaths& references = rollouts.references;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint64_t length = k == 0 ? max_reference : random.below(max_reference) + 1;
    add_walk(random, references, length,
             {static_cast<float>(random.below(9)), 0.0f, static_cast<float>(random.below(3))});
    rollouts.reference.push_back(static_cast<std::int64_t>(random.below(k + 1)));
  }
  for (std::uint32_t k = 0; k < count; ++k) {
    const auto r = static_cast<std::size_t>(rollouts.reference[k]);
    const auto last = static_cast<std::size_t>(references.lengths[r]) - 1;
    const std::uint64_t length = random.below(max_query) + 1;
    if (k % 4 == 1) {
      for (std::size_t t = 0; t < length; ++t) {
        rollouts.queries.append(references, references.at(r) + std::min(t, last));
      }
      rollouts.queries.end_path();
    } else {
      const float* start = &references.points[3 * (references.at(r) + (k % 5 == 0 ? last : 0))];
      add_walk(random, rollouts.queries, length, {start[0], start[1], start[2]});
    }
  }
  add_states(rollouts);
  return rollouts;
}

RolloutsOnDevice::RolloutsOnDevice(cuda::Device& device, const Rollouts& rollouts, const Form& form)
    : count_(rollouts.count()),
      reference_count_(rollouts.references.count()),
      group_size_(rollouts.group_size),
      queries_(device, rollouts.queries, form),
      reference_(device, rollouts.reference, form.number_bytes),
      prefix_(device, rollouts.prefix, form.number_bytes),
      active_(device, rollouts.active),
      stopped_(device, rollouts.stopped),
      goal_(device, rollouts.goal),
      spl_length_(device, rollouts.spl_length) {
  if (rollouts.in_space()) references_.emplace(device, rollouts.references, form);
}

Batch RolloutsOnDevice::batch(bool given_goal) const {
  return {.count = count_,
          .queries = queries_.view(),
          .references = references_ ? references_->view() : PathsView(),
          .reference = reference_,
          .reference_count = reference_count_,
          .group_size = group_size_,
          .active = active_.data(),
          .stopped = stopped_.data(),
          .distance_to_goal = given_goal ? goal_.data() : nullptr,
          .prefix = prefix_,
          .spl_length = spl_length_.data()};
}

}  // namespace warpath::checks
