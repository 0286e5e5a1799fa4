#include "host/files/evaluation/matching.hpp"

#include <tbb/parallel_for.h>

#include <numeric>

namespace warpath::evaluation {
Matching::Matching(const formats::Dataset& dataset, const formats::Predictions& predictions)
    : item_of_(predictions.entries.size(), no_item),
      entries_(predictions.entries.size()),
      first_(dataset.items.size() + 1),
      repeats_(dataset.items.size(), false) {
  const bool is_by_instruction = dataset.episodes && predictions.id_key == "instruction_id";
  const auto id_of = [&](std::uint32_t item) -> const std::string& {
    return is_by_instruction ? dataset.episodes->instruction_ids[item] : dataset.items[item].id;
  };
  formats::IdTable items(dataset.items.size());
  const auto count = static_cast<std::uint32_t>(dataset.items.size());
  if (!items.add_all(count, id_of)) {
    for (std::uint32_t i = 0; i < count; ++i) repeats_[i] = items.find(id_of(i), id_of) != i;
  }
  tbb::parallel_for(std::size_t{0}, item_of_.size(), [&](std::size_t e) {
    const std::string& id = predictions.entries[e].id;
    item_of_[e] = items.find(id, id_of);
    if (item_of_[e] == no_item && predictions.format == formats::PredictionFormat::inst_idx) {
      item_of_[e] = items.find(id + "_0", id_of);
    }
    if (item_of_[e] == no_item && predictions.id_key == formats::trajectory_and_episode_key) {
      item_of_[e] = items.find(id.substr(id.rfind('_') + 1), id_of);
    }
  });
  // Sorts the entries by item, in the order of the file.
  for (std::uint32_t e = 0; e < item_of_.size(); ++e) {
    if (item_of_[e] == no_item)
      unknown_.push_back(e);
    else
      ++first_[item_of_[e] + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::uint32_t e = 0; e < item_of_.size(); ++e) {
    if (item_of_[e] != no_item) entries_[next[item_of_[e]]++] = e;
  }
}

bool is_scored_item(const formats::Item& item, Instructions instructions) {
  return instructions == Instructions::all || item.instruction < formats::first_instructions;
}

}  // namespace warpath::evaluation
