#include "host/core/batch/request.hpp"

#include <cmath>
#include <limits>

#include "host/core/definitions/path_convention.hpp"
#include "kernels/sweep/quantities.hpp"
#include "kernels/views/points.hpp"

namespace warpath::batch {
namespace {

// Returns the limit that errors in single precision lie below if and only if they succeed.
float error_limit(double threshold, Compare compare) {
  const auto rounded = static_cast<float>(threshold);
  if (compare == Compare::less) return rounded;
  return std::nextafter(rounded, std::numeric_limits<float>::infinity());
}

}  // namespace

kernels::Rules make_rules(const MetricSet& metrics, const Convention& c, bool given_success,
                          bool connected) {
  using namespace kernels;
  // Any of these shows an infinite step of the reference, of the query, or between the two.
  const unsigned tell_unreachable = quantity_reference | quantity_length | quantity_dtw;
  return {.threshold = static_cast<float>(c.threshold),
          .success_below = error_limit(c.threshold, c.success),
          .oracle_below = error_limit(c.threshold, c.oracle),
          .spl_min_denominator = static_cast<float>(c.spl_min_denominator),
          .spl_length =
              c.spl_length == SplLength::reference ? SplLength::reference : SplLength::shortest,
          .spl_zero = c.spl_zero,
          .cls_zero = c.cls_zero,
          .ndtw_norm = c.ndtw_norm,
          .dtw_norm = c.dtw_norm,
          .edit_unit = c.edit_unit,
          .edit_norm = c.edit_norm,
          .given_success = given_success,
          .given_lengths = definitions::takes_own_lengths(c),
          .quantities = definitions::quantities_of(metrics, c, given_success) |
                        (connected ? 0 : tell_unreachable),
          .ndtw_threshold = static_cast<float>(definitions::ndtw_threshold(c))};
}

bool fits_single_precision(const Convention& c) {
  const double ndtw_threshold = definitions::ndtw_threshold(c);
  return c.threshold >= 1e-12 && c.threshold <= 1e30 && ndtw_threshold >= 1e-12 &&
         ndtw_threshold <= 1e30 &&
         (c.spl_min_denominator == 0.0 ||
          (c.spl_min_denominator >= 1e-30 && c.spl_min_denominator <= 1e30));
}

bool points_fit_single_precision(const Convention& c) {
  return fits_single_precision(c) && c.cls_length == ClsLength::edges &&
         c.threshold >= kernels::min_point_threshold && c.threshold <= kernels::max_point_threshold;
}

}  // namespace warpath::batch
