#include "host/files/evaluation/dataset_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "host/core/base/progress.hpp"
#include "warpath/distances.hpp"

namespace warpath::evaluation {
namespace {

// Holds a reference with the items that share it.
struct Reference {
  std::uint32_t path;
  std::uint64_t items = 0;
  const formats::Item* first = nullptr;
};

bool repeats(std::span<const formats::Token> path) {
  return std::ranges::adjacent_find(path) != path.end();
}

// Tells whether a viewpoint is there again, after others.
bool revisits(std::span<const formats::Token> path) {
  std::set<formats::Token> left;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (k > 0 && path[k] != path[k - 1]) left.insert(path[k - 1]);
    if (left.contains(path[k])) return true;
  }
  return false;
}

// Measures the references of one scan.
class ScanReferences {
 public:
  ScanReferences(DatasetStatistics& out, const Inputs& inputs, const Scan& scan, Distance distance)
      : out_(out), inputs_(inputs), scan_(scan), distances_(scan, distance) {}

  void add(const Reference& reference) {
    const auto path = inputs_.dataset.references[reference.path];
    const auto count = [&](DatasetStatistics::Count& what, bool is_so) {
      if (is_so) what.add(reference.items, reference.first->id);
    };
    ++out_.paths;
    out_.items += reference.items;
    count(out_.empty, path.empty());
    if (path.empty()) return;
    out_.steps.add(static_cast<double>(path.size() - 1), reference.items);
    count(out_.single, path.size() == 1);
    count(out_.round_trips, path.size() > 1 && path.front() == path.back());
    count(out_.repeating, repeats(path));
    count(out_.revisiting, revisits(path));
    const auto nodes = nodes_of(path);
    count(out_.unknown, !nodes);
    if (!nodes) return;
    count(out_.off_edges, leaves_edges(*nodes));
    const double length = length_of(*nodes);
    const double shortest = distances_.between(nodes->front(), nodes->back());
    const bool is_cut_off = std::isinf(length) || std::isinf(shortest);
    count(out_.cut_off, is_cut_off);
    if (is_cut_off) return;
    out_.length.add(length, reference.items);
    out_.shortest.add(shortest, reference.items);
    count(out_.not_shortest, length > shortest + DatasetStatistics::shortest_tolerance);
  }

  std::size_t visited() const { return visited_.size(); }

 private:
  std::optional<std::vector<Node>> nodes_of(std::span<const formats::Token> path) {
    std::vector<Node> nodes;
    for (const formats::Token token : path) {
      const auto node = scan_.find(inputs_.viewpoints[token]);
      if (!node) return std::nullopt;
      nodes.push_back(*node);
      visited_.insert(*node);
    }
    return nodes;
  }

  bool leaves_edges(const std::vector<Node>& nodes) const {
    for (std::size_t k = 1; k < nodes.size(); ++k) {
      if (nodes[k] != nodes[k - 1] && !scan_.adjacent(nodes[k - 1], nodes[k])) return true;
    }
    return false;
  }

  double length_of(const std::vector<Node>& nodes) {
    double length = 0.0;
    for (std::size_t k = 1; k < nodes.size(); ++k) {
      length += distances_.between(nodes[k - 1], nodes[k]);
    }
    return length;
  }

  DatasetStatistics& out_;
  const Inputs& inputs_;
  const Scan& scan_;
  Distances distances_;
  std::set<Node> visited_;
};

// Returns the references of each scan, in the order of the dataset.
std::vector<std::vector<Reference>> references_of(const formats::Dataset& dataset) {
  std::vector<std::vector<Reference>> by_scan(dataset.scans.size());
  std::vector<std::optional<std::size_t>> place(dataset.references.size());
  for (const formats::Item& item : dataset.items) {
    std::vector<Reference>& references = by_scan[item.scan];
    if (!place[item.reference]) {
      place[item.reference] = references.size();
      references.push_back({item.reference, 0, &item});
    }
    ++references[*place[item.reference]].items;
  }
  return by_scan;
}

}  // namespace

void DatasetStatistics::Quantity::add(double value, std::uint64_t times) {
  by_path.add(value);
  path_bins.add(value);
  for (std::uint64_t k = 0; k < times; ++k) {
    by_item.add(value);
    item_bins.add(value);
  }
}

void DatasetStatistics::Count::add(std::uint64_t more_items, const std::string& id) {
  if (paths++ == 0) first = id;
  items += more_items;
}

DatasetStatistics dataset_statistics(Inputs& inputs, Distance distance) {
  DatasetStatistics statistics;
  const formats::Dataset& dataset = inputs.dataset;
  const auto references = references_of(dataset);
  base::Progress progress("measuring", dataset.scans.size(), "scans");
  for (std::size_t s = 0; s < dataset.scans.size(); ++s) {
    const Scan& scan = inputs.graphs.scan(dataset.scans[s]);
    ScanReferences measured(statistics, inputs, scan, distance);
    for (const Reference& reference : references[s]) measured.add(reference);
    ++statistics.scans;
    statistics.viewpoints += scan.size();
    statistics.edges += scan.edge_count();
    statistics.visited += measured.visited();
    if (const auto isolated = scan.isolated(); !isolated.empty()) {
      statistics.isolated.emplace_back(scan.id(), isolated.size());
    }
    progress.add();
  }
  for (const formats::Item& item : dataset.items) {
    ++statistics.languages[item.language];
    statistics.entries += item.instruction == 0;
  }
  if (dataset.task->count_entries != nullptr) {
    statistics.entries = dataset.task->count_entries(dataset);
  }
  return statistics;
}

}  // namespace warpath::evaluation
