#include "host/formats/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/formats/format_names.hpp"

namespace warpath {
namespace {

constexpr std::array<FormatName, 5> formats{{
    {"r2r", "R2R"},
    {"r4r", "R4R"},
    {"reverie", "REVERIE"},
    {"ndh", "NDH"},
    {"pairs", "pairs"},
}};

bool has(json::object object, const char* key) { return object[key].error() == simdjson::SUCCESS; }

DatasetFormat detect(json::object first, const InputError::Where& where) {
  if (has(first, "planner_path") || has(first, "player_path") || has(first, "inst_idx")) {
    return DatasetFormat::ndh;
  }
  if (has(first, "objId")) return DatasetFormat::reverie;
  if (has(first, "path") && has(first, "scan") && (has(first, "path_id") || has(first, "id"))) {
    return has(first, "first_path_id") || has(first, "shortest_path") ? DatasetFormat::r4r
                                                                      : DatasetFormat::r2r;
  }
  throw InputError(where, "not an item of R2R, R4R, REVERIE or NDH",
                   found_keys(first) + "; expected scan, path, path_id and instructions");
}

class Reader {
 public:
  Reader(Dataset& out, NdhReference ndh_reference, StringTable& viewpoints)
      : out_(out), ndh_reference_(ndh_reference), viewpoints_(viewpoints) {}

  void read(json::object object, std::size_t position) {
    const bool ndh = out_.format == DatasetFormat::ndh;
    const std::string_view key = id_key(object);
    InputError::Where where{out_.file, fmt::format("entry {}", position), std::string(key)};
    const std::string path_id = id_text(require(object, key, {where.file, where.item}), where);
    where = {out_.file, path_id, "scan"};
    const auto scan =
        scans_.number(as_string(require(object, "scan", {out_.file, path_id}), where));
    const std::uint32_t reference = ndh ? read_ndh_reference(object, path_id)
                                        : read_path(object, "path", path_id);
    if (key == "inst_idx") {
      add(path_id, scan, reference, 0);
      return;
    }
    where.field = "instructions";
    const auto list = require(object, "instructions", {out_.file, path_id});
    const std::size_t count = as_array(list, where).size();
    for (std::size_t k = 0; k < count; ++k) {
      add(fmt::format("{}_{}", path_id, k), scan, reference, static_cast<int>(k));
    }
  }

 private:
  std::string_view id_key(json::object object) const {
    if (out_.format == DatasetFormat::ndh && has(object, "inst_idx")) return "inst_idx";
    if (out_.format == DatasetFormat::reverie && has(object, "id")) return "id";
    return has(object, "path_id") ? "path_id" : "id";
  }

  void add(std::string id, std::uint32_t scan, std::uint32_t reference, int instruction) {
    if (ids_.intern(id) != out_.items.size()) {
      throw InputError({out_.file, id}, "the dataset has this id twice",
                       "remove one of the two items");
    }
    out_.items.push_back({std::move(id), scan, reference, instruction});
  }

  std::uint32_t read_path(json::object object, const char* key, const std::string& id) {
    const json::element value = require(object, key, {out_.file, id});
    as_array(value, {out_.file, id, key});
    const Trajectory path = read_trajectory(value, viewpoints_, out_.references);
    if (path.malformed) {
      throw InputError({out_.file, id, key}, "should be a list of viewpoint ids",
                       "repair the item");
    }
    return path.path;
  }

  std::uint32_t read_ndh_reference(json::object object, const std::string& id) {
    const char* player = has(object, "player_path") ? "player_path" : "path";
    if (ndh_reference_ == NdhReference::path) return read_path(object, player, id);
    const std::uint32_t planner = read_path(object, "planner_path", id);
    if (ndh_reference_ == NdhReference::planner) return planner;
    const std::uint32_t walked = read_path(object, player, id);
    const auto goal = out_.references[planner];
    const auto steps = out_.references[walked];
    const bool passes_goal = !goal.empty() && !steps.empty() &&
                             std::ranges::find(steps.subspan(1), goal.back()) != steps.end();
    return passes_goal ? walked : planner;
  }

  Dataset& out_;
  NdhReference ndh_reference_;
  StringTable& viewpoints_;
  ScanNumbers scans_{out_.scans};
  StringTable ids_;  // token k is item k
};

}  // namespace

std::string_view title(DatasetFormat format) { return formats[static_cast<int>(format)].title; }

std::optional<DatasetFormat> find_dataset_format(std::string_view wanted) {
  return find_format<DatasetFormat>(formats, wanted);
}

Dataset read_dataset(const std::string& file, std::optional<DatasetFormat> forced,
                     NdhReference ndh_reference, StringTable& viewpoints) {
  const JsonFile document(file);
  Dataset dataset;
  dataset.file = file;
  dataset.hash = document.hash();
  const json::array list = as_array(document.root(), {file});
  if (list.size() == 0) throw InputError({file}, "the dataset has no items", "check the file");
  Reader reader(dataset, ndh_reference, viewpoints);
  std::size_t position = 0;
  for (const json::element element : list) {
    const InputError::Where where{file, fmt::format("entry {}", position), {}};
    const json::object object = as_object(element, where);
    if (position == 0) dataset.format = forced ? *forced : detect(object, where);
    reader.read(object, position++);
  }
  return dataset;
}

}  // namespace warpath
