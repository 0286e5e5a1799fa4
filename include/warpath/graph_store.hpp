#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "warpath/export.hpp"
#include "warpath/graph.hpp"
#include "warpath/grid.hpp"

namespace warpath {

/// Describes a scan in memory. It has edges, ready distances (see Scan), or both.
struct ScanData {
  std::string id;
  std::vector<std::string> viewpoints;             ///< distinct ids
  std::vector<std::array<double, 3>> positions{};  ///< [viewpoints], metres, z up; empty: none
  std::vector<Edge> edges{};                       ///< an edge may be there several times, in any
                                                   ///< direction, if its weights agree; of a
                                                   ///< directed scan, in one
  std::vector<double> distances{};                 ///< [viewpoints][viewpoints], metres, +inf: no
                                                   ///< path; empty: none
  bool is_directed = false;                        ///< edges lead from `from` to `to` only
};

/// Scans by name: of a folder or file, which are read when they are first asked for, and of
/// arrays in memory. Evaluations share it, and a Scorer takes its scans.
///
///     auto store = std::make_shared<GraphStore>("connectivity");
///     store->add({.id = "street", .viewpoints = {"a", "b"}, .edges = {{0, 1, 2.0}}});
///     EvalFiles files;
///     files.graph_store = store;
///     const Scan* scans[] = {&store->scan("street")};
///     Scorer scorer(scans, convention);
///
/// Scans stay where they are as long as the store lives. Any number of threads may use it; they
/// read one file at a time.
class WARPATH_EXPORT GraphStore {
 public:
  /// Makes an empty store for scans in memory.
  GraphStore();
  /// Takes graphs as `--graphs` does: a folder of scans, or one file.
  /// @param max_input_bytes limit of each file; see EvalFiles
  /// @throws InputError if there is no such file or folder, UsageError for standard input ("-")
  explicit GraphStore(std::string path, std::uint64_t max_input_bytes = 0);
  ~GraphStore();
  GraphStore(const GraphStore&) = delete;
  GraphStore& operator=(const GraphStore&) = delete;

  /// Returns the folder or file; empty if there is none.
  const std::string& path() const;

  /// Adds a scan in memory. It takes the place of a file's scan of the same name.
  /// @throws InputError that names the scan and the element at fault: a viewpoint that is there
  ///   twice; positions or distances of another number of viewpoints; an edge to a viewpoint that
  ///   does not exist, from one to itself, or with another weight than before; lengths that are
  ///   negative, not finite or beyond 1e7 m; or a name that was added or read before. Edges without
  ///   a length are accepted, as in files: whatever measures in metres refuses them.
  const Scan& add(ScanData data);

  /// Adds the scan of a grid, see Grid::make_scan.
  /// @throws InputError for a name that was added or read before, or as Grid::make_scan
  const Scan& add(const std::string& id, const Grid& grid, Connect connect = Connect::eight);

  /// Returns a scan; reads it if it was not asked for before.
  /// @throws InputError that names the file if there is no such scan, or a damaged one
  const Scan& scan(const std::string& id) const;

  /// Returns the names of the scans that were added or read, in their order.
  std::vector<std::string> loaded() const;

  struct State;  ///< for the implementation only
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpath
