#pragma once

#include <cstdint>

#include "kernels/host_device.hpp"
#include "warpath/convention.hpp"

// Defines what the formulas of the metrics read besides a sweep.

namespace warpath::kernels {

/// Holds a convention as the kernels read it: plain numbers, the same for all lanes.
struct Rules {
  float threshold;
  float success_below, oracle_below;  ///< errors below these succeed
  float spl_min_denominator;
  SplLength spl_length;
  SplZero spl_zero;
  ClsZero cls_zero;
  NdtwNorm ndtw_norm;
  DtwNorm dtw_norm;
  EditUnit edit_unit;
  EditNorm edit_norm;
  bool given_success;    ///< SDTW takes the given task success
  bool given_lengths;    ///< CLS takes the given lengths
  unsigned quantities;   ///< bits of Quantity that are asked for; a kernel may compute more
  float ndtw_threshold;  ///< of nDTW alone
};

/// Holds the inputs of a pair besides its sweep, one pair per lane.
template <class L>
struct PairInputs {
  typename L::I n, m;              ///< |R|, |Q|
  typename L::F reference_length;  ///< PL(R)
  typename L::F cls_query_length,
      cls_reference_length;     ///< inside CLS; NaN: the length is undefined
  typename L::F start_to_goal;  ///< d(r_1, r_|R|)
  typename L::F task_success;

  WARPATH_HD typename L::F given_task_success() const { return task_success; }
  WARPATH_HD typename L::F given_query_length() const { return cls_query_length; }
};

}  // namespace warpath::kernels
