#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string_view>

#include "host/files/io/input_file.hpp"
#include "host/files/io/output_file.hpp"
#include "host/program/synthetic/study.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::synthetic {
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

// Writes a JSON list with one element per line.
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

// Returns the direction of travel in radians, clockwise from +y, in [0, 2 pi). Libraries differ in
// the last bits of atan2, which rounding to four decimals hides.
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

constexpr std::string_view list_name = ".warpath-demo";
constexpr std::string_view list_header =
    "Files of warpath demo, with the hashes of their contents:\n";

struct File {
  fs::path path;
  std::string name;  // within the folder
  std::string content;

  std::string line() const { return fmt::format("{}  {}\n", io::content_hash(content), name); }
};

std::vector<File> files_of(const Study& study, const fs::path& folder) {
  std::vector<File> files;
  const auto add = [&](const std::string& name, std::string content) {
    files.push_back({folder / name, name, std::move(content)});
  };
  add("graphs/" + study.scan.id() + "_connectivity.json", connectivity(study.scan));
  add("dataset.json", dataset(study));
  for (const Agent& agent : study.agents) add(agent.name + ".json", predictions(study, agent));
  return files;
}

// Returns the file's bytes; nothing if there is no regular file.
std::string content_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Checks that a file may be replaced: it is empty, has this content already, or is as an earlier
// call wrote it.
void check_is_ours(const File& file, const std::string& list) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(file.path, error))) return;
  const std::string old = content_of(file.path);
  const bool is_empty = old.empty() && fs::is_regular_file(file.path, error);
  const bool is_listed = list.find("\n" + File{{}, file.name, old}.line()) != list.npos;
  if (is_empty || old == file.content || is_listed) return;
  throw UsageError(
      fmt::format("{} exists, and the demo did not make it or it was changed since; "
                  "name another folder or say --force",
                  file.path.string()));
}

}  // namespace

std::vector<std::string> write_study(const Study& study, const std::string& folder, bool force) {
  const fs::path root(folder);
  const std::vector<File> files = files_of(study, root);
  File list{root / list_name, std::string(list_name), std::string(list_header)};
  if (!force) {
    const std::string old = content_of(list.path);
    if (!old.starts_with(list_header)) check_is_ours(list, "");
    for (const File& file : files) check_is_ours(file, old);
  }
  for (const File& file : files) list.content += file.line();
  make_folder(root / "graphs");
  io::OutputFiles outputs;
  outputs.add(list.path.string(), list.content);
  std::vector<std::string> names;
  for (const File& file : files) {
    outputs.add(file.path.string(), file.content);
    names.push_back(file.path.string());
  }
  outputs.commit();
  return names;
}

}  // namespace warpath::synthetic
