#pragma once

#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/graphs.hpp"
#include "host/files/formats/task_success.hpp"
#include "warpath/evaluate.hpp"
#include "warpath/paths.hpp"

namespace warpath::evaluation {

/// Says where a pair comes from.
struct PairSource {
  std::uint32_t item;   ///< of the dataset
  std::uint32_t entry;  ///< of the predictions
};

/// Holds an agent's predictions, ready to be scored: the batch for the back end, and every item
/// with its pair or the reason why it has none.
struct PackedRun {
  PairBatch batch;
  std::vector<PairSource> sources;  ///< by pair
  std::vector<ItemRow> rows;
};

/// Matches predictions with items by id, turns viewpoint names into indices, and applies the
/// convention's settings for repeats, starts, adjacency, instructions and duplicate ids.
class Packer {
 public:
  Packer(const formats::Dataset& dataset, formats::Graphs& graphs, formats::StringTable& viewpoints)
      : dataset_(dataset), graphs_(graphs), viewpoints_(viewpoints), scans_(dataset.scans.size()) {}

  /// @param task_success by instr_id; nullptr: SDTW takes SR.
  /// @throws InputError if `invalid` is error and a reference is empty or not on its graph.
  PackedRun pack(const formats::Predictions& predictions, const Convention& convention,
                 const formats::TaskSuccess* task_success = nullptr);

  /// Returns an item's reference as indices into its scan.
  /// @throws InputError if it is empty, or its scan has not one of its viewpoints
  std::vector<Node> reference_of(const formats::Item& item);
  /// Returns a scan of the dataset by its number there.
  const Scan& scan_of(std::uint32_t scan);

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static std::uint64_t key_of(std::uint32_t scan, formats::Token viewpoint) {
    return std::uint64_t{scan} << 32 | viewpoint;
  }
  // The index of a viewpoint in the first scan that has it, which nearly always is the only one.
  struct Home {
    std::uint32_t scan = none;
    Node node = 0;
  };
  class Packing;

  void load(std::span<const std::uint32_t> scans);
  void load(std::uint32_t scan);
  // Returns a scan that is loaded; null if it is not.
  const Scan* scan(std::uint32_t number) const { return scans_[number]; }
  // Returns the index of a viewpoint in a scan that is loaded; none if the scan has no such one.
  Node node_of(formats::Token viewpoint, std::uint32_t scan) const;

  const formats::Dataset& dataset_;
  formats::Graphs& graphs_;
  formats::StringTable& viewpoints_;
  std::vector<const Scan*> scans_;                  // by scan of the dataset; null: not loaded
  std::vector<Home> homes_;                         // by token
  std::unordered_map<std::uint64_t, Node> others_;  // of further scans, by scan and token
};

}  // namespace warpath::evaluation
