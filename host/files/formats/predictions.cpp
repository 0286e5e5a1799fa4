#include "host/files/formats/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/core/base/suggest.hpp"
#include "host/files/formats/foreign.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/object_ids.hpp"
#include "host/files/formats/prediction_shapes.hpp"
#include "host/files/io/input_file.hpp"
#include "host/tasks/tasks.hpp"

namespace warpath::formats {
namespace {

struct FormatRow {
  PredictionFormat format;
  std::string_view name, title;  // on the command line, in reports
  bool has_positions = false;
};

// In the order of help texts.
constexpr FormatRow prediction_formats[] = {
    {PredictionFormat::evalai, "evalai", "EvalAI submission"},
    {PredictionFormat::viewpoints, "viewpoints", "list of viewpoints"},
    {PredictionFormat::nested, "nested", "nested list of moves (DUET)"},
    {PredictionFormat::speaker_follower, "speaker-follower", "speaker-follower dict"},
    {PredictionFormat::inst_idx, "inst-idx", "NDH submission"},
    {PredictionFormat::instruction_id, "instruction-id", "RxR submission"},
    {PredictionFormat::beams, "beams", "speaker-follower beams"},
    {PredictionFormat::trajectories, "soon", "SOON submission"},
    {PredictionFormat::positions, "positions", "VLN-CE submission", true},
    {PredictionFormat::points, "points", "positions by episode", true},
    {PredictionFormat::position_lines, "position-lines", "RxR-Habitat submission", true},
};

const FormatRow& row_of(PredictionFormat format) {
  return *std::ranges::find(prediction_formats, format, &FormatRow::format);
}

class PredictionReader {
 public:
  PredictionReader(Predictions& out, JsonFile& document, StringTable& viewpoints,
                   std::optional<PredictionFormat> forced)
      : out_(out), document_(document), viewpoints_(viewpoints), forced_(forced) {}

  void read() {
    json::array list;
    json::object dict;
    if (document_.root().get(list) == simdjson::SUCCESS) {
      read_list(list);
    } else if (document_.root().get(dict) == simdjson::SUCCESS) {
      read_object(dict);
    } else {
      throw InputError({out_.file},
                       fmt::format("is {}, not predictions", type_name(document_.root())),
                       "expected a list of {instr_id, trajectory}, or an object by instr_id");
    }
    refuse_without_paths();
    keys_.note_repeated(out_.notes);
    out_.object_key = objects_.key();
    out_.object_notes = objects_.notes();
  }

 private:
  static constexpr std::string_view formats_hint = "see the predictions of docs/formats.md";

  bool wants_object() const {
    return forced_ == PredictionFormat::speaker_follower || forced_ == PredictionFormat::beams;
  }

  void read_list(json::array list) {
    if (wants_object()) {
      throw InputError({out_.file},
                       fmt::format("a list, but --format {} wants an object", name(*forced_)),
                       "leave --format away: the format is told from the content");
    }
    std::size_t position = 0;
    for (const json::element element : list) {
      const InputError::Where where{out_.file, place(position), {}};
      const auto entry = object_in(element);
      if (!entry) {
        throw InputError(where,
                         fmt::format("should be an object with instr_id and trajectory, is {}",
                                     type_name(element)),
                         formats_hint);
      }
      if (position++ == 0 && list.size() > 1 && skip_summary(*entry)) continue;
      if (out_.entries.empty()) begin(*entry);
      const json::element id = get(*entry, out_.id_key, where);
      const json::element path = get(*entry, out_.path_key, where);
      add(id_text(id, {out_.file, where.item, out_.id_key}), path, element);
    }
    out_.format = forced_.value_or(list_format());
  }

  void read_object(json::object object) {
    if (const auto kind = foreign_predictions(object)) refuse(*kind);
    if (const auto key = wrapping_key(object, out_.file)) {
      out_.notes.push_back(fmt::format("the predictions are the list under '{}'", *key));
      is_wrapped_ = true;
      read_list(find_key(object, *key).value);
      return;
    }
    if (forced_ && !wants_object()) {
      throw InputError({out_.file},
                       fmt::format("an object, but --format {} wants a list", name(*forced_)),
                       "leave --format away: the format is told from the content");
    }
    read_dict(object);
  }

  void read_dict(json::object dict) {
    out_.format = PredictionFormat::speaker_follower;
    for (const auto& field : keys_.fields(dict)) read_field(std::string(field.key), field.value);
  }

