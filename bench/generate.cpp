#include "bench/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "host/io/output_file.hpp"
#include "tests/support/gzip.hpp"
#include "warpath/paths.hpp"

namespace warpath::bench {
namespace {

namespace fs = std::filesystem;
using Position = std::array<double, 3>;
using synthetic::Random;

constexpr double reach = 3.2;  // metres; viewpoints this close share an edge

// Joins order[n] with all viewpoints to its left within reach, or with the nearest of them, so that
// the graph is connected. `order` goes from left to right.
void join(std::size_t n, const std::vector<Node>& order, const std::vector<Position>& positions,
          std::vector<Edge>& edges) {
  const Position& here = positions[order[n]];
  const std::size_t before = edges.size();
  Node nearest = order[n - 1];
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t m = n; m-- > 0;) {
    const Position& there = positions[order[m]];
    if (here[0] - there[0] > std::max(reach, least)) break;
    const double distance = std::hypot(here[0] - there[0], here[1] - there[1]);
    if (distance <= reach) edges.push_back({order[m], order[n], {}});
    if (distance < least) {
      least = distance;
      nearest = order[m];
    }
  }
  if (edges.size() == before) edges.push_back({nearest, order[n], {}});
}

std::size_t length_around(std::size_t mean, Random& random) {
  const std::size_t spread = mean / 4;
  return mean - spread + random.below(2 * spread + 1);
}

// Appends a walk along edges that turns back only if it must.
void walk(const Scan& scan, Node start, std::size_t nodes, Random& random, PathSet& paths) {
  Node before = start, here = start;
  for (std::size_t k = 0; k < nodes; ++k) {
    paths.elements.push_back(here);
    const auto neighbours = scan.neighbours(here);
    Node next = neighbours[random.below(neighbours.size())];
    while (next == before && neighbours.size() > 1) {
      next = neighbours[random.below(neighbours.size())];
    }
    before = here;
    here = next;
  }
  paths.end_path();
}

// Holds the content of the files. Item p * instructions + k is instruction k of path p.
struct World {
  Shape shape;
  std::vector<Scan> scans;
  PathSet references;  // one per path
  PathSet queries;     // one per item

  const Scan& scan_of(std::size_t path) const { return scans[path % scans.size()]; }
};

World make_world(const Shape& shape, Random& random) {
  World world{shape, {}, {}, {}};
  for (std::size_t s = 0; s < shape.scans; ++s) {
    world.scans.push_back(make_scan(fmt::format("building{:02}", s), shape.viewpoints, random));
  }
  for (std::size_t p = 0; p < shape.paths; ++p) {
    const Scan& scan = world.scan_of(p);
    const auto start = static_cast<Node>(random.below(scan.size()));
    walk(scan, start, length_around(shape.reference_nodes, random), random, world.references);
    for (std::size_t k = 0; k < shape.instructions; ++k) {
      walk(scan, start, length_around(shape.query_nodes, random), random, world.queries);
    }
  }
  return world;
}

std::string viewpoints(const Scan& scan, std::span<const Node> path) {
  std::vector<std::string> ids;
  for (const Node n : path) ids.push_back(fmt::format(R"("{}")", scan.viewpoint(n)));
  return fmt::format("[{}]", fmt::join(ids, ", "));
}

// Returns [[viewpoint, heading, elevation], ...].
std::string trajectory(const Scan& scan, std::span<const Node> path, Random& random) {
  std::vector<std::string> moves;
  for (const Node n : path) {
    moves.push_back(fmt::format(R"(["{}", {}, {}])", scan.viewpoint(n),
                                random.between(0.0, 2.0 * std::numbers::pi),
                                random.between(-0.5, 0.5)));
  }
  return fmt::format("[{}]", fmt::join(moves, ", "));
}

// Returns 58 words: the length of two R2R instructions, which make one of R4R.
std::string instruction(Random& random) {
  static constexpr std::array<std::string_view, 12> words{"walk",    "past", "the",     "kitchen",
                                                          "counter", "and",  "leave",   "stairs",
                                                          "turn",    "left", "towards", "doorway"};
  std::vector<std::string_view> chosen(58);
  std::ranges::generate(chosen, [&] { return words[random.below(words.size())]; });
  return fmt::format(R"("{}.")", fmt::join(chosen, " "));
}

std::string connectivity(const Scan& scan) {
  std::vector<std::string> elements;
  for (Node n = 0; n < scan.size(); ++n) {
    std::vector<std::string_view> flags(scan.size(), "false");
    for (const Node neighbour : scan.neighbours(n)) flags[neighbour] = "true";
    const std::string row = fmt::format("[{}]", fmt::join(flags, ","));
    const auto& [x, y, z] = scan.positions()[n];
    elements.push_back(fmt::format(
        R"({{"image_id":"{}","pose":[1,0,0,{},0,1,0,{},0,0,1,{},0,0,0,1],"included":true,)"
        R"("visible":{},"unobstructed":{},"height":1.5}})",
        scan.viewpoint(n), x, y, z, row, row));
  }
  return fmt::format("[{}]", fmt::join(elements, ","));
}

std::string dataset(const World& world, Random& random) {
  std::vector<std::string> elements;
  for (std::size_t p = 0; p < world.shape.paths; ++p) {
    const Scan& scan = world.scan_of(p);
    const std::string path = viewpoints(scan, world.references[p]);
    std::vector<std::string> instructions(world.shape.instructions);
    std::ranges::generate(instructions, [&] { return instruction(random); });
    elements.push_back(fmt::format(
        R"({{"path_id": {}, "scan": "{}", "distance": {}, "heading": {}, "first_path_id": {}, )"
        R"("second_path_id": {}, "shortest_path_distance": {}, "shortest_path": {}, )"
        R"("path": {}, "instructions": [{}]}})",
        p, scan.id(), random.between(10.0, 30.0), random.between(0.0, 6.28), 2 * p, 2 * p + 1,
        random.between(0.0, 15.0), path, path, fmt::join(instructions, ", ")));
  }
  return fmt::format("[{}]", fmt::join(elements, ", "));
}

std::string predictions(const World& world, Random& random) {
  std::vector<std::string> elements;
  for (std::size_t item = 0; item < world.queries.size(); ++item) {
    const std::size_t p = item / world.shape.instructions;
    elements.push_back(fmt::format(R"({{"instr_id": "{}_{}", "trajectory": {}}})", p,
                                   item % world.shape.instructions,
                                   trajectory(world.scan_of(p), world.queries[item], random)));
  }
  return fmt::format("[{}]", fmt::join(elements, ", "));
}

std::string pairs(const World& world) {
  std::string lines;
  for (std::size_t item = 0; item < world.queries.size(); ++item) {
    const std::size_t p = item / world.shape.instructions;
    const Scan& scan = world.scan_of(p);
    fmt::format_to(std::back_inserter(lines),
                   R"({{"id": "{}", "scan": "{}", "reference": {}, "prediction": {}}})"
                   "\n",
                   item, scan.id(), viewpoints(scan, world.references[p]),
                   viewpoints(scan, world.queries[item]));
  }
  return lines;
}

// Holds the files of a shape in a temporary folder until the program ends.
class Temporary {
 public:
  Temporary(const Shape& shape, std::string_view name)
      : folder_(fs::temp_directory_path() / fmt::format("warpath_bench_{}_{}", name, ::getpid())),
        files_(write_files(shape, folder_.string(), 1)) {}
  ~Temporary() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const Files& files() const { return files_; }

