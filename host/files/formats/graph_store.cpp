#include "warpath/graph_store.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "host/files/formats/graph_store_state.hpp"
#include "host/files/formats/scan_data.hpp"
#include "host/files/io/counted_ids.hpp"

namespace warpath {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_of_files =
    "name the folder that has <scan>_connectivity.json, <scan>.json, <scan>_navigable.json or "
    "<scan>.csv";

// Tells whether a scan's id can be a file name that does not lead out of the folder.
bool is_file_name(const std::string& scan) {
  return scan.find('/') == std::string::npos && scan != "." && scan != "..";
}

}  // namespace

GraphStore::State::State(std::string of_path, std::uint64_t of_max_bytes)
    : path(std::move(of_path)), max_bytes(of_max_bytes) {
  if (path == "-") {
    throw UsageError(
        "graphs cannot come from standard input: save them as a file, and name that "
        "by --graphs");
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw InputError({path}, "no such file or folder", std::string(name_of_files));
  }
  is_folder_ = fs::is_directory(status) && !formats::is_street_folder(path);
}

std::optional<std::string> GraphStore::State::file_of(const std::string& scan) const {
  if (!is_folder_ || !is_file_name(scan)) return std::nullopt;
  for (const char* ending : {"_connectivity.json", ".json", "_navigable.json", ".csv"}) {
    if (auto file = formats::find_file(path, scan + ending)) return file;
  }
  return std::nullopt;
}

formats::GraphFile& GraphStore::State::single_file() {
  if (!single_file_) single_file_ = std::make_unique<formats::GraphFile>(path, max_bytes);
  return *single_file_;
}

const formats::StoredScan& GraphStore::State::add(ScanData data) {
  return add(formats::make_scan(std::move(data)));
}

const formats::StoredScan& GraphStore::State::add(formats::StoredScan made) {
  const std::string& id = made.scan->id();
  const std::lock_guard lock(mutex);
  if (loaded.contains(id)) {
    throw InputError({{}, "scan " + id}, "is in the store already", "give it another name");
  }
  return loaded.emplace(id, std::move(made)).first->second;
}

const formats::StoredScan& GraphStore::State::load(const std::string& id) {
  const std::lock_guard lock(mutex);
  if (const auto it = loaded.find(id); it != loaded.end()) return it->second;
  return loaded.emplace(id, read(id)).first->second;
}

void GraphStore::State::read_ahead(std::span<const std::string> ids) {
  if (!is_folder_) return;
  std::vector<std::string> missing;
  {
    const std::lock_guard lock(mutex);
    std::ranges::copy_if(ids, std::back_inserter(missing),
                         [&](const std::string& id) { return !loaded.contains(id); });
  }
  std::vector<formats::StoredScan> scans(missing.size());
  tbb::parallel_for(std::size_t{0}, missing.size(), [&](std::size_t s) {
    try {
      scans[s] = read(missing[s]);
    } catch (const InputError&) {
    }
  });
  const std::lock_guard lock(mutex);
  for (std::size_t s = 0; s < missing.size(); ++s) {
    if (scans[s].scan != nullptr) loaded.try_emplace(missing[s], std::move(scans[s]));
  }
}

bool GraphStore::State::has(const Scan& scan) const {
  const std::lock_guard lock(mutex);
  const auto it = loaded.find(scan.id());
  return it != loaded.end() && it->second.scan.get() == &scan;
}

formats::StoredScan GraphStore::State::read(const std::string& id) {
  if (path.empty()) {
    throw InputError({name(), "scan " + id}, "has no graph", "add the scan to the store");
  }
  std::unique_ptr<formats::GraphFile> own;
  if (is_folder_) {
    const auto file = file_of(id);
    if (!file) throw InputError({path, "scan " + id}, "has no graph", std::string(name_of_files));
    own = std::make_unique<formats::GraphFile>(*file, max_bytes);
  }
  formats::GraphFile& file = own ? *own : single_file();
  return {file.build(id), file.format(), file.hash(), file.heading_links(id)};
}

std::string GraphStore::State::source_of(const std::string& id) const {
  {
    const std::lock_guard lock(mutex);
    const auto it = loaded.find(id);
    if (it != loaded.end() && !it->second.format) return name();
  }
  return file_of(id).value_or(name());
}

bool GraphStore::State::has_graph(const std::string& scan) {
  if (loaded.contains(scan)) return true;
  if (path.empty() || is_folder_) return file_of(scan).has_value();
  const auto& given = single_file().scans();
  return given.empty() || std::ranges::find(given, scan) != given.end();
}

void GraphStore::State::require(std::span<const std::string> scans) {
  const std::lock_guard lock(mutex);
  std::vector<std::string> missing, of_file;
  for (const std::string& scan : scans) {
    if (!has_graph(scan)) missing.push_back(scan);
    if (!loaded.contains(scan)) of_file.push_back(scan);
  }
  if (!path.empty() && !is_folder_ && of_file.size() > 1 && single_file().scans().empty() &&
      single_file().format() != formats::GraphFormat::street) {
    throw InputError({path},
                     fmt::format("does not say which of the dataset's {} scans it is the graph of: "
                                 "{}",
                                 of_file.size(), io::first_ids(of_file, 5)),
                     std::string(name_of_files));
  }
  if (missing.empty()) return;
  throw InputError(
      {name()},
      fmt::format("{} of the dataset's {} scans {} no graph: {}", missing.size(), scans.size(),
                  missing.size() == 1 ? "has" : "have", io::first_ids(missing, 5)),
      path.empty() ? "add them to the store" : std::string(name_of_files));
}

GraphStore::GraphStore() : state_(std::make_unique<State>()) {}
GraphStore::GraphStore(std::string path, std::uint64_t max_input_bytes)
    : state_(std::make_unique<State>(std::move(path), max_input_bytes)) {}
GraphStore::~GraphStore() = default;

const std::string& GraphStore::path() const {
  return state_->path;
}
const Scan& GraphStore::add(ScanData data) {
  return *state_->add(std::move(data)).scan;
}
const Scan& GraphStore::scan(const std::string& id) const {
  return *state_->load(id).scan;
}

std::vector<std::string> GraphStore::loaded() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<std::string> names;
  for (const auto& [id, stored] : state_->loaded) names.push_back(id);
  return names;
}

}  // namespace warpath
