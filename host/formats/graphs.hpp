#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/formats/graph_file.hpp"
#include "warpath/graph.hpp"

namespace warpath {

/// Reads the navigation graphs of a folder (a file per scan, or Touchdown's nodes.txt and
/// links.txt) or of one file. A scan's graph is read when it is first asked for.
class Graphs {
 public:
  /// @param max_bytes limit of one file; see read_input.
  /// @throws InputError if there is no such file or folder, UsageError for standard input.
  explicit Graphs(std::string path, std::uint64_t max_bytes = 0);

  /// Returns a scan's graph, which it reads at the first call.
  /// @throws InputError if there is none, or a damaged one
  const Scan& scan(const std::string& id);

  /// Returns the file of a scan's graph, for messages; the folder where it has no file of its own.
  std::string source_of(const std::string& id) const;

  /// Checks that all scans of a dataset have a graph. A file that does not name its scan serves a
  /// dataset of one scan.
  /// @throws InputError that names the scans without a graph
  void require(std::span<const std::string> scans);

  /// Returns the formats of the files read so far: "CSV edge list".
  std::string format_description() const;
  /// Returns what a reader of scores on these graphs should know.
  std::vector<std::string> notes() const;

  /// Returns the hash of the contents of all scans read so far, in the order of their names.
  std::string hash() const;
  /// Returns the scans read so far, by name.
  std::vector<const Scan*> scans() const;

 private:
  struct Loaded {
    std::unique_ptr<Scan> scan;
    GraphFormat format;
    std::string hash;
  };

  std::optional<std::string> file_of(const std::string& scan) const;
  GraphFile& single_file();

  std::string path_;
  std::uint64_t max_bytes_;
  bool is_folder_;                          // with one file per scan
  std::unique_ptr<GraphFile> single_file_;  // if there is no such folder, once it is read
  std::map<std::string, Loaded> loaded_;
};

}  // namespace warpath