 private:
  fs::path folder_;
  Files files_;
};

}  // namespace

Scan make_scan(std::string id, std::size_t viewpoints, Random& random) {
  const double side = reach * std::sqrt(std::numbers::pi / 4.0 * static_cast<double>(viewpoints));
  std::vector<std::string> names;
  std::vector<Position> positions;
  for (std::size_t n = 0; n < viewpoints; ++n) {
    names.push_back(fmt::format("{:016x}{:016x}", random.below(~std::uint64_t{0}),
                                random.below(~std::uint64_t{0})));
    const double x = random.between(0.0, side), y = random.between(0.0, side);
    positions.push_back({x, y, random.between(0.0, 0.3)});
  }
  std::vector<Node> order(viewpoints);
  std::iota(order.begin(), order.end(), Node{0});
  std::ranges::sort(order, {}, [&](Node n) { return positions[n][0]; });
  std::vector<Edge> edges;
  for (std::size_t n = 1; n < viewpoints; ++n) join(n, order, positions, edges);
  return Scan(std::move(id), std::move(names), std::move(positions), edges);
}

Files write_files(const Shape& shape, const std::string& folder, std::uint64_t seed) {
  Random random(seed);
  const World world = make_world(shape, random);
  const fs::path root(folder);
  const Files files{.graphs = root / "graphs",
                    .dataset = root / "dataset.json",
                    .predictions = root / "predictions.json",
                    .predictions_gz = root / "predictions.json.gz",
                    .pairs = root / "pairs.jsonl",
                    .items = world.queries.size()};
  fs::create_directories(files.graphs);
  OutputFiles out;
  for (const Scan& scan : world.scans) {
    out.add(files.graphs + "/" + scan.id() + "_connectivity.json", connectivity(scan));
  }
  out.add(files.dataset, dataset(world, random));
  const std::string submission = predictions(world, random);
  out.add(files.predictions, submission);
  out.add(files.predictions_gz, testing::gzip(submission));
  out.add(files.pairs, pairs(world));
  out.commit();
  return files;
}

EvalFiles Files::to_evaluate() const {
  EvalFiles files;
  files.graphs = graphs;
  files.dataset = dataset;
  files.predictions = {predictions};
  return files;
}

const Files& r2r_files() {
  static const Temporary made(r2r, "r2r");
  return made.files();
}

const Files& r4r_files() {
  static const Temporary made(r4r, "r4r");
  return made.files();
}

}  // namespace warpath::bench
