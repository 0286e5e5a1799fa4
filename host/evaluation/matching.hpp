#pragma once

#include <cstdint>
#include <vector>

#include "host/formats/dataset.hpp"
#include "warpath/convention.hpp"

namespace warpath {

/// Matches the entries of a prediction file with the items of a dataset by id. NDH names an item by
/// number where its annotations, brought into R2R's form, say number_0. The k-th line of a pairs
/// file is item and entry at once.
class Matching {
 public:
  static constexpr std::uint32_t no_item = ~std::uint32_t{0};

  Matching(const Dataset& dataset, const Predictions& predictions);

  /// The entries that predict an item, in the order of the file.
  const std::vector<std::uint32_t>& entries_of(std::size_t item) const { return entries_of_[item]; }
  /// The item that an entry predicts, or `no_item`.
  std::uint32_t item_of(std::size_t entry) const { return item_of_[entry]; }
  /// The entries whose id the dataset has not, in the order of the file.
  const std::vector<std::uint32_t>& unknown() const { return unknown_; }
  /// Whether an earlier line of a pairs file has the item's id, and with it all its entries.
  bool repeats(std::size_t item) const { return repeats_[item]; }

 private:
  std::vector<std::vector<std::uint32_t>> entries_of_;
  std::vector<std::uint32_t> item_of_, unknown_;
  std::vector<bool> repeats_;
};

/// Whether an item is among the instructions that are scored: all, or each path's first three.
bool is_scored_item(const Item& item, Instructions instructions);

}  // namespace warpath
