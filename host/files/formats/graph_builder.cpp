#include "host/files/formats/graph_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpath::formats {
namespace {

std::string weight_text(const std::optional<double>& weight) {
  return weight ? fmt::format("the weight {}", *weight) : "no weight";
}

}  // namespace

Node GraphBuilder::add_node(std::string id, const InputError::Where& where) {
  const auto node = static_cast<Node>(ids_.size());
  if (!index_.emplace(id, node).second) {
    throw InputError(where, "the node is there twice", "give each node an id of its own");
  }
  ids_.push_back(std::move(id));
  return node;
}

Node GraphBuilder::add_node(std::string id, std::array<double, 3> position,
                            const InputError::Where& where) {
  positions_.push_back(position);
  return add_node(std::move(id), where);
}

Node GraphBuilder::find_or_add(std::string_view id) {
  const auto [it, is_new] = index_.emplace(id, static_cast<Node>(ids_.size()));
  if (is_new) ids_.emplace_back(id);
  return it->second;
}

Node GraphBuilder::find(const std::string& id, const InputError::Where& where) const {
  const auto it = index_.find(id);
  if (it == index_.end()) {
    throw InputError(where, fmt::format("names the node '{}', which is not there", id),
                     "add the node or remove the edge");
  }
  return it->second;
}

void GraphBuilder::add_edge(const Edge& edge, const InputError::Where& where) {
  if (edge.from == edge.to) {
    throw InputError(where, "joins a node with itself", "remove the edge");
  }
  if (edge.weight && *edge.weight < 0.0) {
    throw InputError({where.file, where.item, "weight"},
                     fmt::format("is negative, {}", *edge.weight), "weights are lengths in metres");
  }
  auto [from, to] = std::pair(edge.from, edge.to);
  if (!is_directed_ && from > to) std::swap(from, to);
  const auto [it, is_new] = edge_of_.emplace(std::uint64_t{from} << 32 | to, edges_.size());
  if (is_new) {
    edges_.push_back(edge);
    edge_items_.push_back(where.item);
    return;
  }
  const std::optional<double>& first = edges_[it->second].weight;
  const bool agree = first && edge.weight ? std::abs(*first - *edge.weight) <= tolerance_
                                          : first.has_value() == edge.weight.has_value();
  if (agree) return;
  throw InputError(where,
                   fmt::format("{} and {} are joined with {} here, with {} at {}", ids_[edge.from],
                               ids_[edge.to], weight_text(edge.weight), weight_text(first),
                               edge_items_[it->second]),
                   is_directed_ ? "keep one of the two edges"
                                : "edges lead both ways: give both the same weight, or keep one");
}

std::unique_ptr<Scan> GraphBuilder::build(const std::string& scan,
                                          std::vector<double> distances) && {
  if (positions_.size() != ids_.size()) positions_.clear();
  const std::vector<Edge> edges = std::move(edges_);
  return std::make_unique<Scan>(scan, std::move(ids_), std::move(positions_), edges,
                                std::move(distances), is_directed_);
}

}  // namespace warpath::formats
