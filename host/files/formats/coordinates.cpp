#include "host/files/formats/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "host/files/formats/graph_file.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/formats/text_table.hpp"
#include "host/files/io/file_kind.hpp"

namespace warpath::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view coordinate_forms =
    "write {scan: {viewpoint: [x, y, z]}}, or lines of scan, viewpoint, x, y, z in metres; "
    ".house files are read as they are";

// First bytes of a .house file.
constexpr std::string_view house_beginning = "ASCII";

// Returns the scan that a .house file is of: "folder/17DRP5sb8fy.house" → "17DRP5sb8fy".
std::string scan_of_house(const std::string& file) {
  std::string name = fs::path(file).filename().string();
  for (const std::string_view ending : {".gz", ".house"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

bool is_a_number(std::string_view cell) {
  try {
    finite_number(cell, {}, "");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

// Returns the length of an edge without one of its own, with the bits of Scan::edge_lengths.
double distance_of(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  double squares = 0.0;
  for (std::size_t k = 0; k < 3; ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(squares);
}

// Refuses graphs whose lengths do not come from positions.
void refuse_own_lengths(const Scan& scan, const std::string& file) {
  const InputError::Where where{file, "scan " + scan.id(), {}};
  if (!scan.distances().empty()) {
    throw InputError(where, "has ready distances, which coordinates do not change",
                     "take a graph of positions and edges, or leave the coordinates away");
  }
  if (scan.lattice() != nullptr) {
    throw InputError(where, "has distances by fast marching, which coordinates do not change",
                     "take --connect 8, or leave the coordinates away");
  }
  const std::vector<double> lengths = scan.edge_lengths(Distance::euclid_3d);
  for (Node n = 0; n < scan.size(); ++n) {
    for (std::size_t k = 0; k < scan.neighbours(n).size(); ++k) {
      const Node to = scan.neighbours(n)[k];
      const bool is_measured =
          scan.has_positions() &&
          lengths[scan.first_edge(n) + k] == distance_of(scan.positions()[n], scan.positions()[to]);
      if (is_measured) continue;
      throw InputError(
          where,
          fmt::format("the graph gives the length of the edge from {} to {}, which coordinates do "
                      "not change",
                      scan.viewpoint(n), scan.viewpoint(to)),
          "take a graph whose edges have no lengths of their own, or leave the coordinates away");
    }
  }
}

// Returns every edge once.
std::vector<Edge> edges_of(const Scan& scan) {
  std::vector<Edge> edges;
  for (Node n = 0; n < scan.size(); ++n) {
    for (const Node to : scan.neighbours(n)) {
      if (n < to || scan.is_directed()) edges.push_back({n, to, {}});
    }
  }
  return edges;
}

}  // namespace

Coordinates::Coordinates(std::string path, const io::Reading& reading)
    : path_(std::move(path)), reading_(reading) {
  std::error_code error;
  is_folder_ = fs::is_directory(path_, error);
  if (!is_folder_) read_file(path_);
  reading_.texts = nullptr;  // they are not kept; a folder's files are read later
}

void Coordinates::read_file(const std::string& file) {
  std::string text = io::read_input(file, reading_);
  const std::string name = io::input_name(file), hash = io::content_hash(text);
  if (text.starts_with(house_beginning)) return read_house(text, name, hash);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    read_json(std::move(text), name, hash);
  } else {
    io::refuse_foreign({name}, text);
    read_table(text, name, hash);
  }
  if (scans_.empty()) throw InputError({name}, "has no coordinates", std::string(coordinate_forms));
}

void Coordinates::read_json(std::string text, const std::string& file, const std::string& hash) {
  const JsonFile document(file, std::move(text));
  for (const auto scan : as_object(document.root(), {file})) {
    const std::string id(scan.key);
    ScanPositions& positions = scan_of(id, file, hash);
    for (const auto viewpoint : as_object(scan.value, {file, id})) {
      const InputError::Where where{file, id, std::string(viewpoint.key)};
      const json::Array numbers = as_array(viewpoint.value, where);
      if (numbers.size() != 3) {
        throw InputError(where, fmt::format("should have 3 numbers, has {}", numbers.size()),
                         std::string(coordinate_forms));
      }
      add(positions, where.field,
          {as_metres(numbers.at(0), where), as_metres(numbers.at(1), where),
           as_metres(numbers.at(2), where)},
          where);
    }
  }
}

void Coordinates::read_table(std::string_view text, const std::string& file,
                             const std::string& hash) {
  TextTable table(text);
  for (bool is_first = true; table.next(); is_first = false) {
    const auto& cells = table.cells();
    const InputError::Where where{file, fmt::format("line {}", table.line()), {}};
    if (cells.size() != 5 || cells[0].empty() || cells[1].empty()) {
      throw InputError(where, "is no scan, viewpoint, x, y, z", std::string(coordinate_forms));
    }
    if (is_first && !is_a_number(cells[2])) continue;  // it names the columns
    Position position;
    for (std::size_t k = 0; k < 3; ++k) {
      position[k] = checked_metres(finite_number(cells[2 + k], where, coordinate_forms), where);
    }
    add(scan_of(std::string(cells[0]), file, hash), std::string(cells[1]), position, where);
  }
}

// A line "P name index region 0 x y z …" is a panorama with its centre.
void Coordinates::read_house(std::string_view text, const std::string& file,
                             const std::string& hash) {
  ScanPositions& positions = scan_of(scan_of_house(file), file, hash);
  TextTable table(text);
  while (table.next()) {
    const auto& cells = table.cells();
    if (cells.front() != "P") continue;
    const InputError::Where where{file, fmt::format("line {}", table.line()), {}};
    if (cells.size() < 8) {
      throw InputError(where, "is no panorama with its centre", "download the .house file again");
    }
    Position position;
    for (std::size_t k = 0; k < 3; ++k) {
      position[k] = checked_metres(
          finite_number(cells[5 + k], where, "download the .house file again"), where);
    }
    add(positions, std::string(cells[1]), position, where);
  }
  if (positions.of.empty()) {
    throw InputError({file}, "has no panoramas (lines that begin with P)",
                     "download the .house file again");
  }
}

void Coordinates::add(ScanPositions& scan, const std::string& viewpoint, const Position& position,
                      const InputError::Where& where) {
  if (scan.of.emplace(viewpoint, position).second) return;
  throw InputError(where, fmt::format("the viewpoint {} is there twice", viewpoint),
                   "keep one position of each viewpoint");
}

Coordinates::ScanPositions& Coordinates::scan_of(const std::string& scan, const std::string& file,
                                                 const std::string& hash) {
  ScanPositions& positions = scans_[scan];
  positions.source = file;
  positions.hash = hash;
  return positions;
}

const Coordinates::ScanPositions& Coordinates::positions_of(const std::string& scan) {
  if (is_folder_ && !scans_.contains(scan)) {
    for (const std::string& folder : {path_, path_ + "/" + scan + "/house_segmentations"}) {
      if (const auto file = find_file(folder, scan + ".house")) {
        read_file(*file);
        break;
      }
    }
  }
  const auto it = scans_.find(scan);
  if (it != scans_.end()) return it->second;
  throw InputError(
      {path_, "scan " + scan}, "has no coordinates",
      is_folder_ ? "put " + scan + ".house into the folder" : std::string(coordinate_forms));
}

const std::string& Coordinates::hash_of(const std::string& scan) {
  return positions_of(scan).hash;
}

std::unique_ptr<Scan> Coordinates::move(const Scan& scan) {
  const ScanPositions& given = positions_of(scan.id());
  refuse_own_lengths(scan, given.source);
  std::vector<std::string> viewpoints;
  std::vector<Position> positions;
  const std::vector<Node> isolated = scan.isolated();
  for (Node n = 0; n < scan.size(); ++n) {
    const std::string& viewpoint = scan.viewpoint(n);
    const auto it = given.of.find(viewpoint);
    if (it == given.of.end() && !std::ranges::binary_search(isolated, n)) {
      throw InputError({given.source, "scan " + scan.id(), viewpoint},
                       "the viewpoint has no position",
                       "add it, or leave the coordinates away; the graph has edges to it");
    }
    viewpoints.push_back(viewpoint);
    positions.push_back(it == given.of.end() ? scan.positions()[n] : it->second);
  }
  return std::make_unique<Scan>(scan.id(), std::move(viewpoints), std::move(positions),
                                edges_of(scan), std::vector<double>(), scan.is_directed());
}

}  // namespace warpath::formats
