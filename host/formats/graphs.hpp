#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/formats/json_file.hpp"
#include "warpath/graph.hpp"

namespace warpath {

/// A Matterport3DSimulator connectivity file: included viewpoints, edges where `unobstructed`.
/// @throws InputError where it is damaged, or where adjacency is not symmetric.
std::unique_ptr<Scan> read_connectivity(const JsonFile& file, const std::string& scan);

/// A plain graph: {"scan", "nodes": [{"id", "position": [x, y(, z)]}, …],
/// "edges": [[from, to(, weight)], …]}; edges are undirected, a weight is metres.
/// @throws InputError
std::unique_ptr<Scan> read_plain_graph(const JsonFile& file, const std::string& scan);

/// The navigation graphs of a folder (one file per scan) or of one plain graph file. A scan's file
/// is read when the scan is first asked for.
class Graphs {
 public:
  /// @param max_bytes of one file; see read_input.
  /// @throws InputError where there is no such file or folder.
  explicit Graphs(std::string path, std::uint64_t max_bytes = 0);

  /// @throws InputError where the folder has no file for this scan.
  const Scan& scan(const std::string& id);

  /// Of the contents of all scans read so far, in the order of their names.
  std::string hash() const;
  /// The scans read so far, by name.
  std::vector<const Scan*> scans() const;

 private:
  struct Loaded {
    std::unique_ptr<Scan> scan;
    std::string hash;
  };

  std::string file_of(const std::string& scan) const;

  std::string path_;
  std::uint64_t max_bytes_;
  bool is_folder_;
  std::map<std::string, Loaded> loaded_;
};

}  // namespace warpath
