#include "host/files/navmesh/mesh_folder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "host/files/io/counted.hpp"
#include "warpath/error.hpp"

namespace warpath::navmesh {
namespace {

namespace fs = std::filesystem;

// Returns the names in a folder, sorted; none if it cannot be read.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

class MeshFolder {
 public:
  explicit MeshFolder(const std::string& path) : path_(path), names_(names_in(path)) {}

  std::optional<std::string> find(const std::string& scan) const {
    std::vector<std::string> places{scan + ".navmesh", scan + "/" + scan + ".navmesh",
                                    scan + ".basis.navmesh"};
    for (const std::string& name : names_) {
      if (name.ends_with("-" + scan)) places.push_back(name + "/" + scan + ".basis.navmesh");
    }
    for (const std::string& place : places) {
      std::error_code error;
      const fs::path file = fs::path(path_) / place;
      if (fs::exists(file, error)) return file.string();
    }
    return std::nullopt;
  }

  [[noreturn]] void fail(const std::string& scan) const {
    constexpr std::size_t max_listed = 3;
    std::vector<std::string> meshes;
    std::ranges::copy_if(names_, std::back_inserter(meshes),
                         [](const std::string& name) { return name.ends_with(".navmesh"); });
    const std::size_t listed = std::min(meshes.size(), max_listed);
    const std::string found =
        meshes.empty()
            ? "it has no .navmesh file"
            : fmt::format("it has {}{}", fmt::join(meshes.begin(), meshes.begin() + listed, ", "),
                          meshes.size() > listed
                              ? fmt::format(" and {} more", meshes.size() - listed)
                              : "");
    throw InputError({path_, "scan " + scan},
                     fmt::format("there is no {0}.navmesh, {0}/{0}.navmesh, {0}.basis.navmesh or "
                                 "*-{0}/{0}.basis.navmesh",
                                 scan),
                     found + ": name the folder of the dataset's scenes");
  }

 private:
  std::string path_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> find_meshes(const std::string& path, std::span<const std::string> scans) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    throw InputError({path}, "no such file or folder",
                     "name a .navmesh file, or the folder of the dataset's scenes");
  }
  if (!fs::is_directory(status)) {
    if (scans.size() <= 1) return std::vector(scans.size(), path);
    throw InputError(
        {path},
        fmt::format("is one mesh, and the dataset has {}", io::counted(scans.size(), "scan")),
        "name the folder that has <scan>.navmesh for each");
  }
  const MeshFolder folder(path);
  std::vector<std::string> files;
  for (const std::string& scan : scans) {
    const auto file = folder.find(scan);
    if (!file) folder.fail(scan);
    files.push_back(*file);
  }
  return files;
}

}  // namespace warpath::navmesh
