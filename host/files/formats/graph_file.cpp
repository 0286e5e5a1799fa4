#include "host/files/formats/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "host/core/definitions/enum_names.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/io/file_kind.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::formats {
namespace {

namespace fs = std::filesystem;

constexpr std::array<definitions::EnumName<GraphFormat>, 6> titles{{
    {GraphFormat::connectivity, "Matterport3DSimulator connectivity"},
    {GraphFormat::plain, "plain graph"},
    {GraphFormat::navigable, "NavGPT navigable graph"},
    {GraphFormat::edge_list, "CSV edge list"},
    {GraphFormat::street, "Touchdown nodes and links"},
    {GraphFormat::grid, "grid of free cells"},
}};

std::string name_without_gz(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

StreetFile read_street_file(const std::string& folder, const std::string& name,
                            std::uint64_t max_bytes) {
  const std::string path = find_file(folder, name).value_or(fs::path(folder) / name);
  StreetFile file{path, io::read_input(path, max_bytes)};
  io::refuse_foreign({path}, file.text);
  return file;
}

}  // namespace

std::string_view title(GraphFormat format) {
  return definitions::name_in(titles, format);
}

std::optional<std::string> find_file(const std::string& folder, const std::string& name) {
  for (const char* ending : {"", ".gz"}) {
    const fs::path file = fs::path(folder) / (name + ending);
    std::error_code error;
    if (fs::exists(file, error)) return file.string();
  }
  return std::nullopt;
}

bool is_street_folder(const std::string& folder) {
  return find_file(folder, "nodes.txt") && find_file(folder, "links.txt");
}

GraphFile::GraphFile(std::string path, std::uint64_t max_bytes) : path_(std::move(path)) {
  std::error_code error;
  if (fs::is_directory(path_, error))
    read_streets(max_bytes);
  else if (name_without_gz(path_).ends_with(".csv"))
    read_lines(max_bytes);
  else
    read_json(max_bytes);
}

GraphFile::~GraphFile() = default;

void GraphFile::read_json(std::uint64_t max_bytes) {
  std::string text = io::read_input(path_, max_bytes);
  hash_ = io::content_hash(text);
  regular_ = read_regular_connectivity(text);
  if (!regular_) json_ = std::make_unique<JsonFile>(io::input_name(path_), std::move(text), hash_);
  if (regular_ || json_->root().is_array()) {
    format_ = GraphFormat::connectivity;
    take_scan_from_name("_connectivity.json");
  } else if (is_navigable_graph(json_->root())) {
    format_ = GraphFormat::navigable;
    take_scan_from_name("_navigable.json");
  } else {
    format_ = GraphFormat::plain;
    const std::string scan = scan_of_plain_graph(*json_);
    if (!scan.empty()) scans_.push_back(scan);
  }
}

void GraphFile::read_lines(std::uint64_t max_bytes) {
  format_ = GraphFormat::edge_list;
  const std::string text = io::read_input(path_, max_bytes);
  io::refuse_foreign({path_}, text);
  hash_ = io::content_hash(text);
  edge_lists_ = read_edge_list(path_, text);
  for (const auto& [scan, graph] : edge_lists_) {
    if (!scan.empty()) scans_.push_back(scan);
  }
}

void GraphFile::read_streets(std::uint64_t max_bytes) {
  format_ = GraphFormat::street;
  nodes_ = read_street_file(path_, "nodes.txt", max_bytes);
  links_ = read_street_file(path_, "links.txt", max_bytes);
  hash_ = io::content_hash(io::content_hash(nodes_.text) + io::content_hash(links_.text));
}

void GraphFile::take_scan_from_name(std::string_view ending) {
  const std::string name = name_without_gz(path_);
  if (name.size() <= ending.size() || !name.ends_with(ending)) return;
  scans_.push_back(name.substr(0, name.size() - ending.size()));
}

std::unique_ptr<Scan> GraphFile::build(const std::string& scan) {
  if (!scans_.empty() && std::ranges::find(scans_, scan) == scans_.end()) {
    throw InputError({path_, {}, "scan"},
                     fmt::format("is the graph of '{}', but '{}' is asked for", scans_[0], scan),
                     "name the folder or file that has that scan");
  }
  switch (format_) {
    case GraphFormat::connectivity:
      return regular_ ? scan_of_entries(*regular_, path_, scan) : read_connectivity(*json_, scan);
    case GraphFormat::plain:
      return read_plain_graph(*json_, scan);
    case GraphFormat::navigable:
      return read_navigable_graph(*json_, scan);
    case GraphFormat::street:
      return read_street_graph(nodes_, links_, scan);
    case GraphFormat::edge_list:
    case GraphFormat::grid:  // has files of its own
      break;
  }
  auto graph = edge_lists_.extract(scans_.empty() ? "" : scan);
  if (!graph) {
    throw InputError({path_, "scan " + scan}, "the file's graph is in use for another scan",
                     "name the folder or file that has that scan");
  }
  return std::move(graph.mapped()).build(scan);
}

std::unique_ptr<HeadingLinks> GraphFile::heading_links(const std::string& scan) const {
  return format_ == GraphFormat::street ? read_heading_links(nodes_, links_, scan) : nullptr;
}

}  // namespace warpath::formats
