#pragma once

#include <optional>
#include <span>
#include <vector>

#include "host/files/generators/item_words.hpp"
#include "warpath/graph.hpp"

namespace warpath::generators {

/// Draws the perturbation `random_walk`: walks that keep one end of a path, by attempts, and by
/// looking at all of them where attempts fail. Both draw from the same distribution: that of the
/// first admissible attempt (see warpath/perturbations.hpp).
class WalkResampler {
 public:
  WalkResampler(const Scan& scan, std::span<const Node> path);

  /// Draws one attempt: the kept end by `below(2)`, 0 the first two viewpoints; how many steps it
  /// takes by `below(3)`, 0 one fewer than the path; each step by `below` of the number of choices,
  /// in the order of Scan::neighbours. Returns nothing if it is not admissible.
  std::optional<std::vector<Node>> attempt(ItemWords& words);

  /// Draws among all admissible walks, each with its probability as an attempt: `unit` once for
  /// each walk. Returns nothing if there is none, or if more than `max_visits` viewpoints would
  /// have to be looked at.
  std::optional<std::vector<Node>> choose(ItemWords& words);

  static constexpr std::uint64_t max_visits = std::uint64_t{1} << 24;

 private:
  class Search;

  bool begin(bool keeps_first);
  bool is_admissible() const;
  void push(Node n);
  void pop();
  std::vector<Node> result() const;

  const Scan& scan_;
  std::vector<Node> path_, reversed_;
  std::vector<char> on_path_, visited_;
  // Of the walk that is being made, from its kept end on.
  bool keeps_first_ = true;
  std::vector<Node> walk_;
  std::size_t shared_ = 0;  // its viewpoints of the path, beside the two kept
};

}  // namespace warpath::generators
