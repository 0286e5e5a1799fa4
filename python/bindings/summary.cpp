#include "python/bindings/summary.hpp"

namespace warpath::python {
namespace {

nb::object or_none(const std::optional<double>& value) {
  return value ? nb::object(nb::float_(*value)) : nb::none();
}

nb::tuple to_tuple(const Estimate& e) {
  const nb::object interval =
      e.ci95 ? nb::object(nb::make_tuple((*e.ci95)[0], (*e.ci95)[1])) : nb::none();
  return nb::make_tuple(or_none(e.mean), interval, e.n, e.of, e.clusters);
}

nb::dict estimates(const ItemSummary& summary, const std::vector<Metric>& metrics,
                   std::span<const OwnMetric> own) {
  nb::dict out;
  for (const Metric m : metrics) out[to_str(info(m).name)] = to_tuple(summary.of(m));
  for (std::size_t k = 0; k < own.size(); ++k) out[to_str(own[k].name)] = to_tuple(summary.own[k]);
  return out;
}

}  // namespace

nb::dict count_statuses(const ItemStatistics& counts) {
  nb::dict out;
  for (int s = 0; s < status_count; ++s) {
    const std::uint64_t n = counts.statuses[static_cast<std::size_t>(s)];
    if (n != 0) out[to_str(info(static_cast<Status>(s)).name)] = n;
  }
  return out;
}

nb::tuple summary_of(const ItemSummary& summary, const std::vector<Metric>& metrics,
                     std::span<const OwnMetric> own) {
  return nb::make_tuple(summary.counts.items, estimates(summary, metrics, own),
                        count_statuses(summary.counts));
}

}  // namespace warpath::python
