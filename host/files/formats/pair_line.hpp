#pragma once

#include <span>
#include <string>
#include <string_view>

#include "warpath/graph.hpp"

namespace warpath::formats {

/// Holds one pair as a line of a pairs file names it.
struct PairLine {
  std::string_view id, scan;  ///< of the pair, and the name of its scan in the dataset
  const Scan& graph;          ///< whose viewpoints the paths have
  std::span<const Node> reference, prediction;
};

/// Appends a line of a pairs file, as read_pairs() reads it.
void append_line(const PairLine& pair, std::string& text);

}  // namespace warpath::formats
