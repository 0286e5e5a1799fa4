#include "host/tasks/soon/annotations.hpp"

#include <fmt/format.h>

#include "host/formats/json_file.hpp"
#include "host/tasks/soon/boxes.hpp"

namespace warpath {
namespace {

// Reads path k of an annotation, whose items begin at `first`.
std::uint32_t read_start(EntryReader& reader, const DatasetEntry& entry, json::element value,
                         std::size_t k, std::size_t first) {
  const Dataset& dataset = reader.dataset();
  NamedPaths& references = reader.dataset().references;
  const InputError::Where where = reader.where(entry, fmt::format("path[{}]", k));
  as_array(value, where);
  const Trajectory path = read_trajectory(value, reader.viewpoints(), references);
  if (path.malformed || references.size_of(path.path) == 0) {
    throw InputError(where, "should be a list of viewpoint ids", "repair the item");
  }
  const Token start = references[path.path].front();
  for (std::size_t i = first; i < dataset.items.size(); ++i) {
    const std::uint32_t known = dataset.items[i].reference;
    if (references[known].front() != start) continue;
    references.offsets.pop_back();
    references.elements.resize(references.offsets.back());
    return known;
  }
  return reader.share_last(entry.scan);
}

}  // namespace

bool is_soon_entry(const DatasetEntry& entry) {
  return entry.has_path_and_scan() && entry.has("bboxes");
}

std::string_view soon_id_key(const DatasetEntry& entry) {
  return entry.has("instr_id") ? "instr_id" : entry.has("path_id") ? "path_id" : "instr_id";
}

void read_soon_annotation(EntryReader& reader, const DatasetEntry& entry) {
  Dataset& dataset = reader.dataset();
  const InputError::Where where = reader.where(entry, "path");
  const json::array paths = as_array(reader.get(entry, "path"), where);
  if (paths.size() == 0) throw InputError(where, "has no path", "give one for each start");
  const json::element bboxes = reader.get(entry, "bboxes");
  dataset.boxes.push_back(read_boxes(bboxes, dataset.file, entry.id, reader.viewpoints()));
  for (const TargetBox& box : dataset.boxes.back()) dataset.goals.elements.push_back(box.viewpoint);
  const std::uint32_t goals = dataset.goals.end_path();
  const std::size_t first = dataset.items.size();
  for (const json::element path : paths) {
    const std::size_t k = dataset.items.size() - first;
    Item item{fmt::format("{}_{}", entry.id, k), entry.scan,
              read_start(reader, entry, path, k, first)};
    item.goals = goals;
    reader.add(entry, std::move(item));
  }
}

std::size_t count_annotations(const Dataset& dataset) {
  return dataset.goals.size();
}

}  // namespace warpath
