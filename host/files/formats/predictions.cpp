#include "host/files/formats/predictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "host/files/formats/append_paths.hpp"
#include "host/files/formats/entry_chunks.hpp"
#include "host/files/formats/foreign.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/object_ids.hpp"
#include "host/files/formats/prediction_shapes.hpp"
#include "host/files/formats/regular_predictions.hpp"
#include "host/files/io/input_file.hpp"
#include "host/tasks/tasks.hpp"

namespace warpath::formats {
namespace {

class PredictionReader {
 public:
  PredictionReader(Predictions& out, StringTable& viewpoints,
                   std::optional<PredictionFormat> forced)
      : out_(out), viewpoints_(viewpoints), forced_(forced) {}

  // Reads a file that was parsed as a whole.
  void read(JsonFile& document) {
    document_ = &document;
    json::Array list;
    json::Object dict;
    if (document.root().get(list)) {
      read_list(list);
    } else if (document.root().get(dict)) {
      read_object(dict);
    } else {
      throw InputError({out_.file},
                       fmt::format("is {}, not predictions", type_name(document.root())),
                       "expected a list of {instr_id, trajectory}, or an object by instr_id");
    }
    finish();
  }

  // Tells whether an object is read as the list under a key. Of a first chunk, it notes this.
  bool takes_list_in(std::string_view key, const json::Object& object, bool is_first) {
    if (foreign_predictions(object)) return false;
    for (const auto field : object) {
      const bool is_list = is_list_of_predictions(field.key, field.value);
      if (field.key != key && is_list) return false;
      if (field.key == key && is_first && !is_list) return false;
    }
    if (is_first) note_list_in(key);
    return true;
  }

  // Reads the first entries of a list. Returns false if they do not decide how the others are read.
  bool read_first(const json::Array& entries) {
    if (wants_object() || entries.size() < (is_wrapped_ ? 3 : 2)) return false;
    read_entries(entries);
    return is_checked_ && own_form_ == nullptr && !out_.entries.empty();
  }

  // Reads entries that follow others, which `first` has read.
  void read_next(const PredictionReader& first, const json::Array& entries) {
    follow(first);
    read_entries(entries);
  }

  // Does the same from their text. Returns false if they have to be parsed.
  bool read_next(const PredictionReader& first, std::string_view text) {
    follow(first);
    if (may_publish_metrics()) return false;
    if (!read_regular_predictions(text, !forced_, viewpoints_, out_)) return false;
    has_path_ = true;
    for (const Prediction& prediction : out_.entries) {
      nested_ |= prediction.trajectory.nested;
      headings_ |= prediction.trajectory.has_headings;
    }
    return true;
  }

  // Takes what was read of the entries that follow. Returns false if only one reader for all can
  // say what it is. @param numbers of the other reader's viewpoints here, as far as they are known
  bool append(const PredictionReader& later, std::vector<Token>& numbers, double part_read) {
    if (objects_.has_unreadable() || later.objects_.has_unreadable()) return false;
    Predictions& more = later.out_;
    intern_new(later.viewpoints_, viewpoints_, numbers);
    renumber(numbers, more.paths);
    append_published(out_.published, out_.entries.size(), more.published, more.entries.size());
    const auto paths_before = static_cast<std::uint32_t>(out_.paths.size());
    append_paths(out_.paths, more.paths, part_read);
    make_room(out_.entries, more.entries.size(), part_read);
    for (Prediction& prediction : more.entries) {
      prediction.trajectory.path += paths_before;
      out_.entries.push_back(std::move(prediction));
    }
    if (later.has_candidates_) note_candidates();
    has_path_ |= later.has_path_;
    nested_ |= later.nested_;
    headings_ |= later.headings_;
    keys_.repeated += later.keys_.repeated;
    objects_.append(later.objects_);
    return true;
  }

  bool has_path() const { return has_path_; }

  // Ends a list.
  void finish_list() {
    out_.format = forced_.value_or(list_format());
    finish();
  }

 private:
  void follow(const PredictionReader& first) {
    out_.id_key = first.out_.id_key;
    out_.path_key = first.out_.path_key;
    is_checked_ = follows_others_ = true;
  }

  static constexpr std::string_view formats_hint = "see the predictions of docs/formats.md";

  bool wants_object() const {
    return forced_ == PredictionFormat::speaker_follower || forced_ == PredictionFormat::beams ||
           forced_ == PredictionFormat::instances;
  }

  void read_list(json::Array list) {
    if (wants_object()) {
      throw InputError({out_.file},
                       fmt::format("a list, but --format {} wants an object", name(*forced_)),
                       "leave --format away: the format is told from the content");
    }
    read_entries(list);
    out_.format = forced_.value_or(list_format());
  }

