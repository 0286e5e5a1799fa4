#include "host/files/formats/graphs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "host/files/io/input_file.hpp"

namespace warpath::formats {

Graphs::Graphs(std::string path, std::uint64_t max_bytes)
    : store_(std::make_shared<GraphStore>(std::move(path), max_bytes)) {}

Graphs::Graphs(std::shared_ptr<const GraphStore> store, std::string path, std::uint64_t max_bytes)
    : store_(std::move(store)) {
  if (store_ == nullptr) {
    store_ = std::make_shared<GraphStore>(std::move(path), max_bytes);
  } else if (!path.empty()) {
    throw UsageError(fmt::format("graphs are given twice, as a store and as {}", path));
  }
}

const Scan& Graphs::scan(const std::string& id) {
  if (const auto it = taken_.find(id); it != taken_.end()) return *it->second->scan;
  return *taken_.emplace(id, &load(id)).first->second->scan;
}

const StoredScan& Graphs::load(const std::string& id) {
  const StoredScan& stored = store_->state().load(id);
  if (!coordinates_) return stored;
  StoredScan moved{coordinates_->move(*stored.scan), stored.format,
                   io::content_hash(stored.hash + coordinates_->hash_of(id))};
  return moved_.emplace(id, std::move(moved)).first->second;
}

std::string Graphs::format_description() const {
  std::set<std::string_view> formats;
  for (const auto& [id, scan] : taken_) {
    formats.insert(scan->format ? title(*scan->format) : "arrays");
  }
  return fmt::format("{}{}", fmt::join(formats, ", "),
                     coordinates_ ? " at the coordinates of " + coordinates_->path() : "");
}

std::vector<std::string> Graphs::notes() const {
  const bool has_streets = std::ranges::any_of(
      taken_, [](const auto& entry) { return entry.second->format == GraphFormat::street; });
  if (!has_streets) return {};
  return {
      "lengths on Touchdown's nodes and links are metres between panoramas, or edges by --distance "
      "hops, as presets touchdown and velma count them"};
}

std::string Graphs::hash() const {
  std::string contents;
  for (const auto& [id, scan] : taken_) contents += id + ' ' + scan->hash + '\n';
  return io::content_hash(contents);
}

std::vector<const Scan*> Graphs::scans() const {
  std::vector<const Scan*> all;
  for (const auto& [id, scan] : taken_) all.push_back(scan->scan.get());
  return all;
}

}  // namespace warpath::formats
