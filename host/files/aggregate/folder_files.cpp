#include "host/files/aggregate/folder_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/files/io/counted.hpp"

namespace warpath::aggregate {

namespace fs = std::filesystem;

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  std::ranges::sort(entries);
  return entries;
}

fs::path only_folder(const DumpRequest& request, std::string_view rule, std::string_view remedy) {
  if (request.words.size() != 1) {
    throw UsageError(fmt::format("--rules {} takes one folder, not {}: {}", rule,
                                 io::counted(request.words.size(), "file"), remedy));
  }
  std::error_code error;
  fs::path folder = request.words.front();
  if (!fs::is_directory(folder, error)) {
    throw InputError({folder.string()}, "is no folder", std::string(remedy));
  }
  return folder;
}

}  // namespace warpath::aggregate
