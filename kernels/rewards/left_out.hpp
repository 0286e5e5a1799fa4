#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "kernels/rewards/reward_rules.hpp"

// Leaves the first elements of a path and of its reference out of nDTW and CLS, as trainers do
// whose rollouts go on from a part that was given. The reference is laid out from there on, and the
// prefix begins anew at the first element that counts (Prefix::add_counted).

namespace warpath::kernels {

/// Returns how many elements of a reference of n > 0 are not laid out: its last one always is.
WARPATH_HD int rows_left_out(int prefix, int n) {
  return prefix < n ? prefix : n - 1;
}
/// Returns the number that LeftOut is made from. @param prefix elements to leave out, from 0
WARPATH_HD int left_out_code(int prefix, int n) {
  return prefix < n ? prefix : -prefix;
}

/// Says how many elements are left out in each lane.
template <class L>
struct LeftOut {
  using I = typename L::I;
  using M = typename L::M;
  I count;
  M is_reference;  ///< all of the reference is; its rows hold its last element, which has no
                   ///< meaning

  /// @param code of left_out_code
  WARPATH_HD explicit LeftOut(const I& code)
      : count(L::select(code < 0, L::integer(0) - code, code)), is_reference(code < 0) {}

  /// Tells where element t is the first that counts behind others that do not.
  WARPATH_HD M ends_before(const I& t) const { return (count == t) & (t > 0); }

  /// Sets nDTW and CLS where no element of the path, or of the reference, counts: 1 if both have
  /// none, else 0. @param size elements of the path
  WARPATH_HD void settle(const I& size, PrefixValues<L>& values) const {
    if (!L::any(count > 0)) return;
    const M is_path = (count > 0) & (size <= count);
    const auto one = L::real(1.0f), zero = L::real(0.0f);
    const auto value = L::select(is_path & is_reference, one, zero);
    values.ndtw = L::select(is_path | is_reference, value, values.ndtw);
    values.cls = L::select(is_path | is_reference, value, values.cls);
  }
};

}  // namespace warpath::kernels