  void read_entries(const json::Array& list) {
    std::size_t position = 0;
    for (const json::Value element : list) {
      const InputError::Where where = place(position);
      const auto entry = object_in(element);
      if (!entry) {
        throw InputError(where,
                         fmt::format("should be an object with instr_id and trajectory, is {}",
                                     type_name(element)),
                         formats_hint);
      }
      const bool is_first = position++ == 0 && !follows_others_;
      if (is_first && list.size() > 1 && skip_summary(*entry)) continue;
      if (is_at_first()) begin(*entry);
      const json::Value id = get(*entry, out_.id_key, where);
      const json::Value path = get(*entry, out_.path_key, where);
      add(id_text(id, where_of(where, out_.id_key)), path, element);
    }
  }

  void read_object(json::Object object) {
    if (const auto kind = foreign_predictions(object)) refuse(*kind);
    if (const auto key = wrapping_key(object, out_.file)) {
      note_list_in(*key);
      read_list(as_array(find_key(object, *key).value, {out_.file}));
      return;
    }
    if (const auto instances = instances_in(object)) return read_instances(*instances);
    if (forced_ && !wants_object()) {
      throw InputError({out_.file},
                       fmt::format("an object, but --format {} wants a list", name(*forced_)),
                       "leave --format away: the format is told from the content");
    }
    read_dict(object);
  }

  void note_list_in(std::string_view key) {
    out_.notes.push_back(fmt::format("the predictions are the list under '{}'", key));
    is_wrapped_ = true;
  }

  void read_instances(json::Object instances) {
    out_.path_key = instance_path_key;
    for (const auto& field : keys_.fields(instances)) {
      std::string id(field.key);
      const InputError::Where where{out_.file, id, {}};
      const json::Value path = get(as_object(field.value, where), out_.path_key, where);
      add(std::move(id), path, field.value);
    }
    out_.format = PredictionFormat::instances;
  }

  void read_dict(json::Object dict) {
    out_.format = PredictionFormat::speaker_follower;
    for (const auto& field : keys_.fields(dict)) read_field(std::string(field.key), field.value);
  }

  void read_field(std::string id, json::Value entry) {
    if (const auto candidate = first_candidate(entry)) {
      note_candidates();
      out_.format = PredictionFormat::beams;
      entry = *candidate;
    }
    json::Value path = entry;
    if (const auto object = object_in(entry)) {
      if (is_at_first()) begin(*object);
      if (const auto key = first_key(*object, prediction_path_keys)) out_.path_key = *key;
      path = get(*object, out_.path_key, {out_.file, id, {}});
    }
    add(std::move(id), path, entry);
  }

  bool is_at_first() const { return out_.entries.empty() && !follows_others_; }

  // Chooses the keys from the first entry.
  void begin(json::Object first) {
    if (const auto key = first_key(first, prediction_id_keys)) out_.id_key = *key;
    if (const auto key = first_key(first, prediction_path_keys)) {
      out_.path_key = *key;
    } else if (const auto kind = foreign_predictions(first)) {
      refuse(*kind);
    }
  }

  bool skip_summary(json::Object first) {
    if (!is_summary(first)) return false;
    out_.notes.push_back("the first entry has no id: taken for a summary and skipped");
    return true;
  }

  void add(std::string id, json::Value path, json::Value entry) {
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
                            .entry = out_.document ? document_->keep(entry) : nullptr,
                            .object = std::move(object)});
    add_published(entry);
  }

  // Tells whether entries may give metrics, as those of follower files and results do.
  bool may_publish_metrics() const {
    return out_.id_key == "instruction_id" || out_.path_key == instance_path_key;
  }

  // Keeps the metrics of an entry.
  void add_published(json::Value entry) {
    if (!may_publish_metrics()) return;
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
  void check_path(json::Value path) {
    json::Array list;
    is_checked_ = !path.get(list) || list.size() > 0;
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

  json::Value get(json::Object object, const std::string& key, const InputError::Where& where) {
    const auto [value, count] = find_key(object, key);
    if (count == 0) {
      throw InputError(where, fmt::format("no key '{}'", key),
                       found_keys(object) + "; expected instr_id and trajectory");
    }
    if (count > 1) ++keys_.repeated;
    return value;
  }

  void finish() {
    refuse_without_paths();
    keys_.note_repeated(out_.notes);
    out_.object_key = objects_.key();
    out_.object_notes = objects_.notes();
  }

  // Names an entry for errors. Of a chunk nobody reads them: they are found again in the whole
  // file.
  InputError::Where place(std::size_t position) const {
    if (document_ == nullptr) return {};
    return {out_.file,
            is_wrapped_ ? fmt::format("entry {}", position) : document_->place(position),
            {}};
  }

  InputError::Where where_of(const InputError::Where& entry, const std::string& key) const {
    if (document_ == nullptr) return {};
    return {out_.file, entry.item, key};
  }

  Predictions& out_;
  JsonFile* document_ = nullptr;  // null: a chunk is read
  StringTable& viewpoints_;
  std::optional<PredictionFormat> forced_;
  KeyReader keys_;
  ObjectIds objects_;
  bool follows_others_ = false;  // the first entry of the file is another reader's
  bool is_wrapped_ = false, is_checked_ = false, has_path_ = false, has_candidates_ = false;
  bool nested_ = false, headings_ = false;
  const tasks::Task* own_form_ = nullptr;  // the task that alone has trajectories of this form
};

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
  PredictionReader(predictions, viewpoints, forced).read(*document);
  return predictions;
}

// Reads the predictions of each chunk on its own, with numbers of its own for viewpoints.
class ChunkedPredictions : public ChunkReader {
 public:
  ChunkedPredictions(EarlyPredictions& out, std::optional<PredictionFormat> forced,
                     std::size_t chunk_bytes)
      : forced_(forced),
        max_viewpoints_(chunk_bytes / 32),
        out_(out.predictions),
        all_(out.predictions, out.viewpoints, forced) {}

