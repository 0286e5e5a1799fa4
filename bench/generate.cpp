#include "bench/generate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numbers>
#include <span>
#include <string_view>
#include <vector>

#include "host/checks/scans.hpp"
#include "host/files/io/output_file.hpp"
#include "tests/support/gzip.hpp"
#include "warpath/paths.hpp"

namespace warpath::bench {
namespace {

namespace fs = std::filesystem;
using Position = std::array<double, 3>;
using checks::Random;

std::size_t length_around(std::size_t mean, Random& random) {
  const std::size_t spread = mean / 4;
  return mean - spread + random.below(2 * spread + 1);
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
    world.scans.push_back(
        checks::level_scan(random, fmt::format("building{:02}", s), shape.viewpoints));
  }
  for (std::size_t p = 0; p < shape.paths; ++p) {
    const Scan& scan = world.scan_of(p);
    const auto start = static_cast<Node>(random.below(scan.size()));
    const auto walk = [&](std::size_t nodes) {
      return checks::walk(random, scan, start, nodes, {.may_turn_back = false});
    };
    checks::add_path(world.references, walk(length_around(shape.reference_nodes, random)));
    for (std::size_t k = 0; k < shape.instructions; ++k) {
      checks::add_path(world.queries, walk(length_around(shape.query_nodes, random)));
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

// Returns a guide as RxR publishes it: a line for each item, with the times of its words.
std::string rxr_guide(const World& world, Random& random) {
  static constexpr std::array<std::string_view, 3> languages{"en-US", "hi-IN", "te-IN"};
  std::string lines;
  for (std::size_t item = 0; item < world.queries.size(); ++item) {
    const std::size_t p = item / world.shape.instructions;
    const Scan& scan = world.scan_of(p);
    std::vector<std::string> words;
    for (int k = 0; k < 12; ++k) {
      words.push_back(fmt::format(R"({{"start_time": {}, "end_time": {}, "word": "walk"}})",
                                  0.5 * k, 0.5 * k + 0.25));
    }
    fmt::format_to(std::back_inserter(lines),
                   R"({{"split": "val_unseen", "instruction_id": {}, "annotator_id": 7, )"
                   R"("language": "{}", "path_id": {}, "scan": "{}", "path": {}, "heading": {}, )"
                   R"("instruction": {}, "timed_instruction": [{}], "edit_distance": 0.1}})"
                   "\n",
                   item, languages[item % languages.size()], p, scan.id(),
                   viewpoints(scan, world.references[p]), random.between(0.0, 6.28),
                   instruction(random), fmt::join(words, ", "));
  }
  return lines;
}

std::string rxr_predictions(const World& world) {
  std::string lines;
  for (std::size_t item = 0; item < world.queries.size(); ++item) {
    fmt::format_to(std::back_inserter(lines),
                   R"({{"instruction_id": {}, "path": {}}})"
                   "\n",
                   item,
                   viewpoints(world.scan_of(item / world.shape.instructions), world.queries[item]));
  }
  return lines;
}

// Returns positions a quarter of a metre apart, as an agent's steps are; it turns a little each.
std::vector<std::string> steps_from(Position at, std::size_t count, Random& random) {
  double heading = random.between(0.0, 2.0 * std::numbers::pi);
  std::vector<std::string> positions;
  for (std::size_t k = 0; k < count; ++k) {
    positions.push_back(fmt::format("[{}, {}, {}]", at[0], at[1], at[2]));
    heading += random.between(-0.5, 0.5);
    at[0] += 0.25 * std::cos(heading);
    at[2] += 0.25 * std::sin(heading);
  }
  return positions;
}

// Holds episodes as VLN-CE has them, in its three files.
struct Episodes {
  std::string dataset, ground_truth, predictions;
};

Episodes make_episodes(std::size_t count, Random& random) {
  std::vector<std::string> episodes, truths, paths;
  for (std::size_t e = 0; e < count; ++e) {
    const Position start{random.between(-9.0, 9.0), 0.1, random.between(-9.0, 9.0)};
    const std::vector<std::string> locations = steps_from(start, 38, random);
    std::vector<std::string> sparse;
    for (std::size_t k = 0; k < locations.size(); k += 7) sparse.push_back(locations[k]);
    episodes.push_back(fmt::format(
        R"({{"episode_id": {}, "trajectory_id": {}, "scene_id": "mp3d/house{}/house{}.glb", )"
        R"("start_position": {}, "start_rotation": [0, 0, 0, 1], )"
        R"("info": {{"geodesic_distance": 9.0}}, "goals": [{{"position": {}, "radius": 3.0}}], )"
        R"("instruction": {{"instruction_text": {}, "instruction_tokens": [{}]}}, )"
        R"("reference_path": [{}]}})",
        e, e / 3, e % 60, e % 60, locations.front(), locations.back(), instruction(random),
        fmt::join(std::vector<int>(180, 7), ", "), fmt::join(sparse, ", ")));
    truths.push_back(
        fmt::format(R"("{}": {{"locations": [{}], "forward_steps": 37, "actions": [1]}})", e,
                    fmt::join(locations, ", ")));
    std::vector<std::string> entries;
    for (const std::string& position : steps_from(start, 100, random)) {
      entries.push_back(fmt::format(R"({{"position": {}, "heading": 0.5, "stop": {}}})", position,
                                    entries.size() == 99));
    }
    paths.push_back(fmt::format(R"("{}": [{}])", e, fmt::join(entries, ", ")));
  }
  return {fmt::format(R"({{"episodes": [{}]}})", fmt::join(episodes, ", ")),
          fmt::format("{{{}}}", fmt::join(truths, ", ")),
          fmt::format("{{{}}}", fmt::join(paths, ", "))};
}

TaskFiles write_rxr_files(const std::string& folder) {
  Random random(1);
  const World world = make_world(rxr, random);
  TaskFiles made{{}, "rxr", world.queries.size()};
  made.files.graphs = folder + "/graphs";
  made.files.dataset = folder + "/guide.jsonl";
  made.files.predictions = {folder + "/agent.jsonl"};
  fs::create_directories(made.files.graphs);
  io::OutputFiles out;
  for (const Scan& scan : world.scans) {
    out.add(made.files.graphs + "/" + scan.id() + "_connectivity.json", connectivity(scan));
  }
  out.add(made.files.dataset, rxr_guide(world, random));
  out.add(made.files.predictions.front(), rxr_predictions(world));
  out.commit();
  return made;
}

TaskFiles write_episode_files(const std::string& folder) {
  Random random(1);
  constexpr std::size_t count = 10'000;
  const Episodes episodes = make_episodes(count, random);
  TaskFiles made{{}, "vlnce", count};
  made.files.dataset = folder + "/episodes.json";
  made.files.ground_truth = folder + "/truth.json";
  made.files.predictions = {folder + "/agent.json"};
  fs::create_directories(folder);
  io::OutputFiles out;
  out.add(made.files.dataset, episodes.dataset);
  out.add(made.files.ground_truth, episodes.ground_truth);
  out.add(made.files.predictions.front(), episodes.predictions);
  out.commit();
  return made;
}

// Holds files in a temporary folder until the program ends.
template <class Made>
class Temporary {
 public:
  /// @param write write(folder) writes the files and returns their names
  template <class Write>
  Temporary(std::string_view name, const Write& write)
      : folder_(fs::temp_directory_path() / fmt::format("warpath_bench_{}_{}", name, ::getpid())),
        files_(write(folder_.string())) {}
  ~Temporary() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  const Made& files() const { return files_; }

 private:
  fs::path folder_;
  Made files_;
};

const auto write_shape = [](const Shape& shape) {
  return [&shape](const std::string& folder) { return write_files(shape, folder, 1); };
};

}  // namespace

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
  io::OutputFiles out;
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
  static const Temporary<Files> made("r2r", write_shape(r2r));
  return made.files();
}

const Files& r4r_files() {
  static const Temporary<Files> made("r4r", write_shape(r4r));
  return made.files();
}

const TaskFiles& rxr_files() {
  static const Temporary<TaskFiles> made("rxr", write_rxr_files);
  return made.files();
}

const TaskFiles& episode_files() {
  static const Temporary<TaskFiles> made("episodes", write_episode_files);
  return made.files();
}

}  // namespace warpath::bench
