#include "host/files/evaluation/matching.hpp"

#include <string_view>
#include <unordered_map>

namespace warpath::evaluation {

Matching::Matching(const formats::Dataset& dataset, const formats::Predictions& predictions)
    : entries_of_(dataset.items.size()),
      item_of_(predictions.entries.size(), no_item),
      repeats_(dataset.items.size(), false) {
  std::unordered_map<std::string_view, std::uint32_t> item_with;
  item_with.reserve(dataset.items.size());
  const bool is_by_instruction = dataset.episodes && predictions.id_key == "instruction_id";
  for (std::uint32_t i = 0; i < dataset.items.size(); ++i) {
    const std::string& id =
        is_by_instruction ? dataset.episodes->instruction_ids[i] : dataset.items[i].id;
    repeats_[i] = !item_with.emplace(id, i).second;
  }
  for (std::uint32_t e = 0; e < predictions.entries.size(); ++e) {
    const std::string& id = predictions.entries[e].id;
    auto it = item_with.find(id);
    if (it == item_with.end() && predictions.format == formats::PredictionFormat::inst_idx) {
      it = item_with.find(id + "_0");
    }
    if (it == item_with.end()) {
      unknown_.push_back(e);
    } else {
      item_of_[e] = it->second;
      entries_of_[it->second].push_back(e);
    }
  }
}

bool is_scored_item(const formats::Item& item, Instructions instructions) {
  return instructions == Instructions::all || item.instruction < formats::first_instructions;
}

}  // namespace warpath::evaluation
