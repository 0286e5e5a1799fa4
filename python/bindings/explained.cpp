// What explains an item, as Python's objects.
#include "python/bindings/explained.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "python/bindings/columns.hpp"

namespace warpath::python {
namespace {

nb::list to_list(const std::vector<std::string>& texts) {
  nb::list list;
  for (const std::string& text : texts) list.append(to_str(text));
  return list;
}

nb::object to_array(const std::vector<std::array<double, 3>>& points) {
  auto values = std::make_unique<std::vector<double>>();
  for (const auto& p : points) values->insert(values->end(), p.begin(), p.end());
  return to_numpy(std::move(values), {points.size(), 3});
}

nb::dict metrics_of(const Scores& scores, const std::vector<Metric>& metrics) {
  nb::dict values;
  for (const Metric m : metrics) {
    if (scores.column[m].empty() || std::isnan(scores.at(m, 0))) continue;
    values[to_str(info(m).name)] = scores.at(m, 0);
  }
  return values;
}

nb::dict to_dict(const report::ExplainedItem& item, const std::vector<Metric>& metrics) {
  nb::dict out;
  out["run"] = item.run;
  out["instr_id"] = to_str(item.instr_id);
  out["scan"] = to_str(item.scan);
  out["instruction"] = to_str(item.instruction);
  out["language"] = to_str(item.language);
  out["status"] = to_str(info(item.status).name);
  out["reference"] = to_list(item.reference);
  out["query"] = to_list(item.query);
  out["reference_positions"] = to_array(item.reference_positions);
  out["query_positions"] = to_array(item.query_positions);
  out["is_z_up"] = item.is_z_up;
  const std::size_t rows = std::max(item.reference.size(), item.reference_positions.size());
  out["distances"] = to_numpy(std::make_unique<std::vector<double>>(item.distances),
                              {rows, rows == 0 ? 0 : item.distances.size() / rows});
  nb::list steps;
  for (const auto& [i, j] : item.warping) steps.append(nb::make_tuple(i, j));
  out["warping"] = steps;
  out["goals"] = to_list(item.goals);
  out["metrics"] = metrics_of(item.scores, metrics);
  return out;
}

}  // namespace

nb::list to_dicts(const std::vector<report::ExplainedItem>& items,
                  const std::vector<Metric>& metrics) {
  nb::list dicts;
  for (const report::ExplainedItem& item : items) dicts.append(to_dict(item, metrics));
  return dicts;
}

}  // namespace warpath::python
