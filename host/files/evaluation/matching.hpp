#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/id_table.hpp"
#include "warpath/convention.hpp"

namespace warpath::evaluation {

/// Matches the entries of a prediction file with the items of a dataset by id. An NDH item may be
/// called by its number where its annotations, converted to R2R's form, say number_0. In a pairs
/// file, line k is both item and entry.
class Matching {
 public:
  static constexpr std::uint32_t no_item = formats::IdTable::none;

  Matching(const formats::Dataset& dataset, const formats::Predictions& predictions);

  /// Returns the entries that predict an item, in the order of the file.
  std::span<const std::uint32_t> entries_of(std::size_t item) const {
    return std::span(entries_).subspan(first_[item], first_[item + 1] - first_[item]);
  }
  /// Returns the item that an entry predicts, or `no_item`.
  std::uint32_t item_of(std::size_t entry) const { return item_of_[entry]; }
  /// Returns the entries whose id is not in the dataset, in the order of the file.
  const std::vector<std::uint32_t>& unknown() const { return unknown_; }
  /// Tells whether an earlier line of a pairs file has the item's id; that line has all its
  /// entries.
  bool repeats(std::size_t item) const { return repeats_[item]; }

 private:
  std::vector<std::uint32_t> item_of_, unknown_;
  std::vector<std::uint32_t> entries_, first_;  // by item: those from first_[i] to first_[i + 1]
  std::vector<bool> repeats_;
};

/// Tells whether an item is among the instructions that are scored: all, or each path's first
/// three.
bool is_scored_item(const formats::Item& item, Instructions instructions);

}  // namespace warpath::evaluation
