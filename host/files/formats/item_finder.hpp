#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/id_table.hpp"

namespace warpath::formats {

/// Finds the items of a dataset by their ids; of equal ids the first. Several threads may use it.
class ItemFinder {
 public:
  /// @param dataset must outlive the object
  /// @param by_instruction by the ids of instructions, which episodes have besides their own
  explicit ItemFinder(const Dataset& dataset, bool by_instruction = false)
      : dataset_(dataset), by_instruction_(by_instruction) {
    if (dataset.ids && !by_instruction) return;
    const auto count = static_cast<std::uint32_t>(dataset.items.size());
    are_different_ = made_.emplace(count).add_all(count, *this);
  }
  ItemFinder(const ItemFinder&) = delete;
  ItemFinder& operator=(const ItemFinder&) = delete;

  bool are_different() const { return are_different_; }

  /// Returns the item that has an id; IdTable::none if there is none.
  std::uint32_t find(std::string_view id) const { return table().find(id, *this); }

  /// Does the same, faster where ids are asked for in about the order of the items.
  /// @param next 0 at first; the call's own
  std::uint32_t find_next(std::string_view id, std::uint32_t& next) const {
    return are_different_ ? table().find_next(id, *this, next) : find(id);
  }

  /// Returns the id of an item, as IdTable asks for it.
  const std::string& operator()(std::uint32_t item) const {
    return by_instruction_ ? dataset_.episodes->instruction_ids[item] : dataset_.items[item].id;
  }

 private:
  const IdTable& table() const { return made_ ? *made_ : *dataset_.ids; }

  const Dataset& dataset_;
  const bool by_instruction_;
  std::optional<IdTable> made_;  // nothing: the dataset has one
  bool are_different_ = true;
};

}  // namespace warpath::formats
