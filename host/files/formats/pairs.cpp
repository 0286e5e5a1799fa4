#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "host/files/formats/append_paths.hpp"
#include "host/files/formats/dataset.hpp"
#include "host/files/formats/distinct_ids.hpp"
#include "host/files/formats/entry_chunks.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/lines.hpp"
#include "host/files/formats/parse_json.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/formats/reference_table.hpp"
#include "host/files/formats/spare_parser.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::formats {
namespace {

class PairReader {
 public:
  PairReader(PairsFile& out, StringTable& viewpoints) : out_(out), viewpoints_(viewpoints) {}

  void read(json::Object object, const InputError::Where& where) {
    const std::string& file = where.file;
    const std::string id = id_text(keys_.get(object, "id", where), where);
    const InputError::Where item{file, id, {}};
    const auto scan = scans_.number(as_string(keys_.get(object, "scan", item), {file, id, "scan"}));
    const Trajectory path =
        read_trajectory(keys_.get(object, "reference", item), viewpoints_, out_.dataset.references);
    if (path.malformed) {
      throw InputError({file, id, "reference"}, "should be a list of viewpoint ids",
                       "repair the line, or name the grid of positions by --grid");
    }
    const std::uint32_t reference = references_.share_last(scan);
    const Trajectory prediction =
        read_trajectory(keys_.get(object, "prediction", item), viewpoints_, out_.predictions.paths);
    out_.dataset.items.push_back({id, scan, reference});
    out_.predictions.entries.push_back({id, prediction});
  }

  // Takes what was read of the lines that follow.
  void append(const PairReader& later) {
    const std::vector<Token> tokens = intern_all(later.viewpoints_, viewpoints_);
    PairsFile& more = later.out_;
    std::vector<std::uint32_t> scans, references;
    for (const std::string& scan : more.dataset.scans) scans.push_back(scans_.number(scan));
    renumber(tokens, more.dataset.references);
    renumber(tokens, more.predictions.paths);
    NamedPaths& paths = out_.dataset.references;
    for (std::uint32_t r = 0; r < more.dataset.references.size(); ++r) {
      const auto path = more.dataset.references[r];
      paths.elements.insert(paths.elements.end(), path.begin(), path.end());
      paths.end_path();
      references.push_back(references_.share_last(scans[later.references_.scan_of(r)]));
    }
    const auto paths_before = static_cast<std::uint32_t>(out_.predictions.paths.size());
    append_paths(out_.predictions.paths, more.predictions.paths);
    for (std::size_t k = 0; k < more.dataset.items.size(); ++k) {
      Item& item = more.dataset.items[k];
      Prediction& prediction = more.predictions.entries[k];
      prediction.trajectory.path += paths_before;
      out_.dataset.items.push_back(
          {std::move(item.id), scans[item.scan], references[item.reference]});
      out_.predictions.entries.push_back(std::move(prediction));
    }
    keys_.repeated += later.keys_.repeated;
  }

  void begin(std::string file) {
    out_.dataset.file = out_.predictions.file = std::move(file);
    out_.dataset.is_pairs = true;
    out_.predictions.path_key = "prediction";
  }

  void finish(std::string hash) {
    out_.dataset.hash = out_.predictions.hash = std::move(hash);
    keys_.note_repeated(out_.dataset.notes);
  }

 private:
  PairsFile& out_;
  StringTable& viewpoints_;
  ScanNumbers scans_{out_.dataset.scans};
  ReferenceTable references_{out_.dataset.references};
  KeyReader keys_;
};

// Reads the pairs of each chunk on their own, with numbers of their own for scans and viewpoints.
class ChunkedPairs : public ChunkReader {
 public:
  ChunkedPairs(PairsFile& pairs, StringTable& viewpoints) : pairs_(pairs), all_(pairs, viewpoints) {
    pairs = {};
  }

  bool read(std::size_t slot, const json::Value& entries) override {
    json::Array lines;
    if (!entries.get(lines)) return false;
    parts_[slot] = std::make_unique<Part>();
    for (const json::Value entry : lines) {
      const auto object = object_in(entry);
      if (!object) return false;
      parts_[slot]->reader.read(*object, {});
    }
    return true;
  }

  bool take(std::size_t slot) override {
    all_.append(parts_[slot]->reader);
    return true;
  }

  // Returns false if the file has to be read whole.
  bool read_file(const std::string& file, const io::Reading& reading) {
    all_.begin(file);
    const auto read = read_in_chunks(file, reading, *this);
    if (!read || !read->is_lines) return false;
    all_.finish(read->hash);
    return true;
  }

 protected:
  PairsFile& pairs_;

 private:
  struct Part {
    StringTable viewpoints;
    PairsFile pairs;
    PairReader reader{pairs, viewpoints};
  };

  PairReader all_;
  std::array<std::unique_ptr<Part>, max_slots> parts_;
};

// Lends windows of pairs to somebody who uses them.
class PairWindows : public ChunkedPairs {
 public:
  PairWindows(PairsFile& pairs, StringTable& viewpoints, std::size_t min_pairs, const UsePairs& use)
      : ChunkedPairs(pairs, viewpoints), min_pairs_(min_pairs), use_(use) {}

