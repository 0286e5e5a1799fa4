#include "host/batch/request.hpp"

namespace warpath::batch {

namespace {

// The parts of the sweep that the metrics take.
unsigned quantity_of(const MetricSet& metrics, const Convention& c, bool given_success) {
  using enum Metric;
  using namespace kernels;
  unsigned quantities = 0;
  if (metrics.contains_any({DTW, nDTW, SDTW})) quantities |= quantity_dtw;
  if (metrics.contains_any({PC, EPL, LS, CLS})) quantities |= quantity_coverage;
  if (metrics.contains_any({AD, MD})) quantities |= quantity_deviation;
  if (metrics.contains_any({NE, ONE, SR, OSR, SP, GP, SPL, SED})) quantities |= quantity_goal;
  if (metrics[SDTW] && !given_success) quantities |= quantity_goal;
  if (metrics.contains_any({PL, LS, CLS, SPL})) quantities |= quantity_length;
  if (metrics.contains_any({ED, SED})) quantities |= quantity_edits;
  const bool by_reference =
      c.ndtw_norm == NdtwNorm::reference_length || c.dtw_norm == DtwNorm::reference_length;
  if (metrics.contains_any({PLR, EPL, LS, CLS, SPL}) ||
      (by_reference && metrics.contains_any({DTW, nDTW, SDTW}))) {
    quantities |= quantity_reference;
  }
  return quantities;
}

}  // namespace

kernels::Rules make_rules(const MetricSet& metrics, const Convention& c, bool given_success,
                          bool connected) {
  using namespace kernels;
  // An infinite step of the reference, of the query, or between the two.
  const unsigned tell_unreachable = quantity_reference | quantity_length | quantity_dtw;
  return {static_cast<float>(c.threshold),
          static_cast<float>(c.spl_min_denominator),
          c.success,
          c.oracle,
          c.spl_length,
          c.spl_zero,
          c.cls_zero,
          c.ndtw_norm,
          c.dtw_norm,
          c.edit_unit,
          c.edit_norm,
          given_success,
          c.cls_step == ClsStep::edge,
          quantity_of(metrics, c, given_success) | (connected ? 0 : tell_unreachable)};
}

bool fits_single_precision(const Convention& c) {
  return c.threshold >= 1e-12 && c.threshold <= 1e30 &&
         (c.spl_min_denominator == 0.0 ||
          (c.spl_min_denominator >= 1e-30 && c.spl_min_denominator <= 1e30));
}

std::uint32_t flags_of(const MetricSet& metrics) {
  using enum Metric;
  using namespace kernels;
  std::uint32_t flags = flag_unreachable;
  if (metrics.contains_any({SPL})) flags |= flag_zero_spl | flag_spl_undefined;
  if (metrics.contains_any({LS, CLS}))
    flags |= flag_zero_ls | flag_cls_undefined | flag_length_undefined;
  if (metrics.contains_any({SED})) flags |= flag_zero_sed;
  if (metrics.contains_any({DTW})) flags |= flag_dtw_undefined;
  if (metrics.contains_any({SDTW})) flags |= flag_no_task_success;
  return flags;
}

Status status_of(std::uint32_t flags) {
  using namespace kernels;
  if (flags < flag_unreachable) return Status::ok;
  if (flags & flag_unreachable) return Status::unreachable;
  if (flags & flag_length_undefined) return Status::length_undefined;
  if (flags & flag_spl_undefined) return Status::spl_undefined;
  if (flags & flag_cls_undefined) return Status::cls_undefined;
  if (flags & flag_dtw_undefined) return Status::dtw_undefined;
  return Status::no_task_success;
}

}  // namespace warpath::batch
