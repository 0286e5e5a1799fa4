#pragma once

#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "host/files/evaluation/inputs.hpp"

namespace warpath::report {

/// Holds what explain() tells of one item and one agent, for programs. Without a pair of paths only
/// the first six fields have a value.
struct ExplainedItem {
  std::size_t run = 0;  ///< position among the results of an evaluation
  std::string instr_id, scan;
  std::string instruction;  ///< its text; empty if the dataset has none or it is not kept
  std::string language;     ///< of the instruction; empty if the dataset names none
  Status status = Status::ok;
  std::vector<std::string> reference, query;  ///< viewpoints; none of episodes
  /// Metres; empty if the graph has no positions. Of episodes y is up, but of flights z.
  std::vector<std::array<double, 3>> reference_positions, query_positions;
  bool is_z_up = true;            ///< the third coordinate of positions is the height
  std::vector<double> distances;  ///< d(q_j, r_i), [i][j]; empty if they are too many
  std::vector<std::pair<std::size_t, std::size_t>> warping;  ///< the optimal one, (i, j) from 0
  std::vector<std::string> goals;  ///< viewpoints that the task asks for, if it has a set of them
  Scores scores;                   ///< one row
};

/// Explains the scores of items for each agent, in the order of the evaluation's results and their
/// rows.
/// @throws InputError if no agent has an item of one of these ids
std::vector<ExplainedItem> explain_items(evaluation::Inputs& inputs,
                                         std::span<const std::string> ids,
                                         const Convention& convention);

/// The same for continuous episodes.
std::vector<ExplainedItem> explain_episodes(const evaluation::Inputs& inputs,
                                            std::span<const std::string> ids,
                                            const Convention& convention);

/// Refuses ids that no row has. @throws InputError that names the first of them
void require_all(const evaluation::Inputs& inputs, std::span<const std::string> ids,
                 const std::vector<ExplainedItem>& found);

}  // namespace warpath::report
