#include "host/core/graph/fast_marching.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

namespace warpath::graph {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();

// Sums terms factor · (d − value)² = 1 of an equation in d. The order of operations is
// scikit-fmm's: other last bits would freeze equal distances one after the other, which changes
// digits that count.
struct Quadratic {
  double a = 0.0, b = 0.0, c = 0.0;

  void add(double factor, double value) {
    a += factor;
    b -= factor * 2.0 * value;
    c += factor * (value * value);
  }
  void add_second_order(double factor, double value) {
    constexpr double weight = 9.0 / 4.0;
    a += factor * weight;
    b -= factor * 2.0 * weight * value;
    c += factor * weight * (value * value);
  }
  // Returns the larger root; nothing if there is none.
  std::optional<double> root() const {
    const double determinant = b * b - 4.0 * a * (c - 1.0);
    if (!(determinant >= 0.0)) return std::nullopt;
    return (-b + std::sqrt(determinant)) / 2.0 / a;
  }
};

}  // namespace

void FastMarching::all(const Lattice& lattice, Node goal, double* distance) {
  prepare(lattice);
  run(lattice, goal, lattice.neighbours.size() + 1);
  for (const Node n : touched_) distance[n] = distance_[n];
}

void FastMarching::to(const Lattice& lattice, Node goal, std::span<const Node> from) {
  prepare(lattice);
  std::size_t targets = 0;
  for (const Node n : from) {
    targets += is_target_[n] == 0;
    is_target_[n] = 1;
  }
  run(lattice, goal, targets);
  for (const Node n : from) is_target_[n] = 0;  // clears those that were not reached
}

void FastMarching::prepare(const Lattice& lattice) {
  for (const Node n : touched_) {
    state_[n] = State::far;
    distance_[n] = unreached;
  }
  touched_.clear();
  waiting_.clear();
  const std::size_t size = lattice.neighbours.size();
  if (state_.size() < size) {
    state_.resize(size, State::far);
    distance_.resize(size, unreached);
    is_target_.resize(size, 0);
  }
}

void FastMarching::run(const Lattice& lattice, Node goal, std::size_t targets) {
  lattice_ = &lattice;
  per_square_ = 1.0 / lattice.spacing / lattice.spacing;
  left_ = targets;
  frozen_.clear();
  touched_.push_back(goal);
  distance_[goal] = 0.0;
  freeze(goal);
  do {
    for (const Node n : frozen_) update_around(n);
  } while (left_ > 0 && freeze_next());
}

// Freezes all viewpoints at the least distance that waits. Returns false if none waits.
bool FastMarching::freeze_next() {
  frozen_.clear();
  if (!has_waiting()) return false;
  const double least = waiting_.front().first;
  do {
    freeze(waiting_.front().second);
  } while (has_waiting() && waiting_.front().first == least);
  return true;
}

void FastMarching::freeze(Node n) {
  state_[n] = State::frozen;
  frozen_.push_back(n);
  left_ -= is_target_[n];
  is_target_[n] = 0;
}

// Takes from the top of the heap what does not hold any more.
bool FastMarching::has_waiting() {
  while (!waiting_.empty()) {
    const auto [distance, n] = waiting_.front();
    if (state_[n] == State::waiting && distance_[n] == distance) return true;
    std::ranges::pop_heap(waiting_, std::greater{});
    waiting_.pop_back();
  }
  return false;
}

// A viewpoint counts for its neighbours, and for those behind them as the second on the way.
void FastMarching::update_around(Node n) {
  for (std::size_t way = 0; way < 4; ++way) {
    const Node next = lattice_->neighbours[n][way];
    if (next == Lattice::none) continue;
    if (state_[next] != State::frozen) {
      update(next);
      continue;
    }
    const Node behind = lattice_->neighbours[next][way];
    if (behind != Lattice::none && state_[behind] == State::waiting) update(behind);
  }
}

void FastMarching::update(Node n) {
  const double distance = second_order(n);
  if (state_[n] == State::far) {
    state_[n] = State::waiting;
    touched_.push_back(n);
  } else if (distance == distance_[n]) {
    return;
  }
  distance_[n] = distance;
  waiting_.emplace_back(distance, n);
  std::ranges::push_heap(waiting_, std::greater{});
}

double FastMarching::second_order(Node n) const {
  Quadratic equation;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    double near = unreached, behind = unreached;
    for (std::size_t way = 2 * axis; way < 2 * axis + 2; ++way) {
      const Node next = lattice_->neighbours[n][way];
      if (!is_frozen(next) || !(distance_[next] < near)) continue;
      near = distance_[next];
      // As in scikit-fmm, the second of the other side stays where this side has none.
      const Node second = lattice_->neighbours[next][way];
      if (is_frozen(second) && distance_[second] <= near) behind = distance_[second];
    }
    if (behind < unreached) {
      constexpr double third = 1.0 / 3.0;
      equation.add_second_order(per_square_, third * (4.0 * near - behind));
    } else if (near < unreached) {
      equation.add(per_square_, near);
    }
  }
  const std::optional<double> root = equation.root();
  return root ? *root : first_order(n);
}

double FastMarching::first_order(Node n) const {
  Quadratic equation;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    double near = unreached;
    for (std::size_t way = 2 * axis; way < 2 * axis + 2; ++way) {
      const Node next = lattice_->neighbours[n][way];
      if (is_frozen(next)) near = std::min(near, distance_[next]);
    }
    if (near < unreached) equation.add(per_square_, near);
  }
  const std::optional<double> root = equation.root();
  // Where the equation has none, the place of its minimum.
  return root ? *root : -equation.b / (2.0 * equation.a);
}

}  // namespace warpath::graph
