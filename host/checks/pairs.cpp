#include "host/checks/pairs.hpp"

#include <algorithm>
#include <array>

namespace warpath::checks {
namespace {

using Path = std::vector<Node>;

std::size_t length_in(Random& random, const LengthRange& range) {
  return range.low + random.below(range.high - range.low + 1);
}

// Makes adversarial paths on one scan.
class Walker {
 public:
  /// @param isolated share of the paths that have a viewpoint that no edge leads to
  Walker(Random& random, const Scan& scan, double isolated)
      : random_(random), scan_(scan), isolated_(isolated) {
    for (Node n = 0; n < scan.size(); ++n) {
      if (!scan.neighbours(n).empty()) joined_.push_back(n);
    }
    if (joined_.empty()) joined_.push_back(0);
  }

  Path reference(std::size_t nodes) {
    Path path = random_.below(4) == 0 ? jumps(nodes) : walk(random_, scan_, any(), nodes);
    return with_isolated_node(std::move(path));
  }

  Path query(const Path& reference, std::size_t nodes) {
    Path path;
    switch (random_.below(6)) {
      case 0:
        path = jumps(nodes);
        break;
      case 1:
        path = walk(random_, scan_, reference.front(), nodes, {.stay = 0.4});
        break;
      case 2:
      case 3:
        path = near_copy(reference, nodes);
        break;
      default:
        path = walk(random_, scan_, reference.front(), nodes);
    }
    return with_isolated_node(std::move(path));
  }

 private:
  bool chance(double p) { return random_.unit() < p; }
  Node any() { return joined_[random_.below(joined_.size())]; }
  Node neighbour(Node n) {
    const auto next = scan_.neighbours(n);
    return next.empty() ? n : next[random_.below(next.size())];
  }

  Path jumps(std::size_t nodes) {
    Path path(nodes);
    for (Node& n : path) n = any();
    return path;
  }

  Path near_copy(const Path& of, std::size_t nodes) {
    Path path(nodes);
    for (std::size_t k = 0; k < nodes; ++k) {
      const Node n = of[nodes <= of.size() ? k : k * of.size() / nodes];
      path[k] = chance(0.1) ? neighbour(n) : n;
    }
    return path;
  }

  // The last viewpoint is isolated in all but the smallest scans.
  Path with_isolated_node(Path path) {
    if (chance(isolated_)) {
      path[random_.below(path.size())] = static_cast<Node>(scan_.size() - 1);
    }
    return path;
  }

