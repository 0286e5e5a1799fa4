#include "host/batch/request.hpp"

#include "kernels/metrics/point_formulas.hpp"

namespace warpath::batch {

kernels::Rules make_rules(const MetricSet& metrics, const Convention& c, bool given_success,
                          bool connected) {
  using namespace kernels;
  // Any of these shows an infinite step of the reference, of the query, or between the two.
  const unsigned tell_unreachable = quantity_reference | quantity_length | quantity_dtw;
  return {
      .threshold = static_cast<float>(c.threshold),
      .spl_min_denominator = static_cast<float>(c.spl_min_denominator),
      .success = c.success,
      .oracle = c.oracle,
      .spl_length = c.spl_length,
      .spl_zero = c.spl_zero,
      .cls_zero = c.cls_zero,
      .ndtw_norm = c.ndtw_norm,
      .dtw_norm = c.dtw_norm,
      .edit_unit = c.edit_unit,
      .edit_norm = c.edit_norm,
      .given_success = given_success,
      .given_lengths = c.cls_step == ClsStep::edge,
      .quantities = quantities_of(metrics, c, given_success) | (connected ? 0 : tell_unreachable)};
}

bool fits_single_precision(const Convention& c) {
  return c.threshold >= 1e-12 && c.threshold <= 1e30 &&
         (c.spl_min_denominator == 0.0 ||
          (c.spl_min_denominator >= 1e-30 && c.spl_min_denominator <= 1e30));
}

bool points_fit_single_precision(const Convention& c) {
  return fits_single_precision(c) && c.threshold >= kernels::min_point_threshold &&
         c.threshold <= kernels::max_point_threshold;
}

}  // namespace warpath::batch
