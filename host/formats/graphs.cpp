#include "host/formats/graphs.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "host/io/input_file.hpp"

namespace warpath {
namespace {

namespace fs = std::filesystem;

// A scan's id becomes a file name, which must not lead out of the folder; "" where it would.
std::string file_stem(const std::string& scan) {
  return scan.find('/') == std::string::npos && scan != "." && scan != ".." ? scan : "";
}

}  // namespace

Graphs::Graphs(std::string path, std::uint64_t max_bytes)
    : path_(std::move(path)), max_bytes_(max_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status)) {
    throw InputError({path_}, "no such file or folder",
                     "name the folder of <scan>_connectivity.json files, or a plain graph file");
  }
  is_folder_ = fs::is_directory(status);
}

std::string Graphs::file_of(const std::string& scan) const {
  if (!is_folder_) return path_;
  const std::string stem = file_stem(scan);
  for (const char* ending : {"_connectivity.json", "_connectivity.json.gz", ".json", ".json.gz"}) {
    const fs::path file = fs::path(path_) / (stem + ending);
    std::error_code error;
    if (!stem.empty() && fs::exists(file, error)) return file.string();
  }
  throw InputError({path_, "scan " + scan},
                   fmt::format("no file {}_connectivity.json or {}.json, plain or .gz", scan, scan),
                   "add the scan's graph to the folder");
}

const Scan& Graphs::scan(const std::string& id) {
  Loaded& entry = loaded_[id];
  if (entry.scan) return *entry.scan;
  const JsonFile file(file_of(id), max_bytes_);
  entry.scan = file.root().is_array() ? read_connectivity(file, id) : read_plain_graph(file, id);
  entry.hash = file.hash();
  return *entry.scan;
}

std::string Graphs::hash() const {
  std::string contents;
  for (const auto& [id, loaded] : loaded_) contents += id + ' ' + loaded.hash + '\n';
  return content_hash(contents);
}

std::vector<const Scan*> Graphs::scans() const {
  std::vector<const Scan*> all;
  for (const auto& [id, loaded] : loaded_) all.push_back(loaded.scan.get());
  return all;
}

}  // namespace warpath