  bool take(std::size_t slot) override {
    return ChunkedPairs::take(slot) && (pairs_.dataset.items.size() < min_pairs_ || use());
  }

  bool use() {
    const std::vector<Item>& items = pairs_.dataset.items;
    if (items.empty()) return true;
    if (!ids_.add_all(items.size(), [&](std::size_t k) { return std::string_view(items[k].id); })) {
      return false;
    }
    if (!use_(pairs_)) return false;
    pairs_.dataset.items.clear();
    pairs_.predictions.entries.clear();
    pairs_.predictions.paths = {};
    return true;
  }

 private:
  std::size_t min_pairs_;
  const UsePairs& use_;
  DistinctIds ids_;
};

class PointPairReader {
 public:
  explicit PointPairReader(PairsFile& out)
      : out_(out),
        episodes_(out.dataset.episodes.emplace()),
        positions_(out.predictions.positions.emplace()) {}

  void read(json::Object object, const InputError::Where& where) {
    const std::string& file = where.file;
    const std::string id = id_text(keys_.get(object, "id", where), where);
    const InputError::Where item{file, id, {}};
    const auto scan = scans_.number(as_string(keys_.get(object, "scan", item), {file, id, "scan"}));
    PositionPath fault;
    read_points(keys_.get(object, "reference", item), "reference", episodes_.references, fault);
    if (!fault.fault.empty()) {
      throw InputError({file, id, fault.fault_at}, fault.fault,
                       "a path over a grid is a list of [x, y, z], in metres");
    }
    Prediction prediction;
    prediction.id = id;
    prediction.trajectory.path =
        read_points(keys_.get(object, "prediction", item), "prediction", positions_.points, fault);
    prediction.trajectory.malformed = !fault.fault.empty();
    positions_.paths.push_back(std::move(fault));
    positions_.distances.end_path();
    out_.dataset.items.push_back({.id = id, .scan = scan, .reference = 0});
    out_.predictions.entries.push_back(std::move(prediction));
  }

  void finish() const { keys_.note_repeated(out_.dataset.notes); }

 private:
  // Appends a path up to its first fault.
  static std::uint32_t read_points(json::Value value, const char* key, PointSet& paths,
                                   PositionPath& path) {
    json::Array list;
    if (!value.get(list)) {
      path.fault_at = key;
      path.fault = point_fault(value);
      return paths.end_path();
    }
    std::size_t k = 0;
    for (const json::Value element : list) {
      Point point;
      if (!read_point(element, point)) {
        path.fault_at = fmt::format("{}[{}]", key, k);
        path.fault = point_fault(element);
        break;
      }
      paths.elements.push_back(point);
      ++k;
    }
    return paths.end_path();
  }

  PairsFile& out_;
  EpisodeData& episodes_;
  PositionData& positions_;
  ScanNumbers scans_{out_.dataset.scans};
  KeyReader keys_;
};

// Reads the pairs of a file line by line.
template <class Reader>
void read_lines(Reader& reader, std::string& text, const std::string& name) {
  json::Parser parser;
  for (Lines lines(text); lines.next();) {
    const InputError::Where where{name, fmt::format("line {}", lines.number), {}};
    const auto root = parse_json(parser, text.data() + lines.begin, lines.end - lines.begin, where);
    reader.read(as_object(root, where), where);
  }
}

void refuse_no_pairs(const PairsFile& pairs) {
  if (!pairs.dataset.items.empty()) return;
  throw InputError({pairs.dataset.file}, "has no pairs",
                   "write one object with id, scan, reference and prediction on each line");
}

}  // namespace

PairsFile read_pairs(const std::string& file, StringTable& viewpoints, const io::Reading& reading) {
  PairsFile pairs;
  if (ChunkedPairs(pairs, viewpoints).read_file(file, reading)) return pairs;

  pairs = {};
  std::string text = io::read_input(file, reading);
  const std::string name = io::input_name(file), hash = io::content_hash(text);
  PairReader reader(pairs, viewpoints);
  reader.begin(name);
  read_lines(reader, text, name);
  refuse_no_pairs(pairs);
  reader.finish(hash);
  return pairs;
}

PairsFile read_point_pairs(const std::string& file, const io::Reading& reading) {
  PairsFile pairs;
  std::string text = io::read_input(file, reading);
  const std::string name = io::input_name(file);
  pairs.dataset.file = pairs.predictions.file = name;
  pairs.dataset.hash = pairs.predictions.hash = io::content_hash(text);
  pairs.dataset.is_pairs = true;
  pairs.predictions.path_key = "prediction";
  PointPairReader reader(pairs);
  read_lines(reader, text, name);
  refuse_no_pairs(pairs);
  reader.finish();
  return pairs;
}

bool read_pair_windows(const std::string& file, PairsFile& pairs, StringTable& viewpoints,
                       const io::Reading& reading, std::size_t min_pairs, const UsePairs& use) {
  PairWindows windows(pairs, viewpoints, min_pairs, use);
  return windows.read_file(file, reading) && windows.use();
}

}  // namespace warpath::formats
