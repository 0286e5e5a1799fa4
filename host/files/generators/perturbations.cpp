#include "warpath/perturbations.hpp"

#include <algorithm>
#include <array>

#include "host/core/definitions/enum_names.hpp"
#include "host/files/generators/item_words.hpp"
#include "host/files/generators/resample_walk.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

constexpr std::array<definitions::EnumName<Perturbation>, 3> perturbation_names{
    {{Perturbation::random_walk, "random-walk"},
     {Perturbation::reversal, "reversal"},
     {Perturbation::viewpoint_swap, "viewpoint-swap"}}};

std::optional<PerturbedPath> random_walk(const Scan& scan, std::span<const Node> path,
                                         generators::ItemWords words) {
  constexpr int max_attempts = 1000;
  generators::WalkResampler walks(scan, path);
  for (int k = 0; k < max_attempts; ++k) {
    if (auto walk = walks.attempt(words)) return PerturbedPath{std::move(*walk)};
  }
  if (auto walk = walks.choose(words)) return PerturbedPath{std::move(*walk)};
  return std::nullopt;
}

std::optional<PerturbedPath> reversal(std::span<const Node> path) {
  PerturbedPath reversed{{path.rbegin(), path.rend()}};
  if (std::ranges::equal(reversed.nodes, path)) return std::nullopt;
  return reversed;
}

// Finds viewpoints off a path that can stand for one of its viewpoints.
class Replacements {
 public:
  Replacements(const Scan& scan, std::span<const Node> path) : scan_(scan), path_(path) {}

  // Returns the common neighbours of the viewpoints adjacent to a position.
  std::vector<Node> whole(std::size_t position) const {
    const std::vector<Node> adjacent = adjacent_to(position);
    if (adjacent.empty()) return {};
    std::vector<Node> found = neighbours_off_path(adjacent.front());
    std::erase_if(found, [&](Node n) { return !scan_.adjacent(n, adjacent.back()); });
    return found;
  }

  // Returns the neighbours of either of the two viewpoints adjacent to an inner position.
  std::vector<Node> broken(std::size_t position) const {
    const std::vector<Node> adjacent = adjacent_to(position);
    if (adjacent.size() < 2) return {};
    std::vector<Node> found = neighbours_off_path(adjacent.front());
    for (const Node n : neighbours_off_path(adjacent.back())) {
      if (std::ranges::find(found, n) == found.end()) found.push_back(n);
    }
    return found;
  }

 private:
  std::vector<Node> adjacent_to(std::size_t position) const {
    std::vector<Node> adjacent;
    if (position > 0) adjacent.push_back(path_[position - 1]);
    if (position + 1 < path_.size()) adjacent.push_back(path_[position + 1]);
    return adjacent;
  }

  std::vector<Node> neighbours_off_path(Node from) const {
    std::vector<Node> found;
    for (const Node n : scan_.neighbours(from)) {
      if (std::ranges::find(path_, n) == path_.end()) found.push_back(n);
    }
    return found;
  }

  const Scan& scan_;
  std::span<const Node> path_;
};

// Replaces one viewpoint: the position is drawn first, among those that have a replacement.
template <class Find>
std::optional<std::vector<Node>> swap_one(std::span<const Node> path, generators::ItemWords& words,
                                          Find find) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!find(i).empty()) positions.push_back(i);
  }
  if (positions.empty()) return std::nullopt;
  const std::size_t position = positions[words.below(static_cast<std::uint32_t>(positions.size()))];
  const std::vector<Node> found = find(position);
  std::vector<Node> nodes(path.begin(), path.end());
  nodes[position] = found[words.below(static_cast<std::uint32_t>(found.size()))];
  return nodes;
}

std::optional<PerturbedPath> viewpoint_swap(const Scan& scan, std::span<const Node> path,
                                            generators::ItemWords words) {
  const Replacements replacements(scan, path);
  if (auto nodes = swap_one(path, words, [&](auto i) { return replacements.whole(i); })) {
    return PerturbedPath{std::move(*nodes), false};
  }
  if (auto nodes = swap_one(path, words, [&](auto i) { return replacements.broken(i); })) {
    return PerturbedPath{std::move(*nodes), true};
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Perturbation perturbation) {
  return definitions::name_in(perturbation_names, perturbation);
}

Perturbation find_perturbation(std::string_view wanted) {
  return definitions::find_in(perturbation_names, "perturbation", wanted);
}

std::optional<PerturbedPath> perturb(const Scan& scan, std::span<const Node> path,
                                     Perturbation perturbation, std::uint64_t seed,
                                     std::uint64_t item) {
  if (scan.is_directed()) {
    throw InputError({{}, "scan " + scan.id()},
                     "is directed, and a perturbed path may go either way",
                     "perturb paths of graphs whose edges lead both ways");
  }
  switch (perturbation) {
    case Perturbation::random_walk:
      return random_walk(scan, path, {seed, item, generators::Draws::random_walk});
    case Perturbation::reversal:
      return reversal(path);
    case Perturbation::viewpoint_swap:
      return viewpoint_swap(scan, path, {seed, item, generators::Draws::viewpoint_swap});
  }
  return std::nullopt;
}

}  // namespace warpath