  void read_field(std::string id, json::element entry) {
    if (const auto candidate = first_candidate(entry)) {
      note_candidates();
      out_.format = PredictionFormat::beams;
      entry = *candidate;
    }
    json::element path = entry;
    if (const auto object = object_in(entry)) {
      if (out_.entries.empty()) begin(*object);
      if (const auto key = first_key(*object, prediction_path_keys)) out_.path_key = *key;
      path = get(*object, out_.path_key, {out_.file, id, {}});
    }
    add(std::move(id), path, entry);
  }

  // Chooses the keys from the first entry.
  void begin(json::object first) {
    if (const auto key = first_key(first, prediction_id_keys)) out_.id_key = *key;
    if (const auto key = first_key(first, prediction_path_keys)) {
      out_.path_key = *key;
    } else if (const auto kind = foreign_predictions(first)) {
      refuse(*kind);
    }
  }

  bool skip_summary(json::object first) {
    if (!is_summary(first)) return false;
    out_.notes.push_back("the first entry has no id: taken for a summary and skipped");
    return true;
  }

  void add(std::string id, json::element path, json::element entry) {
    if (!is_checked_) check_path(path);
    const bool first_only = forced_ == PredictionFormat::evalai;
    Trajectory t = read_trajectory(path, viewpoints_, out_.paths, first_only);
    if (own_form_ != nullptr) own_form_->read_trajectories(path, id, out_, viewpoints_);
    if (forced_ == PredictionFormat::viewpoints && t.nested) t.malformed = true;
    if (t.candidates > 1 && own_form_ == nullptr) note_candidates();
    has_path_ |= !t.malformed;
    nested_ |= t.nested;
    headings_ |= t.has_headings;
    auto object = objects_.read(entry, id);
    out_.entries.push_back({.id = std::move(id),
                            .trajectory = t,
                            .entry = out_.document ? document_.keep(entry) : nullptr,
                            .object = std::move(object)});
    add_published(entry);
  }

  // Keeps the metrics that a follower file gives of its entries.
  void add_published(json::element entry) {
    if (out_.id_key != "instruction_id") return;
    const auto metrics = published_metrics(entry);
    if (!metrics && out_.published.empty()) return;
    out_.published.resize(out_.entries.size() - 1, no_published_metrics);
    out_.published.push_back(metrics.value_or(no_published_metrics));
  }

  void note_candidates() {
    if (has_candidates_) return;
    has_candidates_ = true;
    out_.notes.push_back("each id has several candidates: the first is scored");
  }

  // The first path that is not empty decides the form of all.
  void check_path(json::element path) {
    json::array list;
    is_checked_ = path.get(list) != simdjson::SUCCESS || list.size() > 0;
    if (const auto kind = foreign_path(path)) refuse(*kind);
    own_form_ = tasks::task_of_trajectory(path);
    if (own_form_ != nullptr) out_.notes.emplace_back(own_form_->first_trajectory_note);
  }

  PredictionFormat list_format() const {
    if (own_form_ != nullptr) return PredictionFormat::trajectories;
    if (out_.id_key == "inst_idx") return PredictionFormat::inst_idx;
    if (out_.id_key == "instruction_id") return PredictionFormat::instruction_id;
    if (nested_) return PredictionFormat::nested;
    return headings_ || out_.entries.empty() ? PredictionFormat::evalai
                                             : PredictionFormat::viewpoints;
  }

  void refuse_without_paths() const {
    if (has_path_ || out_.entries.empty()) return;
    throw InputError({out_.file},
                     fmt::format("no entry gives a path (read as {})", title(out_.format)),
                     formats_hint);
  }

  [[noreturn]] void refuse(const io::FileKind& kind) const {
    throw InputError({out_.file}, kind.what, kind.remedy);
  }

  json::element get(json::object object, const std::string& key, const InputError::Where& where) {
    if (!has_key(object, key)) {
      throw InputError(where, fmt::format("no key '{}'", key),
                       found_keys(object) + "; expected instr_id and trajectory");
    }
    return keys_.get(object, key, where);
  }

  std::string place(std::size_t position) const {
    return is_wrapped_ ? fmt::format("entry {}", position) : document_.place(position);
  }

