#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/files/evaluation/inputs.hpp"
#include "warpath/histogram.hpp"
#include "warpath/statistics.hpp"

namespace warpath::evaluation {

/// Describes the references of a dataset: their lengths, and what is unusual about them. Equal
/// references of a scan are one path.
struct DatasetStatistics {
  /// How many metres PL(R) may exceed the shortest path; sums of lengths differ by less.
  static constexpr double shortest_tolerance = 1e-6;

  /// Holds one quantity: each path counted once, or once for each of its items.
  struct Quantity {
    explicit Quantity(Unit unit) : by_path(unit), by_item(unit), path_bins(unit), item_bins(unit) {}

    /// @param times the number of items of a path that has this value.
    void add(double value, std::uint64_t times);

    Statistics by_path, by_item;
    Histogram path_bins, item_bins;
  };
  /// Counts the references of which something is true.
  struct Count {
    std::uint64_t paths = 0, items = 0;
    std::string first{};  ///< id of the first such item

    void add(std::uint64_t more_items, const std::string& id);
  };

  std::uint64_t entries = 0;  ///< of the file that have items
  std::uint64_t items = 0, paths = 0;
  Quantity steps{Unit::count};      ///< moves of the reference, |R| − 1
  Quantity length{Unit::length};    ///< PL(R); not of references that are cut off
  Quantity shortest{Unit::length};  ///< d(r_1, r_|R|), likewise
  Count not_shortest;               ///< longer than the shortest path, by more than the tolerance
  Count round_trips;                ///< of several viewpoints, and r_1 = r_|R|
  Count revisiting;                 ///< a viewpoint is there again, after others
  Count repeating;                  ///< a viewpoint follows itself
  Count off_edges;                  ///< a move to another viewpoint that is no edge
  Count cut_off;                    ///< no path leads along the reference, or to its goal
  Count single;                     ///< of one viewpoint, as in test splits
  Count empty;                      ///< of none
  Count unknown;                    ///< a viewpoint that the graph has not; no lengths

  std::uint64_t scans = 0, viewpoints = 0, edges = 0;  ///< of the graphs of the dataset's scans
  std::uint64_t visited = 0;                           ///< viewpoints on any reference
  std::vector<std::pair<std::string, std::uint64_t>> isolated;  ///< viewpoints without edges, by
                                                                ///< scan; scans that have some
  std::map<std::string, std::uint64_t> languages;  ///< items by language; "" if none is named
};

/// Measures a dataset on its graphs. Graphs of all its scans are read.
/// @param distance of lengths: metres, or edges under hops.
/// @throws InputError for a graph that cannot be used
DatasetStatistics dataset_statistics(Inputs& inputs, Distance distance);

}  // namespace warpath::evaluation
