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

/// The navigation graphs of a folder (a file per scan, or Touchdown's nodes.txt and links.txt) or
/// of one file. A scan's graph is read when the scan is first asked for.
class Graphs {
 public:
  /// @param max_bytes of one file; see read_input.
  /// @throws InputError where there is no such file or folder, UsageError for standard input.
  explicit Graphs(std::string path, std::uint64_t max_bytes = 0);

  /// @throws InputError where there is no graph of this scan, or it is damaged.
  const Scan& scan(const std::string& id);

  /// @throws InputError that says which of a dataset's scans have no graph, if any. A file that
  /// does not say which scan it is of serves a dataset of one scan.
  void require(std::span<const std::string> scans);

  /// Formats of the files read so far: "CSV edge list".
  std::string format_description() const;
  /// What a reader of scores on these graphs should know.
  std::vector<std::string> notes() const;

  /// Of the contents of all scans read so far, in the order of their names.
  std::string hash() const;
  /// The scans read so far, by name.
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
  bool is_folder_;                          // of a file per scan
  std::unique_ptr<GraphFile> single_file_;  // where there is no such folder, once it is read
  std::map<std::string, Loaded> loaded_;
};

}  // namespace warpath
