#include "host/files/generators/join_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "host/core/graph/search.hpp"
#include "host/files/generators/networkx_paths.hpp"
#include "host/files/io/counted.hpp"

namespace warpath::generators {
namespace {

// Returns the direction from a to b, counter-clockwise from +x, in [0, 2 pi).
double direction(const Scan& scan, Node a, Node b) {
  const auto &from = scan.positions()[a], &to = scan.positions()[b];
  const double angle = std::atan2(to[1] - from[1], to[0] - from[0]);
  return angle < 0.0 ? angle + 2.0 * std::numbers::pi : angle;
}

class Joiner {
 public:
  Joiner(const formats::PathAnnotations& annotations, std::span<const std::uint32_t> members,
         const Scan& scan, const R4rOptions& options)
      : annotations_(annotations),
        members_(members),
        options_(options),
        distances_(scan, Distance::euclid_3d) {
    graph::require_paths(distances_.graph());
    out_.scan = &scan;
    for (const std::uint32_t p : members) add_nodes(annotations.paths[p]);
    if (options.heading_threshold) check_positions();
  }

  JoinedPaths join() {
    std::vector<Node> ends;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      ends.push_back(nodes_[m].front());
      ends.push_back(nodes_[m].back());
    }
    distances_.make_rows(ends);
    for (std::size_t m = 0; m < members_.size(); ++m) add_input(m);
    for (std::size_t a = 0; a < members_.size(); ++a) {
      for (std::size_t b = 0; b < members_.size(); ++b) {
        if (!is_near(a, b))
          ++out_.too_far;
        else if (!is_ahead(a, b))
          ++out_.too_turned;
        else
          add(a, b);
      }
    }
    return std::move(out_);
  }

 private:
  const formats::PathAnnotation& annotation(std::size_t m) const {
    return annotations_.paths[members_[m]];
  }

  void add_nodes(const formats::PathAnnotation& path) {
    if (path.path.size() < 2) {
      throw InputError(
          annotations_.where(path, "path"),
          fmt::format("has {}, too few to be joined", io::counted(path.path.size(), "viewpoint")),
          "a test split has no references: join train or val");
    }
    for (const std::string& viewpoint : path.path) {
      const auto node = out_.scan->find(viewpoint);
      if (!node) {
        throw InputError(annotations_.where(path, "path"),
                         fmt::format("names the viewpoint {}, which the graph of scan {} has not",
                                     viewpoint, out_.scan->id()),
                         "check --graphs, or repair the path");
      }
      nodes_.elements.push_back(*node);
    }
    nodes_.end_path();
  }

  // Headings of a graph whose viewpoints all lie at one place would all be 0.
  void check_positions() const {
    const auto positions = out_.scan->positions();
    const bool is_one_place = std::ranges::all_of(
        positions, [&](const auto& position) { return position == positions.front(); });
    if (!is_one_place) return;
    throw InputError({annotations_.file, "scan " + out_.scan->id()},
                     "its graph has no positions, so paths have no direction",
                     "leave --heading-threshold away, or give the viewpoints positions");
  }

  void add_input(std::size_t m) {
    const formats::PathAnnotation& path = annotation(m);
    const Node start = nodes_[m].front(), goal = nodes_[m].back();
    shortest_.clear();
    append_shortest(m, start, goal, shortest_);
    add_path(out_.inputs, path.instructions.size(), path.distance, between(start, goal),
             path.path.size(), shortest_.size());
  }

  double between(Node from, Node to) { return distances_.row(from)[to]; }

  bool is_near(std::size_t a, std::size_t b) {
    const double distance = between(nodes_[a].back(), nodes_[b].front());
    if (std::isinf(distance)) return false;
    return options_.compare == Compare::less ? distance < options_.threshold_m
                                             : distance <= options_.threshold_m;
  }

  bool is_ahead(std::size_t a, std::size_t b) const {
    if (!options_.heading_threshold) return true;
    const auto path = nodes_[a];
    const double last = direction(*out_.scan, path[path.size() - 2], path.back());
    return std::abs(annotation(b).heading - last) <= *options_.heading_threshold;
  }

  void append_shortest(std::size_t m, Node from, Node to, std::vector<Node>& path) {
    if (std::isinf(between(from, to))) {
      throw InputError(annotations_.where(annotation(m), "path"),
                       fmt::format("no path leads from {} to {}", out_.scan->viewpoint(from),
                                   out_.scan->viewpoint(to)),
                       "remove the path, or give the graph the missing edges");
    }
    finder_.append(from, to, path);
  }

  void add(std::size_t a, std::size_t b) {
    const auto first = nodes_[a], second = nodes_[b];
    std::vector<Node>& path = out_.paths.elements;
    path.insert(path.end(), first.begin(), first.end() - 1);
    append_shortest(a, first.back(), second.front(), path);
    path.insert(path.end(), second.begin() + 1, second.end());
    out_.paths.end_path();
    append_shortest(a, first.front(), second.back(), out_.shortest.elements);
    out_.shortest.end_path();
    out_.pairs.push_back({.first = members_[a],
                          .second = members_[b],
                          .distance = annotation(a).distance +
                                      between(first.back(), second.front()) +
                                      annotation(b).distance,
                          .shortest_distance = between(first.front(), second.back())});
  }

  const formats::PathAnnotations& annotations_;
  std::span<const std::uint32_t> members_;
  const R4rOptions& options_;
  JoinedPaths out_;
  PathSet nodes_;  // of each member
  std::vector<Node> shortest_;
  Distances distances_;
  NetworkxPaths finder_{distances_};
};

}  // namespace

JoinedPaths join_paths(const formats::PathAnnotations& annotations,
                       std::span<const std::uint32_t> members, const Scan& scan,
                       const R4rOptions& options) {
  return Joiner(annotations, members, scan, options).join();
}

void add_path(PathSummary& summary, std::size_t samples, double length, double shortest,
              std::size_t viewpoints, std::size_t shortest_viewpoints) {
  ++summary.paths;
  summary.samples += samples;
  summary.length.add(length);
  summary.lengths.add(length);
  summary.shortest.add(shortest);
  summary.shortests.add(shortest);
  summary.viewpoints.add(static_cast<double>(viewpoints));
  summary.shortest_viewpoints.add(static_cast<double>(shortest_viewpoints));
}

void add_paths(PathSummary& summary, const PathSummary& other) {
  summary.paths += other.paths;
  summary.samples += other.samples;
  summary.length.merge(other.length);
  summary.lengths.merge(other.lengths);
  summary.shortest.merge(other.shortest);
  summary.shortests.merge(other.shortests);
  summary.viewpoints.merge(other.viewpoints);
  summary.shortest_viewpoints.merge(other.shortest_viewpoints);
}

}  // namespace warpath::generators
