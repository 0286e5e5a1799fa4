#include <fmt/format.h>

#include <unordered_map>

#include "host/formats/dataset.hpp"
#include "host/io/input_file.hpp"

namespace warpath {

PairsFile read_pairs(const std::string& file, StringTable& viewpoints) {
  std::string text = read_input(file);
  PairsFile pairs;
  Dataset& dataset = pairs.dataset;
  dataset.file = pairs.predictions.file = file;
  dataset.hash = pairs.predictions.hash = content_hash(text);
  dataset.format = DatasetFormat::pairs;
  pairs.predictions.path_key = "prediction";
  std::unordered_map<std::string, std::uint32_t> scan_numbers;

  json::parser parser;
  std::size_t line = 0;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    ++line;
    if (text.find_first_not_of(" \t\r", begin) >= end) continue;
    const InputError::Where where{file, fmt::format("line {}", line), {}};
    const auto object = as_object(parse_json(parser, text.data() + begin, end - begin, where), where);

    const std::string id = id_text(require(object, "id", where), where);
    const InputError::Where item{file, id, {}};
    const std::string scan(as_string(require(object, "scan", item), {file, id, "scan"}));
    const auto [entry, is_new] =
        scan_numbers.try_emplace(scan, static_cast<std::uint32_t>(dataset.scans.size()));
    if (is_new) dataset.scans.push_back(scan);

    const Trajectory reference =
        read_trajectory(require(object, "reference", item), viewpoints, dataset.references);
    if (reference.malformed) {
      throw InputError({file, id, "reference"}, "should be a list of viewpoint ids",
                       "repair the line");
    }
    const Trajectory prediction = read_trajectory(require(object, "prediction", item), viewpoints,
                                                  pairs.predictions.paths);
    dataset.items.push_back({id, entry->second, reference.path, 0});
    pairs.predictions.entries.push_back({id, prediction});
  }
  if (dataset.items.empty()) {
    throw InputError({file}, "has no pairs", "write one object with id, scan, reference and "
                     "prediction on each line");
  }
  return pairs;
}

}  // namespace warpath
