#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/gzip.hpp"

namespace warpath::testing {

/// A folder of its own for one test, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name = "") const { return (path_ / name).string(); }
  /// Writes a file and returns its path; folders in between are made.
  std::string write(const std::string& name, const std::string& content) const;
  /// The names of all files below, in order.
  std::vector<std::string> list() const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::string& path);

/// Rows of a CSV without quotes, each by column name. Plain or .gz.
using CsvRow = std::map<std::string, std::string>;
std::vector<CsvRow> read_csv(const std::string& path);

/// What a command printed and returned.
struct CliResult {
  int code;
  std::string out, err;
};
CliResult run(const std::vector<std::string>& arguments);

/// The folder of real data, `$WARPATH_DATA` or ../shared/data beside the repository; empty where
/// there is none.
std::string data_folder();

/// The program that was built, for what a call of `run` cannot show.
std::string program();

/// A file of this repository.
std::string source(const std::string& path);

}  // namespace warpath::testing
