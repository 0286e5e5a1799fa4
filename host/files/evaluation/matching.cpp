#include "host/files/evaluation/matching.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <numeric>

#include "host/files/formats/item_finder.hpp"

namespace warpath::evaluation {
Matching::Matching(const formats::Dataset& dataset, const formats::Predictions& predictions)
    : item_of_(predictions.entries.size(), no_item),
      entries_(predictions.entries.size()),
      first_(dataset.items.size() + 1),
      repeats_(dataset.items.size(), false) {
  const bool is_by_instruction = dataset.episodes && predictions.id_key == "instruction_id";
  const formats::ItemFinder items(dataset, is_by_instruction);
  if (!items.are_different()) {
    for (std::uint32_t i = 0; i < repeats_.size(); ++i) repeats_[i] = items.find(items(i)) != i;
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, item_of_.size()), [&](const auto& range) {
    auto next = static_cast<std::uint32_t>(range.begin());
    for (std::size_t e = range.begin(); e < range.end(); ++e) {
      const std::string& id = predictions.entries[e].id;
      item_of_[e] = items.find_next(id, next);
      if (item_of_[e] == no_item && predictions.format == formats::PredictionFormat::inst_idx) {
        item_of_[e] = items.find(id + "_0");
      }
      if (item_of_[e] == no_item && predictions.id_key == formats::trajectory_and_episode_key) {
        item_of_[e] = items.find(id.substr(id.rfind('_') + 1));
      }
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
