#include "host/formats/predictions.hpp"

#include <fmt/format.h>

#include <array>

#include "host/formats/format_names.hpp"

namespace warpath {
namespace {

constexpr std::array<FormatName, 5> formats{{
    {"evalai", "EvalAI submission"},
    {"viewpoints", "list of viewpoints"},
    {"nested", "nested list of moves (DUET)"},
    {"speaker-follower", "speaker-follower dict"},
    {"inst-idx", "NDH submission"},
}};

constexpr std::array<const char*, 3> id_keys{"instr_id", "inst_idx", "instruction_id"};
constexpr std::array<const char*, 2> path_keys{"trajectory", "path"};

// The first of the keys that the object has, or nothing.
template <std::size_t n>
const char* first_key(json::object object, const std::array<const char*, n>& keys) {
  for (const char* key : keys) {
    if (object[key].error() == simdjson::SUCCESS) return key;
  }
  return nullptr;
}

class Reader {
 public:
  Reader(Predictions& out, StringTable& viewpoints, std::optional<PredictionFormat> forced)
      : out_(out), viewpoints_(viewpoints), forced_(forced) {}

  void read_list(json::array list) {
    std::size_t position = 0;
    for (const json::element element : list) {
      json::object object;
      if (element.get(object) != simdjson::SUCCESS) {
        throw InputError({out_.file, entry(position)}, "should be an object with instr_id and "
                         "trajectory, is " + std::string(type_name(element)), formats_hint);
      }
      if (position == 0) choose_keys(object);
      json::element id, path;
      if (object[out_.id_key].get(id) != simdjson::SUCCESS) no_key(object, position, out_.id_key);
      if (object[out_.path_key].get(path) != simdjson::SUCCESS) {
        no_key(object, position, out_.path_key);
      }
      add(read_id(id, position), path, element);
      ++position;
    }
  }

  void read_dict(json::object dict) {
    out_.format = PredictionFormat::speaker_follower;
    for (const auto field : dict) {
      json::element path = field.value;
      json::object object;
      if (path.get(object) == simdjson::SUCCESS) {
        const char* key = first_key(object, path_keys);
        if (key == nullptr) {
          throw InputError({out_.file, std::string(field.key)}, "no key 'trajectory'",
                           found_keys(object));
        }
        out_.path_key = key;
        path = object[key].value();
      }
      add(std::string(field.key), path, field.value);
    }
  }

  PredictionFormat list_format() const {
    if (out_.id_key == "inst_idx") return PredictionFormat::inst_idx;
    if (nested_) return PredictionFormat::nested;
    return headings_ || out_.entries.empty() ? PredictionFormat::evalai
                                             : PredictionFormat::viewpoints;
  }

 private:
  static constexpr std::string_view formats_hint = "see the README's prediction formats";

  static std::string entry(std::size_t position) { return fmt::format("entry {}", position); }

  [[noreturn]] void no_key(json::object object, std::size_t position, const std::string& key) {
    throw InputError({out_.file, entry(position)}, fmt::format("no key '{}'", key),
                     found_keys(object));
  }

  void choose_keys(json::object first) {
    if (const char* key = first_key(first, id_keys)) out_.id_key = key;
    if (const char* key = first_key(first, path_keys)) out_.path_key = key;
  }

  std::string read_id(json::element id, std::size_t position) {
    std::string_view text;
    if (id.get(text) == simdjson::SUCCESS && !is_not_finite(id)) return std::string(text);
    return id_text(id, {out_.file, entry(position), out_.id_key});
  }

  void add(std::string id, json::element path, json::element entry) {
    const bool first_only = forced_ == PredictionFormat::evalai;
    Trajectory t = read_trajectory(path, viewpoints_, out_.paths, first_only);
    if (forced_ == PredictionFormat::viewpoints && t.nested) t.malformed = true;
    nested_ |= t.nested;
    headings_ |= t.has_headings;
    out_.entries.push_back({std::move(id), t, out_.document ? entry : json::element()});
  }

  Predictions& out_;
  StringTable& viewpoints_;
  std::optional<PredictionFormat> forced_;
  bool nested_ = false, headings_ = false;
};

}  // namespace

std::string_view name(PredictionFormat format) { return formats[static_cast<int>(format)].name; }
std::string_view title(PredictionFormat format) { return formats[static_cast<int>(format)].title; }

std::optional<PredictionFormat> find_prediction_format(std::string_view wanted) {
  return find_format<PredictionFormat>(formats, wanted);
}

void Predictions::append(const Predictions& shard) {
  const auto paths_before = static_cast<std::uint32_t>(paths.size());
  const std::uint64_t nodes_before = paths.nodes.size();
  for (const Prediction& p : shard.entries) {
    entries.push_back(p);
    entries.back().trajectory.path += paths_before;
    entries.back().entry = {};
  }
  paths.nodes.insert(paths.nodes.end(), shard.paths.nodes.begin(), shard.paths.nodes.end());
  for (std::size_t p = 1; p < shard.paths.offsets.size(); ++p) {
    paths.offsets.push_back(nodes_before + shard.paths.offsets[p]);
  }
  hash += "+" + shard.hash;
}

Predictions read_predictions(const std::string& file, std::optional<PredictionFormat> forced,
                             StringTable& viewpoints, bool keep_document) {
  const auto kept = std::make_shared<const JsonFile>(file);
  const JsonFile& document = *kept;
  Predictions predictions;
  predictions.file = file;
  predictions.hash = document.hash();
  if (keep_document) predictions.document = kept;
  Reader reader(predictions, viewpoints, forced);
  json::array list;
  json::object dict;
  if (document.root().get(list) == simdjson::SUCCESS) {
    if (forced == PredictionFormat::speaker_follower) {
      throw InputError({file}, "a list, but --format speaker-follower wants an object",
                       "leave --format away: the format is told from the content");
    }
    reader.read_list(list);
    predictions.format = forced.value_or(reader.list_format());
  } else if (document.root().get(dict) == simdjson::SUCCESS) {
    if (forced && forced != PredictionFormat::speaker_follower) {
      throw InputError({file}, fmt::format("an object, but --format {} wants a list", name(*forced)),
                       "leave --format away: the format is told from the content");
    }
    reader.read_dict(dict);
  } else {
    throw InputError({file},
                     fmt::format("is {}, not predictions", type_name(document.root())),
                     "expected a list of {instr_id, trajectory}, or an object by instr_id");
  }
  return predictions;
}

}  // namespace warpath
