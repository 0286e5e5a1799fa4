#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/cpu/isa.hpp"
#include "host/cpu/tables.hpp"
#include "warpath/paths.hpp"

namespace warpath::cpu {

/// What all pairs with one reference share. NaN where nobody asks for it.
struct ReferenceTerms {
  float length, start_to_goal;
  float cls_length;  ///< PL(R) inside CLS, where that is not `length`
};

/// Pairs that are sorted and scored together, and their results until these go to their rows. One
/// per thread; memory stays from window to window.
class Window {
 public:
  /// Lays out the pairs of `rows` (not empty), sorted by (|R|, |Q|) so that pairs side by side are
  /// of like size. @param cls_query_lengths by query, or empty where CLS takes PL.
  void fill(std::span<const std::uint32_t> rows, const PairBatch& batch, const Tables& tables,
            std::span<const ReferenceTerms> references, std::span<const float> cls_query_lengths);

  /// Room for results; the columns of `metrics`.
  const Outputs& outputs(std::span<const int> metrics);

  std::size_t size() const { return order_.size(); }
  const Tasks& tasks() const { return tasks_; }
  /// The row of the batch that pair number p is.
  std::uint32_t row(std::size_t p) const { return order_[p]; }

  Workspace workspace;
  std::vector<float> shared_table;

 private:
  void sort(std::span<const std::uint32_t> rows, const PairBatch& batch);
  void resize(std::size_t entries);

  std::vector<std::uint32_t> order_, scratch_, count_;
  std::vector<const Node*> nodes_;
  std::vector<std::int32_t> integers_;
  std::vector<float> reals_, values_;
  std::vector<std::uint32_t> flags_;
  Tasks tasks_{};
  Outputs outputs_{};
};

}  // namespace warpath::cpu
