#pragma once

#include <span>
#include <string>
#include <vector>

namespace warpath::navmesh {

/// Returns the files of the navigation meshes of these scans: the path itself where it is a file
/// and there is one scan, otherwise, in the folder, <scan>.navmesh, <scan>/<scan>.navmesh,
/// <scan>.basis.navmesh or <any>-<scan>/<scan>.basis.navmesh.
/// @throws InputError that names the first scan without one and what the folder has
std::vector<std::string> find_meshes(const std::string& path, std::span<const std::string> scans);

}  // namespace warpath::navmesh
