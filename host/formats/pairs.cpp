#include <fmt/format.h>

#include "host/formats/dataset.hpp"
#include "host/io/input_file.hpp"

namespace warpath {
namespace {

void read_pair(json::object object, const InputError::Where& where, PairsFile& out,
               ScanNumbers& scans, StringTable& viewpoints) {
  const std::string id = id_text(require(object, "id", where), where);
  const InputError::Where item{where.file, id, {}};
  const auto scan =
      scans.number(as_string(require(object, "scan", item), {where.file, id, "scan"}));
  const Trajectory reference =
      read_trajectory(require(object, "reference", item), viewpoints, out.dataset.references);
  if (reference.malformed) {
    throw InputError({where.file, id, "reference"}, "should be a list of viewpoint ids",
                     "repair the line");
  }
  const Trajectory prediction =
      read_trajectory(require(object, "prediction", item), viewpoints, out.predictions.paths);
  out.dataset.items.push_back({id, scan, reference.path, 0});
  out.predictions.entries.push_back({id, prediction});
}

}  // namespace

PairsFile read_pairs(const std::string& file, StringTable& viewpoints) {
  std::string text = read_input(file);
  PairsFile pairs;
  pairs.dataset.file = pairs.predictions.file = file;
  pairs.dataset.hash = pairs.predictions.hash = content_hash(text);
  pairs.dataset.format = DatasetFormat::pairs;
  pairs.predictions.path_key = "prediction";

  ScanNumbers scans(pairs.dataset.scans);
  json::parser parser;
  std::size_t line = 0;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    ++line;
    if (text.find_first_not_of(" \t\r", begin) >= end) continue;
    const InputError::Where where{file, fmt::format("line {}", line), {}};
    const auto root = parse_json(parser, text.data() + begin, end - begin, where);
    read_pair(as_object(root, where), where, pairs, scans, viewpoints);
  }
  if (pairs.dataset.items.empty()) {
    throw InputError({file}, "has no pairs",
                     "write one object with id, scan, reference and prediction on each line");
  }
  return pairs;
}

}  // namespace warpath
