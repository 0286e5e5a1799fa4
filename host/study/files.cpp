#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string_view>

#include "host/io/output_file.hpp"
#include "host/study/study.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::study {
namespace {

namespace fs = std::filesystem;

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (!joined.empty()) joined += separator;
    joined += part;
  }
  return joined;
}

// A JSON list with one element per line.
std::string file_of(const std::vector<std::string>& elements) {
  return "[\n" + join(elements, ",\n") + "\n]\n";
}

std::string connectivity(const Scan& scan) {
  std::vector<std::string> elements;
  for (Node n = 0; n < scan.size(); ++n) {
    std::vector<std::string> flags(scan.size(), "false");
    for (const Node neighbour : scan.neighbours(n)) flags[neighbour] = "true";
    const std::string row = fmt::format("[{}]", join(flags, ", "));
    const auto& [x, y, z] = scan.positions()[n];
    elements.push_back(fmt::format(
        R"({{"image_id": "{}", "pose": [1, 0, 0, {}, 0, 1, 0, {}, 0, 0, 1, {}, 0, 0, 0, 1], )"
        R"("included": true, "visible": {}, "unobstructed": {}, "height": 0}})",
        scan.viewpoint(n), x, y, z, row, row));
  }
  return file_of(elements);
}

double length(const Path& path, const Distances& distances) {
  double sum = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) sum += distances.edge(path[i - 1], path[i]);
  return sum;
}

std::string dataset(const Study& study) {
  const Distances distances(study.scan, Distance::euclid_3d);
  const std::vector<std::string> instructions(study.instructions, R"("")");
  std::vector<std::string> elements;
  for (const Path& path : study.references) {
    std::vector<std::string> ids;
    for (const Node n : path) ids.push_back(fmt::format(R"("{}")", study.scan.viewpoint(n)));
    elements.push_back(fmt::format(
        R"({{"path_id": {}, "scan": "{}", "heading": 0.0, "distance": {}, "path": [{}], )"
        R"("instructions": [{}]}})",
        elements.size(), study.scan.id(), length(path, distances), join(ids, ", "),
        join(instructions, ", ")));
  }
  return file_of(elements);
}

// The direction of travel in radians, clockwise from +y, in [0, 2 pi). Libraries differ in the last
// bits of atan2, which four decimals hide.
double heading(const Scan& scan, Node from, Node to) {
  const auto &a = scan.positions()[from], &b = scan.positions()[to];
  double angle = std::atan2(b[0] - a[0], b[1] - a[1]);
  if (angle < 0.0) angle += 2.0 * std::numbers::pi;
  const double rounded = std::round(angle * 1e4) / 1e4;
  return rounded < 2.0 * std::numbers::pi ? rounded : 0.0;
}

std::string trajectory(const Scan& scan, const Path& path) {
  std::vector<std::string> moves;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double direction = i == 0 ? 0.0 : heading(scan, path[i - 1], path[i]);
    moves.push_back(fmt::format(R"(["{}", {}, 0])", scan.viewpoint(path[i]), direction));
  }
  return fmt::format("[{}]", join(moves, ", "));
}

std::string predictions(const Study& study, const Agent& agent) {
  std::vector<std::string> elements;
  for (std::size_t item = 0; item < agent.paths.size(); ++item) {
    elements.push_back(fmt::format(R"({{"instr_id": "{}_{}", "trajectory": {}}})",
                                   item / study.instructions, item % study.instructions,
                                   trajectory(study.scan, agent.paths[item])));
  }
  return file_of(elements);
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw InputError({folder.string()}, "the folder cannot be made: " + error.message(),
                     "name another place");
  }
}

}  // namespace

std::vector<std::string> write_study(const Study& study, const std::string& folder) {
  const fs::path root(folder), graphs = root / "graphs";
  make_folder(graphs);
  OutputFiles files;
  std::vector<std::string> names;
  const auto add = [&](const fs::path& file, const std::string& content) {
    files.add(file.string(), content);
    names.push_back(file.string());
  };
  add(graphs / (study.scan.id() + "_connectivity.json"), connectivity(study.scan));
  add(root / "dataset.json", dataset(study));
  for (const Agent& agent : study.agents) {
    add(root / (agent.name + ".json"), predictions(study, agent));
  }
  files.commit();
  return names;
}

}  // namespace warpath::study
