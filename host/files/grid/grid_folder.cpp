#include "host/files/grid/grid_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/core/base/progress.hpp"
#include "host/files/formats/graph_file.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"
#include "warpath/error.hpp"

namespace warpath::grid {
namespace {

namespace fs = std::filesystem;

std::string scans_of(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".json") names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names.empty() ? "it has no .json file" : "it has " + io::first_ids(names);
}

// Finds the file of a scan in a folder.
std::string find_grid(const std::string& folder, const std::string& scan) {
  const bool is_name = scan.find('/') == scan.npos;
  if (auto file = is_name ? formats::find_file(folder, scan + ".json") : std::nullopt) return *file;
  throw InputError({folder, "scan " + scan}, fmt::format("there is no {}.json", scan),
                   scans_of(folder) + ": name the folder of the dataset's grids");
}

void refuse_standard_input(const std::string& path) {
  if (path != "-") return;
  throw UsageError("--grid cannot come from standard input: name a file or a folder");
}

void check_scan(const std::string& file, const std::string& scan, const std::string& wanted) {
  if (scan == wanted) return;
  throw InputError({file, {}, "scan"}, fmt::format("is '{}', but '{}' is asked for", scan, wanted),
                   "name the file or folder that has the grid of that scan");
}

}  // namespace

GridSource read_grid_of(const std::string& path, const std::string& scan,
                        const io::Reading& reading) {
  refuse_standard_input(path);
  std::error_code error;
  const std::string file = fs::is_directory(path, error) ? find_grid(path, scan) : path;
  GridSource source = read_grid_source(file, reading);
  if (!scan.empty()) check_scan(file, source.scan, scan);
  return source;
}

std::vector<GridFile> read_grids(const std::string& path, std::span<const std::string> scans,
                                 const io::Reading& reading) {
  refuse_standard_input(path);
  std::error_code error;
  const bool is_folder = fs::is_directory(path, error);
  if (!is_folder && scans.size() > 1) {
    throw InputError({path},
                     fmt::format("is one grid, and {} are asked for: {}",
                                 io::counted(scans.size(), "scan"), io::first_ids(scans)),
                     "name the folder that has <scan>.json for each");
  }
  std::vector<GridFile> grids;
  base::Progress progress("reading", scans.size(), "grids");
  for (const std::string& scan : scans) {
    const std::string file = is_folder ? find_grid(path, scan) : path;
    grids.push_back(read_grid_file(file, reading));
    check_scan(file, grids.back().scan, scan);
    progress.add();
  }
  return grids;
}

}  // namespace warpath::grid
