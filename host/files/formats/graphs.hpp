#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "host/files/formats/coordinates.hpp"
#include "host/files/formats/graph_store_state.hpp"

namespace warpath::formats {

/// Takes the navigation graphs of one evaluation from a store, and remembers which those are. One
/// thread at a time may use an object; several objects may share a store.
class Graphs {
 public:
  /// Takes graphs from a folder (a file per scan, or Touchdown's nodes.txt and links.txt) or from
  /// one file.
  /// @param max_bytes limit of one file; see read_input.
  /// @throws InputError if there is no such file or folder, UsageError for standard input.
  explicit Graphs(std::string path, std::uint64_t max_bytes = 0);
  /// Takes graphs from a store, or, if that is null, from a folder or file.
  /// @throws UsageError if both are given
  Graphs(std::shared_ptr<const GraphStore> store, std::string path, std::uint64_t max_bytes);

  /// Returns the store that the graphs are taken from, never null.
  const std::shared_ptr<const GraphStore>& store() const { return store_; }

  /// Returns the name of the store for messages and reports: that of the folder or file.
  std::string name() const { return store_->state().name(); }

  /// Takes the positions of viewpoints from elsewhere. @pre no scan was taken yet
  void place(std::unique_ptr<Coordinates> coordinates) { coordinates_ = std::move(coordinates); }

  /// Returns a scan's graph, which is read at the store's first call.
  /// @throws InputError if there is none, or a damaged one
  const Scan& scan(const std::string& id);

  /// Returns the links by heading of a scan; null unless it is of Touchdown's folder.
  /// @throws InputError as scan()
  const HeadingLinks* heading_links(const std::string& id) const {
    return store_->state().load(id).heading_links.get();
  }

  /// Adds a scan that is made and checked to the store.
  /// @throws InputError for a name that is there already
  void add(StoredScan made) { store_->state().add(std::move(made)); }

  /// Reads the files of several scans at once; see GraphStore::State::read_ahead.
  void read_ahead(std::span<const std::string> ids) { store_->state().read_ahead(ids); }

  /// Returns the file of a scan's graph, for messages; the name where it has no file of its own.
  std::string source_of(const std::string& id) const { return store_->state().source_of(id); }

  /// Checks that all scans of a dataset have a graph; see GraphStore::State::require.
  /// @throws InputError that names the scans without a graph
  void require(std::span<const std::string> scans) { store_->state().require(scans); }

  /// Returns the formats of the graphs taken so far: "CSV edge list".
  std::string format_description() const;
  /// Returns what a reader of scores on these graphs should know.
  std::vector<std::string> notes() const;

  /// Returns the hash of the contents of all scans taken so far, in the order of their names.
  std::string hash() const;
  /// Returns the scans taken so far, by name.
  std::vector<const Scan*> scans() const;

 private:
  const StoredScan& load(const std::string& id);

  std::shared_ptr<const GraphStore> store_;
  std::map<std::string, const StoredScan*> taken_;
  std::unique_ptr<Coordinates> coordinates_;  // null: positions are those of the graphs
  std::map<std::string, StoredScan> moved_;   // scans at the coordinates
};

}  // namespace warpath::formats
