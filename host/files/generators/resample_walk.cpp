#include "host/files/generators/resample_walk.hpp"

#include <algorithm>
#include <limits>

namespace warpath::generators {
namespace {

constexpr std::size_t kept = 2, min_shared = 2;
constexpr std::size_t min_size = kept + min_shared;  // viewpoints of an admissible walk

}  // namespace

WalkResampler::WalkResampler(const Scan& scan, std::span<const Node> path)
    : scan_(scan),
      path_(path.begin(), path.end()),
      reversed_(path.rbegin(), path.rend()),
      on_path_(scan.size(), 0),
      visited_(scan.size(), 0) {
  for (const Node n : path) on_path_[n] = 1;
}

// Begins a walk with the kept viewpoints. Returns false if these are not two, with an edge between.
bool WalkResampler::begin(bool keeps_first) {
  while (!walk_.empty()) pop();
  keeps_first_ = keeps_first;
  const std::vector<Node>& from = keeps_first ? path_ : reversed_;
  if (from.size() < kept || from[0] == from[1] || !scan_.adjacent(from[0], from[1])) return false;
  push(from[0]);
  push(from[1]);
  return true;
}

void WalkResampler::push(Node n) {
  if (walk_.size() >= kept && on_path_[n]) ++shared_;
  visited_[n] = 1;
  walk_.push_back(n);
}

void WalkResampler::pop() {
  const Node n = walk_.back();
  walk_.pop_back();
  visited_[n] = 0;
  if (walk_.size() >= kept && on_path_[n]) --shared_;
}

bool WalkResampler::is_admissible() const {
  return shared_ >= min_shared && walk_ != (keeps_first_ ? path_ : reversed_);
}

std::vector<Node> WalkResampler::result() const {
  if (keeps_first_) return walk_;
  return {walk_.rbegin(), walk_.rend()};
}

std::optional<std::vector<Node>> WalkResampler::attempt(ItemWords& words) {
  const bool is_begun = begin(words.below(2) == 0);
  const std::size_t size = path_.size() - 1 + words.below(3);
  if (!is_begun || size < min_size) return std::nullopt;
  std::vector<Node> choices;
  while (walk_.size() < size) {
    choices.clear();
    for (const Node n : scan_.neighbours(walk_.back())) {
      if (!visited_[n]) choices.push_back(n);
    }
    if (choices.empty()) return std::nullopt;
    push(choices[words.below(static_cast<std::uint32_t>(choices.size()))]);
  }
  if (!is_admissible()) return std::nullopt;
  return result();
}

// Visits all admissible walks depth first and keeps one of them.
class WalkResampler::Search {
  static constexpr auto never = std::numeric_limits<std::uint32_t>::max();

 public:
  Search(WalkResampler& walks, ItemWords& words) : walks_(walks), words_(words) {}

  std::optional<std::vector<Node>> run() {
    for (const bool keeps_first : {true, false}) {
      if (!walks_.begin(keeps_first) || is_hopeless()) continue;
      find_steps_to_path();
      visit_all();
    }
    if (visits_ > max_visits || chosen_.empty()) return std::nullopt;
    return chosen_;
  }

 private:
  // Tells whether the viewpoints within as many steps of the kept ones as a walk can take are too
  // few for any admissible walk: all of them, or those of the path. Without this, all walks among
  // the others would be looked at in vain.
  bool is_hopeless() const {
    const std::size_t max_steps = walks_.path_.size() + 1 - kept;
    std::vector<std::uint32_t> steps(walks_.scan_.size(), never);
    std::vector<Node> near{walks_.walk_.back()};
    steps[near.front()] = 0;
    std::size_t shareable = 0;
    for (std::size_t at = 0; at < near.size() && steps[near[at]] < max_steps; ++at) {
      for (const Node n : walks_.scan_.neighbours(near[at])) {
        if (walks_.visited_[n] || steps[n] != never) continue;
        steps[n] = steps[near[at]] + 1;
        near.push_back(n);
        shareable += walks_.on_path_[n] ? 1 : 0;
      }
    }
    const std::size_t max_size = kept - 1 + near.size();
    return shareable < min_shared || max_size < std::max(min_size, walks_.path_.size() - 1);
  }

  // Counts the steps from every viewpoint to the nearest one of the path that is not kept, around
  // those that are kept.
  void find_steps_to_path() {
    steps_to_path_.assign(walks_.scan_.size(), never);
    std::vector<Node> queue;
    const auto add = [&](Node n, std::uint32_t steps) {
      if (walks_.visited_[n] || steps_to_path_[n] != never) return;
      steps_to_path_[n] = steps;
      queue.push_back(n);
    };
    for (const Node n : walks_.path_) add(n, 0);
    for (std::size_t at = 0; at < queue.size(); ++at) {
      const Node from = queue[at];
      for (const Node to : walks_.scan_.neighbours(from)) add(to, steps_to_path_[from] + 1);
    }
  }

  // Tells whether the steps that are left may lead to as many viewpoints of the path as are
  // missing.
  bool can_share_enough() const {
    if (walks_.shared_ >= min_shared) return true;
    const std::size_t missing = min_shared - walks_.shared_;
    const std::size_t left = walks_.path_.size() + 1 - walks_.walk_.size();
    const Node at = walks_.walk_.back();
    const std::size_t to_next = walks_.walk_.size() == kept ? 1 : std::max(steps_to_path_[at], 1u);
    return left >= to_next + missing - 1;
  }

  // A viewpoint of the walk that is visited: which of its neighbours comes next, and how likely an
  // attempt of enough steps begins with the walk up to it.
  struct Place {
    std::size_t next;
    double probability;
  };

  // Visits every walk that begins with the kept viewpoints.
  void visit_all() {
    std::vector<Place> places;
    enter(places, 1.0);
    while (!places.empty() && visits_ <= max_visits) {
      const auto neighbours = walks_.scan_.neighbours(walks_.walk_.back());
      std::size_t& next = places.back().next;
      while (next < neighbours.size() && walks_.visited_[neighbours[next]]) ++next;
      if (next >= neighbours.size()) {
        places.pop_back();
        walks_.pop();
        continue;
      }
      const double choices = static_cast<double>(
          std::ranges::count_if(neighbours, [&](Node n) { return !walks_.visited_[n]; }));
      walks_.push(neighbours[next++]);
      enter(places, places.back().probability / choices);
    }
  }

  // Looks at the walk as it is now, and lets it go on where that can lead to an admissible one.
  void enter(std::vector<Place>& places, double probability) {
    ++visits_;
    const std::size_t size = walks_.walk_.size(), path_size = walks_.path_.size();
    if (size + 1 >= path_size && walks_.is_admissible()) keep(probability);
    const bool ends = size > path_size || !can_share_enough();
    places.push_back({ends ? std::numeric_limits<std::size_t>::max() : 0, probability});
  }

  // Keeps this walk in place of the earlier one with its share of the probability so far.
  void keep(double probability) {
    total_ += probability;
    const bool replaces = words_.unit() * total_ < probability;
    if (replaces || chosen_.empty()) chosen_ = walks_.result();  // empty: too unlikely for a double
  }

  WalkResampler& walks_;
  ItemWords& words_;
  std::vector<std::uint32_t> steps_to_path_;
  std::uint64_t visits_ = 0;
  double total_ = 0.0;
  std::vector<Node> chosen_;
};

std::optional<std::vector<Node>> WalkResampler::choose(ItemWords& words) {
  return Search(*this, words).run();
}

}  // namespace warpath::generators
