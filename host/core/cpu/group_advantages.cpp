#include "kernels/rewards/group_advantages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "host/core/batch/check_views.hpp"
#include "warpath/error.hpp"
#include "warpath/rewards.hpp"

namespace warpath {

using kernels::GroupsView;

namespace {

// Calls for each rollout of a list.
struct ListedRollouts {
  const std::span<const std::uint32_t> rollouts;

  template <class Body>
  void each(const Body& body) const {
    for (const std::uint32_t k : rollouts) body(k);
  }
};

void check_rollouts(const GroupsView& view) {
  const auto place = [](std::uint32_t k) {
    return InputError::Where{{}, fmt::format("rollout {}", k)};
  };
  for (std::uint32_t k = 0; k < view.count; ++k) {
    if (!kernels::is_active(view, k)) continue;
    if (view.group_size == 0) {
      const std::int64_t group = view.groups.exact(k);
      if (group < 0 || group >= view.group_count) {
        throw InputError(place(k), fmt::format("names group {} of {}", group, view.group_count),
                         "number groups from 0, at most as many as rollouts");
      }
    }
    if (std::isfinite(view.reward[k])) continue;
    throw InputError(place(k), fmt::format("has the reward {}", view.reward[k]),
                     "leave it out by `active`, or choose settings that give it a value");
  }
}

// Sorts the rollouts by group, in order within each; those of no group are left out.
struct SortedRollouts {
  std::vector<std::uint32_t> rollouts, first;

  explicit SortedRollouts(const GroupsView& view) : first(view.group_count + std::size_t{1}) {
    const auto for_each = [&](const auto& body) {
      for (std::uint32_t k = 0; k < view.count; ++k) {
        const std::int64_t group = view.groups.exact(k);
        if (group >= 0 && group < view.group_count) body(k, static_cast<std::size_t>(group));
      }
    };
    for_each([&](std::uint32_t, std::size_t group) { ++first[group + 1]; });
    for (std::size_t g = 0; g < view.group_count; ++g) first[g + 1] += first[g];
    rollouts.resize(first.back());
    std::vector<std::uint32_t> next(first);
    for_each([&](std::uint32_t k, std::size_t group) { rollouts[next[group]++] = k; });
  }
  ListedRollouts of(std::uint32_t group) const {
    return {std::span(rollouts).subspan(first[group], first[group + 1] - first[group])};
  }
};

}  // namespace

void group_advantages(const GroupBatch& batch) {
  const GroupsView view = batch::view_of(batch);
  check_rollouts(view);
  const double of_all = kernels::std_of_all(view);
  if (view.group_size != 0) {
    for (std::uint32_t g = 0; g < view.group_count; ++g) {
      kernels::write_group(view, g, kernels::MembersOfGroup{view, g}, of_all);
    }
    return;
  }
  const SortedRollouts sorted(view);
  std::fill_n(view.advantage, view.count, 0.0f);  // of inactive rollouts without a group
  for (std::uint32_t g = 0; g < view.group_count; ++g) {
    kernels::write_group(view, g, sorted.of(g), of_all);
  }
}

}  // namespace warpath
