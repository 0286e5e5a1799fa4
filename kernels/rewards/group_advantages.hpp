#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/views/rewards.hpp"

// Compares rollouts within their groups. All sums are in double precision and in the order of
// rollouts, so host and device give the same bits, and so do groups in any order.

namespace warpath::kernels {

/// Calls for each rollout of a group, in order: those that follow each other, or that name it.
struct MembersOfGroup {
  const GroupsView& view;
  const std::uint32_t group;

  template <class Body>
  WARPATH_HD void each(const Body& body) const {
    const bool follow = view.group_size != 0;
    const std::uint32_t first = follow ? group * view.group_size : 0;
    const std::uint32_t end = follow ? first + view.group_size : view.count;
    for (std::uint32_t k = first; k < end; ++k) {
      if (follow || view.groups.exact(k) == group) body(k);
    }
  }
};

/// Calls for each rollout.
struct AllRollouts {
  const std::uint32_t count;

  template <class Body>
  WARPATH_HD void each(const Body& body) const {
    for (std::uint32_t k = 0; k < count; ++k) body(k);
  }
};

/// Holds the sums over some active rollouts.
struct RewardMoments {
  std::uint32_t n = 0;
  double sum = 0.0, mean = 0.0, std = 0.0;
  bool spread = false;  ///< some rewards differ, or one is no number
};

WARPATH_HD bool is_active(const GroupsView& view, std::uint32_t k) {
  return view.active == nullptr || view.active[k] != 0;
}

template <class Members>
WARPATH_HD RewardMoments reward_moments(const GroupsView& view, const Members& members) {
  RewardMoments made;
  float first = 0.0f;
  members.each([&](std::uint32_t k) {
    if (!is_active(view, k)) return;
    const float reward = view.reward[k];
    if (made.n++ == 0) first = reward;
    made.sum += double{reward};
    made.spread = made.spread || !(reward - first == 0.0f);  // that of infinities is NaN
  });
  if (made.n == 0) return made;
  made.mean = made.sum / made.n;
  double squares = 0.0;
  members.each([&](std::uint32_t k) {
    if (!is_active(view, k)) return;
    const double far = double{view.reward[k]} - made.mean;
    squares += far * far;
  });
  if (made.n > view.ddof) made.std = sqrt(squares / (made.n - view.ddof));
  return made;
}

/// Returns the advantage of a rollout of a group whose rewards differ.
WARPATH_HD float advantage_of(const GroupsView& view, double reward, const RewardMoments& group,
                              double std_of_all) {
  const double baseline =
      view.baseline == GroupBaseline::mean ? group.mean : (group.sum - reward) / (group.n - 1);
  double advantage = reward - baseline;
  if (view.scale == GroupScale::std) advantage /= group.std + view.epsilon;
  if (view.scale == GroupScale::batch) advantage /= std_of_all + view.epsilon;
  return static_cast<float>(advantage);
}

/// Writes what there is of a group. @param std_of_all read under GroupScale::batch only
template <class Members>
WARPATH_HD void write_group(const GroupsView& view, std::uint32_t group, const Members& members,
                            double std_of_all) {
  const RewardMoments found = reward_moments(view, members);
  members.each([&](std::uint32_t k) {
    view.advantage[k] = is_active(view, k) && found.spread
                            ? advantage_of(view, double{view.reward[k]}, found, std_of_all)
                            : 0.0f;
  });
  const auto of_some = [&](double value) {
    return found.n > 0 ? static_cast<float>(value) : __builtin_nanf("");
  };
  if (view.mean != nullptr) view.mean[group] = of_some(found.mean);
  if (view.std != nullptr) view.std[group] = of_some(found.std);
  if (view.spread != nullptr) view.spread[group] = found.spread ? 1 : 0;
}

/// Returns the standard deviation of all active rewards, if the scale is that.
WARPATH_HD double std_of_all(const GroupsView& view) {
  if (view.scale != GroupScale::batch) return 0.0;
  return reward_moments(view, AllRollouts{view.count}).std;
}

/// Computes the advantages of a group, whose rollouts it looks for. With group 0 go the rollouts of
/// groups that do not exist.
WARPATH_HD void compare_group(const GroupsView& view, std::uint32_t group) {
  write_group(view, group, MembersOfGroup{view, group}, std_of_all(view));
  if (group > 0 || view.group_size != 0) return;
  for (std::uint32_t k = 0; k < view.count; ++k) {
    const std::int64_t named = view.groups.exact(k);
    if (named >= 0 && named < view.group_count) continue;
    view.advantage[k] = is_active(view, k) ? __builtin_nanf("") : 0.0f;
  }
}

}  // namespace warpath::kernels