  Predictions& out_;
  JsonFile& document_;
  StringTable& viewpoints_;
  std::optional<PredictionFormat> forced_;
  KeyReader keys_;
  ObjectIds objects_;
  bool is_wrapped_ = false, is_checked_ = false, has_path_ = false, has_candidates_ = false;
  bool nested_ = false, headings_ = false;
  const tasks::Task* own_form_ = nullptr;  // the task that alone has trajectories of this form
};

// Tells whether the format is a plain list. Lists are told apart by the form of their first paths,
// which an agent may mix.
bool is_plain_list(PredictionFormat format) {
  return format == PredictionFormat::evalai || format == PredictionFormat::viewpoints ||
         format == PredictionFormat::nested;
}

Predictions read(const std::shared_ptr<JsonFile>& document, std::optional<PredictionFormat> forced,
                 StringTable& viewpoints, bool keep_document) {
  if (forced && is_of_positions(*forced)) {
    throw UsageError(
        fmt::format("--format {} is for episodes of positions, and the dataset has "
                    "viewpoints: leave it away",
                    name(*forced)));
  }
  Predictions predictions;
  predictions.file = document->path();
  predictions.hash = document->hash();
  predictions.is_lines = document->is_lines();
  if (keep_document) predictions.document = document;
  PredictionReader(predictions, *document, viewpoints, forced).read();
  return predictions;
}

// Adds the notes that are not there yet.
void add_notes(const std::vector<std::string>& more, std::vector<std::string>& notes) {
  for (const std::string& note : more) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
}

bool may_be_shards(const Predictions& a, const Predictions& b) {
  const bool are_lists = is_plain_list(a.format) && is_plain_list(b.format);
  if (is_of_positions(a.format)) return is_of_positions(b.format) && a.id_key == b.id_key;
  return a.id_key == b.id_key && (a.format == b.format || (are_lists && a.path_key == b.path_key));
}

template <class T>
void append_to(PathStore<T>& paths, const PathStore<T>& more) {
  const std::uint64_t before = paths.elements.size();
  paths.elements.insert(paths.elements.end(), more.elements.begin(), more.elements.end());
  for (std::size_t p = 1; p < more.offsets.size(); ++p) {
    paths.offsets.push_back(before + more.offsets[p]);
  }
}

void append_to(PositionData& data, const PositionData& more) {
  append_to(data.points, more.points);
  append_to(data.distances, more.distances);
  data.paths.insert(data.paths.end(), more.paths.begin(), more.paths.end());
}

}  // namespace

std::string_view name(PredictionFormat format) {
  return row_of(format).name;
}
std::string_view title(PredictionFormat format) {
  return row_of(format).title;
}
bool is_of_positions(PredictionFormat format) {
  return row_of(format).has_positions;
}

std::optional<PredictionFormat> find_prediction_format(std::string_view wanted) {
  for (const FormatRow& row : prediction_formats) {
    if (base::equal_letters(row.name, wanted)) return row.format;
  }
  return std::nullopt;
}

std::vector<std::string_view> prediction_format_names() {
  std::vector<std::string_view> names;
  for (const FormatRow& row : prediction_formats) names.push_back(row.name);
  return names;
}

void Predictions::append(const Predictions& shard) {
  if (entries.empty()) {
    positions = shard.positions ? std::optional(PositionData()) : std::nullopt;
    format = shard.format;
    id_key = shard.id_key;
    path_key = shard.path_key;
  } else if (!shard.entries.empty() && !may_be_shards(*this, shard)) {
    throw InputError({shard.file},
                     fmt::format("{} with {}, but {} is {} with {}", title(shard.format),
                                 shard.id_key, file, title(format), id_key),
                     "merge shards of one format only");
  }
  const auto paths_before =
      static_cast<std::uint32_t>(positions ? positions->paths.size() : paths.size());
  for (const Prediction& p : shard.entries) {
    entries.push_back(p);
    entries.back().trajectory.path += paths_before;
    entries.back().entry = nullptr;
  }
  if (!published.empty() || !shard.published.empty()) {
    published.resize(entries.size() - shard.entries.size(), no_published_metrics);
    published.insert(published.end(), shard.published.begin(), shard.published.end());
    published.resize(entries.size(), no_published_metrics);
  }
  append_to(paths, shard.paths);
  if (positions) append_to(*positions, *shard.positions);
  add_notes(shard.notes, notes);
  add_notes(shard.object_notes, object_notes);
  if (object_key.empty()) object_key = shard.object_key;
  hash += "+" + shard.hash;
}

Predictions read_predictions(const std::string& file, std::optional<PredictionFormat> forced,
                             StringTable& viewpoints, bool keep_document,
                             const io::Reading& reading) {
  return read(std::make_shared<JsonFile>(file, reading), forced, viewpoints, keep_document);
}

Predictions parse_predictions(std::string name, std::string text, StringTable& viewpoints) {
  text.reserve(text.size() + io::input_padding);
  return read(std::make_shared<JsonFile>(std::move(name), std::move(text)), std::nullopt,
              viewpoints, false);
}

}  // namespace warpath::formats
