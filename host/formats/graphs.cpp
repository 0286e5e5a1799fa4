#include "host/formats/graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "host/io/input_file.hpp"

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

// Returns the first few names of a list.
std::string shortened(std::span<const std::string> names) {
  constexpr std::size_t max_names = 5;
  return fmt::format("{}{}", fmt::join(names.first(std::min(names.size(), max_names)), ", "),
                     names.size() > max_names ? ", …" : "");
}

}  // namespace

Graphs::Graphs(std::string path, std::uint64_t max_bytes)
    : path_(std::move(path)), max_bytes_(max_bytes) {
  if (path_ == "-") {
    throw UsageError(
        "graphs cannot come from standard input: save them as a file, and name that "
        "by --graphs");
  }
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (!fs::exists(status)) {
    throw InputError({path_}, "no such file or folder", std::string(name_of_files));
  }
  is_folder_ = fs::is_directory(status) && !is_street_folder(path_);
}

std::optional<std::string> Graphs::file_of(const std::string& scan) const {
  if (!is_file_name(scan)) return std::nullopt;
  for (const char* ending : {"_connectivity.json", ".json", "_navigable.json", ".csv"}) {
    if (auto file = find_file(path_, scan + ending)) return file;
  }
  return std::nullopt;
}

GraphFile& Graphs::single_file() {
  if (!single_file_) single_file_ = std::make_unique<GraphFile>(path_, max_bytes_);
  return *single_file_;
}

const Scan& Graphs::scan(const std::string& id) {
  if (const auto it = loaded_.find(id); it != loaded_.end()) return *it->second.scan;
  std::unique_ptr<GraphFile> own;
  if (is_folder_) {
    const auto path = file_of(id);
    if (!path) {
      throw InputError({path_, "scan " + id}, "has no graph", std::string(name_of_files));
    }
    own = std::make_unique<GraphFile>(*path, max_bytes_);
  }
  GraphFile& file = own ? *own : single_file();
  Loaded loaded{file.build(id), file.format(), file.hash()};
  return *loaded_.emplace(id, std::move(loaded)).first->second.scan;
}

std::string Graphs::source_of(const std::string& id) const {
  return is_folder_ ? file_of(id).value_or(path_) : path_;
}

void Graphs::require(std::span<const std::string> scans) {
  std::vector<std::string> missing;
  if (is_folder_) {
    std::ranges::copy_if(scans, std::back_inserter(missing),
                         [&](const std::string& scan) { return !file_of(scan); });
  } else if (!single_file().scans().empty()) {
    const auto& given = single_file().scans();
    std::ranges::copy_if(scans, std::back_inserter(missing), [&](const std::string& scan) {
      return std::ranges::find(given, scan) == given.end();
    });
  } else if (single_file().format() != GraphFormat::street && scans.size() > 1) {
    throw InputError({path_},
                     fmt::format("does not say which of the dataset's {} scans it is the graph of: "
                                 "{}",
                                 scans.size(), shortened(scans)),
                     std::string(name_of_files));
  }
  if (missing.empty()) return;
  throw InputError(
      {path_},
      fmt::format("{} of the dataset's {} scans {} no graph: {}", missing.size(), scans.size(),
                  missing.size() == 1 ? "has" : "have", shortened(missing)),
      std::string(name_of_files));
}

std::string Graphs::format_description() const {
  std::set<std::string_view> formats;
  for (const auto& [id, loaded] : loaded_) formats.insert(title(loaded.format));
  return fmt::format("{}", fmt::join(formats, ", "));
}

std::vector<std::string> Graphs::notes() const {
  const bool has_streets = std::ranges::any_of(
      loaded_, [](const auto& entry) { return entry.second.format == GraphFormat::street; });
  if (!has_streets) return {};
  return {
      "lengths on Touchdown's nodes and links are metres between panoramas; the evaluators of "
      "Touchdown and map2seq count edges: --distance hops"};
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
