#include "host/files/evaluation/item_rows.hpp"

#include <cmath>
#include <limits>

namespace warpath::evaluation {

std::span<const std::uint32_t> taken(std::span<const std::uint32_t> entries,
                                     Duplicates duplicates) {
  switch (duplicates) {
    case Duplicates::first:
      return entries.first(1);
    case Duplicates::last:
      return entries.last(1);
    case Duplicates::each:
      break;
  }
  return entries;
}

ItemRow& add_row(const formats::Dataset& dataset, const formats::Item& item,
                 std::size_t n_reference, Status status, std::vector<ItemRow>& rows) {
  ItemRow& row = rows.emplace_back();
  row.instr_id = item.id;
  row.scan = dataset.scans[item.scan];
  row.language = item.language;
  row.reference = item.reference;
  row.n_reference = static_cast<std::uint32_t>(n_reference);
  row.status = status;
  return row;
}

void add_unknown(const Matching& matching, const formats::Predictions& predictions,
                 std::vector<ItemRow>& rows) {
  for (const std::uint32_t e : matching.unknown()) {
    ItemRow& row = rows.emplace_back();
    row.instr_id = predictions.entries[e].id;
    row.status = Status::unknown_id;
    row.in_dataset = false;
  }
}

bool add_task_success(const formats::TaskSuccess* task_success, const std::string& id,
                      std::vector<double>& successes) {
  if (task_success == nullptr) return true;
  const auto it = task_success->values.find(id);
  const double success =
      it != task_success->values.end() ? it->second : std::numeric_limits<double>::quiet_NaN();
  successes.push_back(success);
  return !std::isnan(success);
}

}  // namespace warpath::evaluation
