#include <fmt/format.h>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/lines.hpp"
#include "host/files/formats/reference_table.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::formats {
namespace {

class PairReader {
 public:
  PairReader(PairsFile& out, StringTable& viewpoints) : out_(out), viewpoints_(viewpoints) {}

  void read(json::object object, const InputError::Where& where) {
    const std::string& file = where.file;
    const std::string id = id_text(keys_.get(object, "id", where), where);
    const InputError::Where item{file, id, {}};
    const auto scan = scans_.number(as_string(keys_.get(object, "scan", item), {file, id, "scan"}));
    const Trajectory path =
        read_trajectory(keys_.get(object, "reference", item), viewpoints_, out_.dataset.references);
    if (path.malformed) {
      throw InputError({file, id, "reference"}, "should be a list of viewpoint ids",
                       "repair the line");
    }
    const std::uint32_t reference = references_.share_last(scan);
    const Trajectory prediction =
        read_trajectory(keys_.get(object, "prediction", item), viewpoints_, out_.predictions.paths);
    out_.dataset.items.push_back({id, scan, reference});
    out_.predictions.entries.push_back({id, prediction});
  }

  const KeyReader& keys() const { return keys_; }

 private:
  PairsFile& out_;
  StringTable& viewpoints_;
  ScanNumbers scans_{out_.dataset.scans};
  ReferenceTable references_{out_.dataset.references};
  KeyReader keys_;
};

}  // namespace

PairsFile read_pairs(const std::string& file, StringTable& viewpoints, const io::Reading& reading) {
  std::string text = io::read_input(file, reading);
  PairsFile pairs;
  pairs.dataset.file = pairs.predictions.file = io::input_name(file);
  pairs.dataset.hash = pairs.predictions.hash = io::content_hash(text);
  pairs.dataset.is_pairs = true;
  pairs.predictions.path_key = "prediction";

  PairReader reader(pairs, viewpoints);
  json::parser parser;
  for (Lines lines(text); lines.next();) {
    const InputError::Where where{pairs.dataset.file, fmt::format("line {}", lines.number), {}};
    const auto root = parse_json(parser, text.data() + lines.begin, lines.end - lines.begin, where);
    reader.read(as_object(root, where), where);
  }
  if (pairs.dataset.items.empty()) {
    throw InputError({pairs.dataset.file}, "has no pairs",
                     "write one object with id, scan, reference and prediction on each line");
  }
  reader.keys().note_repeated(pairs.dataset.notes);
  return pairs;
}

}  // namespace warpath::formats
