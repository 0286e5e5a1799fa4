#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/gzip.hpp"

namespace warpath::testing {

/// Creates a folder for one test and removes it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name = "") const { return (path_ / name).string(); }
  /// Writes a file and returns its path; missing folders are created.
  std::string write(const std::string& name, const std::string& content) const;
  /// Returns the names of all files below, in order.
  std::vector<std::string> list() const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::string& path);

/// Unpacks the files of a tar archive, which may be gzipped, below a name in a folder.
void unpack_tar(const std::string& archive, const std::string& below,
                const TemporaryFolder& folder);

/// Maps the columns of a CSV row to their cells. The CSV has no quotes and may be gzipped.
using CsvRow = std::map<std::string, std::string>;
std::vector<CsvRow> read_csv(const std::string& path);

/// The words of a command.
using Arguments = std::vector<std::string>;

/// Returns words with others behind them.
Arguments with(Arguments words, const Arguments& more, const Arguments& others = {});

/// Holds what a command printed and returned.
struct CliResult {
  int code;
  std::string out, err;
};
CliResult run(const Arguments& arguments);

/// Returns the folder of real data, `$WARPATH_DATA`; empty if it is not set or has no
/// `connectivity/`.
std::string data_folder();

/// Returns the path of the program that was built, for tests that need a process of its own.
std::string program();

/// Returns the path of a file in this repository.
std::string source(const std::string& path);

}  // namespace warpath::testing
