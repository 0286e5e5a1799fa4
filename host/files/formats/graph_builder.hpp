#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpath/error.hpp"
#include "warpath/graph.hpp"

namespace warpath::formats {

/// Collects the viewpoints and edges of a scan while its file is read, and checks them. An edge
/// leads both ways and may be given several times, in either direction, if its weights agree. That
/// of a directed scan leads one way; one in the other direction is another edge.
class GraphBuilder {
 public:
  /// @param tolerance maximal difference of two weights of the same edge, metres; the first is
  /// kept.
  explicit GraphBuilder(double tolerance = 0.0, bool is_directed = false)
      : tolerance_(tolerance), is_directed_(is_directed) {}

  /// Adds a viewpoint. @throws InputError if it exists already
  Node add_node(std::string id, const InputError::Where& where);
  Node add_node(std::string id, std::array<double, 3> position, const InputError::Where& where);
  /// Returns the viewpoint of that id, after adding it if it does not exist yet.
  Node find_or_add(std::string_view id);
  /// Returns the viewpoint of that id. @throws InputError if there is none
  Node find(const std::string& id, const InputError::Where& where) const;

  /// Adds an edge.
  /// @param where names the edge in the file; also used by the error about another edge that
  /// contradicts it.
  /// @throws InputError for an edge from a viewpoint to itself, a negative weight, or a weight that
  /// differs from the edge's first.
  void add_edge(const Edge& edge, const InputError::Where& where);

  std::size_t size() const { return ids_.size(); }
  const std::string& id(Node n) const { return ids_[n]; }

  /// Makes the scan and leaves the builder empty. If any viewpoint was added without a position, no
  /// viewpoint of the scan has one.
  /// @param distances ready distances, see Scan; empty: none
  std::unique_ptr<Scan> build(const std::string& scan, std::vector<double> distances = {}) &&;

 private:
  double tolerance_;
  bool is_directed_;
  std::vector<std::string> ids_;
  std::vector<std::array<double, 3>> positions_;
  std::unordered_map<std::string, Node> index_;
  std::vector<Edge> edges_;
  std::vector<std::string> edge_items_;                     // by edge: its name in the file
  std::unordered_map<std::uint64_t, std::size_t> edge_of_;  // by its two viewpoints
};

}  // namespace warpath::formats
