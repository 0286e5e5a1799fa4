#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "host/files/formats/graph_file.hpp"
#include "warpath/graph_store.hpp"

namespace warpath::batch {
class KeptTables;
}
namespace warpath::reference {
class KeptRows;
}
namespace warpath::rewards {
class KeptGoals;
}

namespace warpath::formats {

/// Holds a scan and where it comes from.
struct StoredScan {
  std::unique_ptr<Scan> scan;
  std::optional<GraphFormat> format;              ///< of its file; nothing: it was made in memory
  std::string hash;                               ///< of its file's content, or of the arrays
  std::unique_ptr<HeadingLinks> heading_links{};  ///< of Touchdown's folder; else null
};

}  // namespace warpath::formats

namespace warpath {

/// Holds the scans of a store. Several threads may use it.
struct GraphStore::State {
  State() = default;
  State(std::string of_path, std::uint64_t of_max_bytes);

  /// Returns the name of the store for messages and reports: that of the folder or file.
  std::string name() const { return path.empty() ? "graphs in memory" : path; }

  const formats::StoredScan& add(ScanData data);
  /// Adds a scan that is made and checked. @throws InputError for a name that is there already
  const formats::StoredScan& add(formats::StoredScan made);
  const formats::StoredScan& load(const std::string& id);
  /// Reads the files of scans that load() is to find, on all cores. A file that is missing or
  /// damaged is left to load(), which says so.
  void read_ahead(std::span<const std::string> ids);
  /// Tells whether a scan is one of the store's.
  bool has(const Scan& scan) const;

  /// Returns the file of a scan's graph, for messages; the store's name where it has none of its
  /// own.
  std::string source_of(const std::string& id) const;

  /// Checks that all scans of a dataset have a graph. A file that does not name its scan serves a
  /// dataset of one scan.
  /// @throws InputError that names the scans without a graph
  void require(std::span<const std::string> scans);

  const std::string path;  // empty: scans in memory only
  const std::uint64_t max_bytes = 0;
  mutable std::mutex mutex;
  std::map<std::string, formats::StoredScan> loaded;  // guarded by the mutex, unlike its elements
  // What was made of the scans, once it is needed; the layers above know what. Guarded likewise.
  std::shared_ptr<batch::KeptTables> tables;
  std::shared_ptr<reference::KeptRows> rows;
  std::shared_ptr<rewards::KeptGoals> goals;

 private:
  std::optional<std::string> file_of(const std::string& scan) const;
  // The functions below require the lock, read() only where the store has a single file.
  formats::GraphFile& single_file();
  formats::StoredScan read(const std::string& id);
  bool has_graph(const std::string& scan);

  bool is_folder_ = false;                           // with one file per scan
  std::unique_ptr<formats::GraphFile> single_file_;  // if there is no such folder, once it is read
};

}  // namespace warpath
