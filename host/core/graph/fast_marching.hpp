#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "warpath/graph.hpp"

namespace warpath::graph {

/// Finds distances on a lattice by the fast marching method of second order, with the bits of
/// `skfmm.distance(phi, dx=spacing)` of scikit-fmm 2025.6.23, where phi is 0 at the goal, 1 at all
/// other viewpoints, and masked elsewhere. One object per thread.
///
/// A viewpoint's distance solves |grad d| = 1 with differences towards its nearer neighbours that
/// are *frozen*: of second order where the neighbour behind is frozen, too, and no farther. The
/// least distance of those that wait is frozen next, and with it all that are equal.
class FastMarching {
 public:
  /// Writes d(n, goal) for every viewpoint n that can be reached. @pre `distance` is +inf
  /// everywhere
  void all(const Lattice& lattice, Node goal, double* distance);

  /// Marches until the distances of all these viewpoints are final. operator[] returns them until
  /// the next march; +inf: the viewpoint cannot be reached.
  void to(const Lattice& lattice, Node goal, std::span<const Node> from);
  double operator[](Node n) const { return distance_[n]; }

 private:
  enum class State : std::uint8_t { far, waiting, frozen };

  void prepare(const Lattice& lattice);
  void run(const Lattice& lattice, Node goal, std::size_t targets);
  bool freeze_next();
  void freeze(Node n);
  bool has_waiting();
  void update_around(Node n);
  void update(Node n);
  double second_order(Node n) const;
  double first_order(Node n) const;
  bool is_frozen(Node n) const { return n != Lattice::none && state_[n] == State::frozen; }

  const Lattice* lattice_ = nullptr;
  double per_square_ = 0.0;                       // 1 / spacing²
  std::size_t left_ = 0;                          // targets that are not frozen
  std::vector<double> distance_;                  // +inf except for touched_
  std::vector<State> state_;                      // far except for touched_
  std::vector<std::uint8_t> is_target_;           // by the last march
  std::vector<Node> touched_;                     // by the last march
  std::vector<std::pair<double, Node>> waiting_;  // a heap; may have distances that changed since
  std::vector<Node> frozen_;                      // last, all at one distance
};

}  // namespace warpath::graph
