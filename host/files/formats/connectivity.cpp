#include "host/files/formats/connectivity.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "host/files/formats/graph_file.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::formats {
namespace {

bool as_bool(json::Value value, const InputError::Where& where) {
  bool flag;
  if (!value.get(flag)) {
    throw InputError(where, fmt::format("should be true or false, is {}", type_name(value)),
                     "download the connectivity file again");
  }
  return flag;
}

std::array<double, 3> position(json::Value pose, const InputError::Where& where) {
  const json::Array numbers = as_array(pose, where);
  if (numbers.size() != 16) {
    throw InputError(where, fmt::format("should have 16 numbers, has {}", numbers.size()),
                     "write the row-major 4x4 matrix");
  }
  return {as_metres(numbers.at(3), where), as_metres(numbers.at(7), where),
          as_metres(numbers.at(11), where)};
}

ConnectivityEntry read_entry(json::Value element, std::size_t count, InputError::Where where) {
  const json::Object object = as_object(element, where);
  ConnectivityEntry v;
  v.id = as_string(require(object, "image_id", where), where);
  where.item = v.id;
  where.field = "included";
  v.included = as_bool(require(object, "included", where), where);
  where.field = "pose";
  // A viewpoint that is not included needs no position.
  if (v.included) v.position = position(require(object, "pose", where), where);
  where.field = "unobstructed";
  const json::Array row = as_array(require(object, "unobstructed", where), where);
  if (row.size() != count) {
    throw InputError(where,
                     fmt::format("should have an entry for each of the {} viewpoints, has {}",
                                 count, row.size()),
                     "download the connectivity file again");
  }
  v.unobstructed.reserve(count);
  for (const json::Value flag : row) {
    v.unobstructed.push_back(static_cast<char>(as_bool(flag, where)));
  }
  return v;
}

std::vector<ConnectivityEntry> read_entries(const JsonFile& file) {
  const json::Array list = as_array(file.root(), {file.path()});
  std::vector<ConnectivityEntry> all;
  std::unordered_set<std::string_view> ids;
  all.reserve(list.size());
  for (const json::Value element : list) {
    const InputError::Where where{file.path(), fmt::format("entry {}", all.size()), {}};
    all.push_back(read_entry(element, list.size(), where));
    if (!ids.insert(all.back().id).second) {
      throw InputError({file.path(), all.back().id, "image_id"}, "the viewpoint is there twice",
                       "download the connectivity file again");
    }
  }
  return all;
}

// Names the first two of which only one has the other.
void refuse_asymmetric(const std::vector<ConnectivityEntry>& all, const std::string& file) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      if (!all[i].included || !all[j].included) continue;
      if (all[i].unobstructed[j] == all[j].unobstructed[i]) continue;
      throw InputError({file, all[i].id, "unobstructed"},
                       fmt::format("the adjacency with {} is not symmetric", all[j].id),
                       "both viewpoints must name the edge, or neither");
    }
  }
}

// Returns the edges. @param index node of each included viewpoint.
std::vector<Edge> edges_of(const std::vector<ConnectivityEntry>& all,
                           const std::vector<Node>& index, const std::string& file) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].included) continue;
    const std::string_view row(all[i].unobstructed.data(), all.size());
    for (std::size_t j = row.find('\1'); j != row.npos; j = row.find('\1', j + 1)) {
      if (j == i || !all[j].included) continue;
      if (all[j].unobstructed[i] == 0) refuse_asymmetric(all, file);
      if (j > i) edges.push_back({index[i], index[j], {}});
    }
  }
  return edges;
}

}  // namespace

std::unique_ptr<Scan> scan_of_entries(const std::vector<ConnectivityEntry>& all,
                                      const std::string& file, const std::string& scan) {
  std::vector<Node> index(all.size());
  std::vector<std::string> names;
  std::vector<std::array<double, 3>> positions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].included) continue;
    index[i] = static_cast<Node>(names.size());
    names.push_back(all[i].id);
    positions.push_back(all[i].position);
  }
  const std::vector<Edge> edges = edges_of(all, index, file);
  return std::make_unique<Scan>(scan, std::move(names), std::move(positions), edges);
}

std::unique_ptr<Scan> read_connectivity(const JsonFile& file, const std::string& scan) {
  return scan_of_entries(read_entries(file), file.path(), scan);
}

}  // namespace warpath::formats
