#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpath/error.hpp"
#include "warpath/graph.hpp"

namespace warpath {

/// Collects the viewpoints and edges of a scan while its file is read, and checks them. Edges lead
/// both ways; one may be given several times, in either direction, where its weights agree.
class GraphBuilder {
 public:
  /// @param tolerance of two weights of the same edge, metres; the first is kept.
  explicit GraphBuilder(double tolerance = 0.0) : tolerance_(tolerance) {}

  /// @throws InputError where the viewpoint is there already.
  Node add_node(std::string id, const InputError::Where& where);
  Node add_node(std::string id, std::array<double, 3> position, const InputError::Where& where);
  /// The viewpoint of that id, which is added where it is not there yet.
  Node find_or_add(std::string_view id);
  /// @throws InputError where there is no such viewpoint.
  Node find(const std::string& id, const InputError::Where& where) const;

  /// @param where names the edge in the file, also in the error about another that contradicts it.
  /// @throws InputError for an edge from a viewpoint to itself, a negative weight, or another
  ///   weight than the edge has already.
  void add_edge(const Edge& edge, const InputError::Where& where);

  std::size_t size() const { return ids_.size(); }
  const std::string& id(Node n) const { return ids_[n]; }

  /// Makes the scan of what was collected, which is then gone. Where viewpoints were added without
  /// positions, all of the scan's are without.
  std::unique_ptr<Scan> build(const std::string& scan) &&;

 private:
  double tolerance_;
  std::vector<std::string> ids_;
  std::vector<std::array<double, 3>> positions_;
  std::unordered_map<std::string, Node> index_;
  std::vector<Edge> edges_;
  std::vector<std::string> edge_items_;                     // by edge: how the file names it
  std::unordered_map<std::uint64_t, std::size_t> edge_of_;  // by its two viewpoints
};

}  // namespace warpath