  Random& random_;
  const Scan& scan_;
  const double isolated_;
  Path joined_;
};

// A class of lengths, and how many of 1000 pairs have their longer path in it.
struct LengthClass {
  LengthRange range;
  std::size_t share;
};
constexpr LengthClass classes[] = {
    {{1, 4}, 300}, {{5, 20}, 499}, {{21, 64}, 170}, {{65, 300}, 30}, {{1000, 1300}, 1}};
constexpr std::size_t class_count = std::size(classes);

std::size_t random_class(Random& random) {
  std::size_t ticket = random.below(1000), c = 0;
  while (ticket >= classes[c].share) ticket -= classes[c++].share;
  return c;
}

// Returns the lengths of both paths; one pair in three has one of them in any shorter class.
std::array<std::size_t, 2> random_lengths(Random& random, std::size_t longer) {
  std::array<std::size_t, 2> length_class{longer, longer};
  if (random.below(3) == 0) length_class[random.below(2)] = random.below(longer + 1);
  return {length_in(random, classes[length_class[0]].range),
          length_in(random, classes[length_class[1]].range)};
}

void add_pair(Random& random, const Scan& scan, std::uint32_t scan_number, std::size_t longer,
              PairBatch& batch) {
  Walker walker(random, scan, 1.0 / 40);
  const auto [n, m] = random_lengths(random, longer);
  const bool shared =
      !batch.pairs.empty() && batch.pairs.back().scan == scan_number && random.below(2) == 0;
  if (!shared) add_path(batch.references, walker.reference(n));
  const auto reference = static_cast<std::uint32_t>(batch.references.size() - 1);
  const auto nodes = batch.references[reference];
  const Path query = walker.query({nodes.begin(), nodes.end()}, m);
  batch.pairs.push_back({scan_number, reference, add_path(batch.queries, query)});
  batch.n_query_raw.push_back(static_cast<std::uint32_t>(m + random.below(3)));
}

void point_to_scans(SyntheticBatch& made) {
  for (const Scan& scan : made.scans) made.batch.scans.push_back(&scan);
}

}  // namespace

SyntheticBatch adversarial_pairs(Random& random, std::size_t pairs, bool task_success) {
  SyntheticBatch made;
  for (const std::size_t viewpoints : {1, 2, 20, 85, 150, 300}) {
    made.scans.push_back(adversarial_scan(random, std::to_string(viewpoints) + "_", viewpoints));
  }
  point_to_scans(made);
  std::uint32_t scan = 0;
  for (std::size_t k = 0; k < pairs; ++k) {
    // Larger scans are more frequent. Neighbouring pairs have the same scan, so that they can share
    // references.
    if (k % 4 == 0) {
      scan = static_cast<std::uint32_t>(std::max(random.below(6), random.below(6)));
    }
    // Every class has a pair, however few pairs there are.
    const std::size_t longer = k < class_count ? k : random_class(random);
    add_pair(random, made.scans[scan], scan, longer, made.batch);
    if (task_success) made.batch.task_success.push_back(random_success(random));
  }
  return made;
}

SyntheticBatch uniform_pairs(Random& random, const Shape& shape, std::size_t pairs) {
  SyntheticBatch made;
  made.scans.push_back(random_scan(random, "scan", shape.viewpoints));
  point_to_scans(made);
  PairBatch& batch = made.batch;
  Path path;
  auto draw = [&](const LengthRange& range) {
    path.resize(length_in(random, range));
    for (Node& n : path) n = static_cast<Node>(random.below(shape.viewpoints));
    return path;
  };
  for (std::size_t k = 0; k < pairs; ++k) {
    if (k % shape.queries_per_reference == 0) add_path(batch.references, draw(shape.reference));
    const auto reference = static_cast<std::uint32_t>(batch.references.size() - 1);
    batch.pairs.push_back({0, reference, add_path(batch.queries, draw(shape.query))});
    batch.n_query_raw.push_back(static_cast<std::uint32_t>(path.size()));
  }
  return made;
}

RandomBatch::RandomBatch(std::uint64_t seed, int scans, bool directed) : random_(seed) {
  for (int s = 0; s < scans; ++s) {
    scans_.push_back(adversarial_scan(random_, "scan", 1 + random_.below(70), 1.5));
    if (directed && s > 0) scans_.back() = make_directed(random_, scans_.back());
  }
  for (const Scan& scan : scans_) batch_.scans.push_back(&scan);
}

void RandomBatch::add_every_kind() {
  add_pairs(400, 30, 40);
  add_pairs(300, 20, 30, 12);
  add_pairs(20, 70, 10);
  add_pairs(4, 300, 200);
  add_pairs(5, 1, 1);
}

std::vector<Node> RandomBatch::walk(std::uint32_t scan, Node start, std::size_t nodes,
                                    double jump) {
  return checks::walk(random_, scans_[scan], start, nodes, {.jump = jump});
}

void RandomBatch::add_query(std::uint32_t scan, std::uint32_t reference,
                            const std::vector<Node>& query) {
  batch_.pairs.push_back({scan, reference, add_path(batch_.queries, query)});
  batch_.n_query_raw.push_back(static_cast<std::uint32_t>(query.size()));
}

void RandomBatch::add_pair(std::uint32_t scan, const std::vector<Node>& reference,
                           const std::vector<Node>& query) {
  add_query(scan, add_path(batch_.references, reference), query);
}

void RandomBatch::add_pairs(std::size_t count, std::size_t max_reference, std::size_t max_query,
                            std::size_t queries) {
  const auto length = [&](std::size_t longest) {
    return random_.below(10) == 0 ? 1 : 1 + random_.below(longest);
  };
  for (std::size_t k = 0; k < count; ++k) {
    const bool shares = k % queries != 0;
    const auto scan = shares ? batch_.pairs.back().scan
                             : static_cast<std::uint32_t>(random_.below(scans_.size()));
    Walker walker(random_, scans_[scan], 1.0 / 12);
    if (!shares) add_path(batch_.references, walker.reference(length(max_reference)));
    const auto reference = static_cast<std::uint32_t>(batch_.references.size() - 1);
    const auto nodes = batch_.references[reference];
    add_query(scan, reference, walker.query({nodes.begin(), nodes.end()}, length(max_query)));
  }
}

PairBatch long_references_of_last_scans(RandomBatch& made, std::size_t pairs) {
  const auto scans = static_cast<std::uint32_t>(made.batch().scans.size());
  for (const std::uint32_t scan : {scans - 2, scans - 1}) {
    made.add_pair(scan, made.walk(scan, 0, 40, 0), made.walk(scan, 0, 5, 0));
  }
  PairBatch batch = made.batch();
  batch.n_query_raw.clear();
  while (batch.pairs.size() < pairs) {
    const auto reference = static_cast<std::uint32_t>(batch.pairs.size() % 2);
    const std::uint32_t scan = scans - 2 + reference;
    const std::vector<Node> query = made.walk(scan, 0, 4 + batch.pairs.size() % 9, 1.0 / 3);
    batch.pairs.push_back({scan, reference, add_path(batch.queries, query)});
  }
  return batch;
}

PairBatch pair_of(const Scan& scan, const std::vector<Node>& reference,
                  const std::vector<Node>& query) {
  PairBatch batch;
  batch.scans = {&scan};
  batch.pairs = {{0, add_path(batch.references, reference), add_path(batch.queries, query)}};
  batch.n_query_raw = {static_cast<std::uint32_t>(query.size())};
  return batch;
}

std::vector<std::uint32_t> scans_of(const PairBatch& batch) {
  std::vector<std::uint32_t> scan_of(batch.references.size(), 0);
  for (const Pair& pair : batch.pairs) scan_of[pair.reference] = pair.scan;
  return scan_of;
}

}  // namespace warpath::checks