  bool takes_list_in(std::string_view key, const json::Object& object) override {
    return all_.takes_list_in(key, object, !has_begun_);
  }

  bool read(std::size_t slot, const json::Value& chunk) override {
    json::Array entries;
    if (!chunk.get(entries)) return false;
    if (!has_begun_) return all_.read_first(entries);
    if (parts_[slot] == nullptr) parts_[slot] = std::make_unique<Part>();
    parts_[slot]->begin(forced_, max_viewpoints_);
    parts_[slot]->reader->read_next(all_, entries);
    return true;
  }

  bool read_text(std::size_t slot, std::string_view text) override {
    if (parts_[slot] == nullptr) parts_[slot] = std::make_unique<Part>();
    parts_[slot]->begin(forced_, max_viewpoints_);
    return parts_[slot]->reader->read_next(all_, text);
  }

  bool take(std::size_t slot) override {
    if (has_begun_) return all_.append(*parts_[slot]->reader, parts_[slot]->numbers, part_read);
    has_begun_ = true;
    return true;
  }

  // Returns false if no entry has a path of viewpoints: whoever knows the dataset says what is
  // wrong.
  bool finish(const ChunkedFile& file) {
    if (!all_.has_path()) return false;
    out_.file = file.name;
    out_.hash = file.hash;
    out_.is_lines = file.is_lines;
    all_.finish_list();
    return true;
  }

 private:
  struct Part {
    EarlyPredictions out;
    std::vector<Token> numbers;  // of its viewpoints among those of the file
    std::optional<PredictionReader> reader;

    // Forgets the chunk before, and keeps its memory and the viewpoints, which come again.
    void begin(std::optional<PredictionFormat> forced, std::size_t max_viewpoints) {
      if (out.viewpoints.size() > max_viewpoints) {
        out.viewpoints.clear();
        numbers.clear();
      }
      Predictions& predictions = out.predictions;
      predictions.entries.clear();
      predictions.published.clear();
      predictions.paths.elements.clear();
      predictions.paths.offsets.resize(1);
      reader.emplace(predictions, out.viewpoints, forced);
    }
  };

  std::optional<PredictionFormat> forced_;
  const std::size_t max_viewpoints_;  // that a slot keeps, in as much memory as a chunk or two
  Predictions& out_;
  PredictionReader all_;
  bool has_begun_ = false;
  std::array<std::unique_ptr<Part>, max_slots> parts_;
};

}  // namespace

Predictions read_predictions(const std::string& file, std::optional<PredictionFormat> forced,
                             StringTable& viewpoints, bool keep_document,
                             const io::Reading& reading) {
  if (!keep_document) {
    if (auto early = read_early_predictions(file, forced, reading)) {
      return std::move(*early).numbered(viewpoints);
    }
  }
  return read(std::make_shared<JsonFile>(file, reading), forced, viewpoints, keep_document);
}

Predictions EarlyPredictions::numbered(StringTable& all_viewpoints) && {
  renumber(intern_all(viewpoints, all_viewpoints), predictions.paths);
  return std::move(predictions);
}

std::optional<EarlyPredictions> read_early_predictions(const std::string& file,
                                                       std::optional<PredictionFormat> forced,
                                                       const io::Reading& reading) {
  if (forced && is_of_positions(*forced)) return std::nullopt;
  EarlyPredictions early;
  ChunkedPredictions chunks(early, forced, reading.chunk_bytes);
  const auto read = read_in_chunks(file, reading, chunks);
  if (!read || !chunks.finish(*read)) return std::nullopt;
  return early;
}

Predictions parse_predictions(std::string name, std::string text, StringTable& viewpoints) {
  text.reserve(text.size() + io::input_padding);
  return read(std::make_shared<JsonFile>(std::move(name), std::move(text)), std::nullopt,
              viewpoints, false);
}

}  // namespace warpath::formats
