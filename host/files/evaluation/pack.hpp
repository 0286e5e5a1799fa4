#pragma once

#include <optional>
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
      : dataset_(dataset), graphs_(graphs), viewpoints_(viewpoints) {}

  /// @param task_success by instr_id; nullptr: SDTW takes SR.
  /// @throws InputError if `invalid` is error and a reference is empty or not on its graph.
  PackedRun pack(const formats::Predictions& predictions, const Convention& convention,
                 const formats::TaskSuccess* task_success = nullptr);

 private:
  // Maps viewpoint tokens to indices of one scan.
  struct ScanIndex {
    const Scan* scan = nullptr;
    std::unordered_map<formats::Token, Node> nodes;
  };
  class Packing;

  const ScanIndex& index(std::uint32_t scan);

  const formats::Dataset& dataset_;
  formats::Graphs& graphs_;
  formats::StringTable& viewpoints_;
  std::vector<ScanIndex> indices_;
};

}  // namespace warpath::evaluation
