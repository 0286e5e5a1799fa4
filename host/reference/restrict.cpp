#include <cmath>

#include "host/reference/reference.hpp"

namespace warpath::reference {
namespace {

// Without columns of their own the metrics that a status or a rule is about do not show it.
Status status(const Scores& scores, std::size_t row, const MetricSet& metrics) {
  using enum Metric;
  const Status whole = scores.status[row];
  if (whole == Status::unreachable) return whole;
  const auto lacks = [&](Metric m) { return metrics[m] && std::isnan(scores.at(m, row)); };
  const bool lacks_cls = lacks(LS) || lacks(CLS);
  if (lacks_cls && whole == Status::length_undefined) return whole;
  if (lacks(SPL)) return Status::spl_undefined;
  if (lacks_cls) return Status::cls_undefined;
  if (lacks(DTW)) return Status::dtw_undefined;
  return lacks(SDTW) ? Status::no_task_success : Status::ok;
}

}  // namespace

void restrict_to(const MetricSet& metrics, Scores& scores) {
  const auto is_wanted = [&](Metric m) { return metrics[m]; };
  std::uint8_t rules = 0;
  if (is_wanted(Metric::SPL)) rules |= zero_spl;
  if (is_wanted(Metric::LS) || is_wanted(Metric::CLS)) rules |= zero_ls;
  if (is_wanted(Metric::SED)) rules |= zero_sed;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    scores.status[row] = status(scores, row, metrics);
    scores.zero_rules[row] &= rules;
  }
  for (const Metric m : MetricSet::all()) {
    if (!metrics[m]) scores.column[m] = {};
  }
}

}  // namespace warpath::reference
