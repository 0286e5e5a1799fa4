#pragma once

#include <memory>
#include <span>
#include <vector>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/pack.hpp"
#include "warpath/distances.hpp"

namespace warpath::evaluation {

/// Holds the paths and goals of one pair as viewpoints of its scan, with the scan's distances.
struct GoalPair {
  const formats::Item& item;
  std::span<const Node> reference, query;
  std::vector<Node> goals;  ///< the item's goal set; empty if it has none
  Distances& distances;

  Node end() const { return reference.back(); }
  bool is_goal(Node node) const;
  /// Returns the distance to the nearest goal. @pre there is one
  double to_goals(Node from) const;
  /// Returns the distance from the closest viewpoint of the query to another one.
  double from_query(Node to) const;
};

/// Gives the pairs of a packed run with their goals. One thread at a time may use it.
class GoalPairs {
 public:
  /// The arguments must outlive the object.
  GoalPairs(const Inputs& inputs, const PackedRun& run, Distance distance);

  /// Returns a pair. @throws InputError for a goal that is not on the graph of its scan
  GoalPair pair(std::size_t k);
  /// Finds a viewpoint of a pair's scan.
  /// @param what names the viewpoint for errors: "end_panos"
  /// @throws InputError if the graph does not have it
  Node find(std::size_t k, formats::Token viewpoint, const char* what);
  /// Returns the links by heading of a pair's scan; null if it has none.
  const formats::HeadingLinks* heading_links(std::size_t k) const;

 private:
  Distances& distances_of(std::uint32_t scan);

  const Inputs& inputs_;
  const PackedRun& run_;
  const Distance distance_;
  std::vector<std::unique_ptr<Distances>> distances_;  // by scan of the batch; null: not used yet
};

/// Leads a task to a pair of a packed run, to compute its own metrics from the others.
struct TaskPair {
  const formats::Dataset& dataset;
  const GoalPair& pair;
  GoalPairs& pairs;
  std::size_t k;  ///< number of the pair
  const formats::Prediction& prediction;
  double ideal_length;  ///< which SPL compares with PL
  const Convention& convention;
  Scores& scores;

  double get(Metric metric) const { return scores.at(metric, k); }
  void set(Metric metric, double value) const { scores.at(metric, k) = value; }
};

}  // namespace warpath::evaluation
