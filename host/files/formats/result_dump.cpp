#include "host/files/formats/result_dump.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "host/core/base/progress.hpp"
#include "host/files/formats/dump_entry.hpp"
#include "host/files/formats/dump_gaps.hpp"
#include "host/files/formats/dump_measures.hpp"
#include "host/files/formats/dump_notes.hpp"
#include "host/files/formats/dump_paths.hpp"
#include "host/files/formats/dump_value.hpp"
#include "host/files/formats/entry_chunks.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/replay_log.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"

namespace warpath::formats {
namespace {

constexpr std::size_t no_position = ~std::size_t{0};
constexpr std::size_t max_measures = 256;
constexpr std::string_view form_by_id = "by id", form_list = "a list", form_lines = "JSON Lines";

// Keys that say which episode an entry is of; the first that it has is its id.
constexpr std::string_view dump_id_keys[]{"episode_id", "id", trajectory_and_episode_key,
                                          "instr_id"};
// Keys of whole numbers that are no measures.
constexpr std::string_view other_id_keys[]{"scene_id", "trajectory_id", "instruction_id", "path_id",
                                           "rank"};
constexpr std::string_view scene_key = "scene_id";
constexpr std::string_view reason_key = "fail_reason";

std::string entries(std::size_t count) {
  return count == 1 ? "1 entry" : fmt::format("{} entries", count);
}

std::string text_of(json::Value value) {
  const bool is_id = value.is_string() || value.is_integer();
  return is_id ? id_text(value, {}) : "";
}

// Collects the episodes of all files. Those of chunks are collected in their order; only the parser
// works on several.
class DumpCollector : public ChunkReader {
 public:
  DumpCollector(DumpDuplicates duplicates, DumpContent content) : duplicates_(duplicates) {
    if (content == DumpContent::with_paths) paths_.emplace();
    for (const KnownMeasure& m : known_measures())
      columns_.push_back({{std::string(m.name), true, m.unit, m.better}, no_position, {}});
  }

  void add_file(const std::string& path, const io::Reading& reading) {
    const Mark before{dump_.files.size(), dump_.episodes.size(), columns_.size(), summaries_,
                      keys_.repeated};
    if (is_log(path)) return add_whole(read_log(path, reading));
    if (!paths_ && add_in_chunks(path, reading)) return;
    go_back(before);
    add_whole(JsonFile(path, reading));
  }

  void add_whole(const JsonFile& file) {
    dump_.files.push_back(
        {file.path(), file.hash(), std::string(file.is_lines() ? form_lines : ""), 0});
    json::Array list;
    if (file.root().get(list))
      add_list(file, list);
    else
      add_object(file, as_object(file.root(), {file.path()}));
  }

  bool read(std::size_t slot, const json::Value& entries) override {
    chunks_[slot] = entries;
    return true;
  }

  bool take(std::size_t slot) override {
    json::Array list;
    json::Object fields;
    if (chunks_[slot].get(list)) {
      for (const json::Value element : list) add_element(as_object(element, {}), {}, elements_++);
      return true;
    }
    if (!chunks_[slot].get(fields)) return false;
    if (has_measure(fields) || nested_info(fields) || replay_episodes(fields))
      return false;  // read whole
    add_fields(fields);
    return true;
  }

  // The numbers of lines are those of entries then.
  bool takes_blank_lines() const override { return false; }

  ResultDump finish();

 private:
  struct Column {
    DumpMeasure measure;
    std::size_t last_episode = no_position;  // that has a value, and under which key
    std::string last_key{};
  };

  // Numbers of what was collected.
  struct Mark {
    std::size_t files, episodes, columns, summaries, repeated;
  };

  // Returns false if the file has to be read whole.
  bool add_in_chunks(const std::string& path, const io::Reading& reading) {
    const std::size_t first = dump_.episodes.size();
    dump_.files.push_back({.name = path, .hash = {}, .form = std::string(form_list)});
    elements_ = 0;
    const auto read = read_in_chunks(path, reading, *this);
    if (!read) return false;
    DumpFile& current = dump_.files.back();
    current.hash = read->hash;
    if (!read->is_lines) return true;
    current.form = form_lines;
    for (std::size_t e = first; e < dump_.episodes.size(); ++e) ++dump_.episodes[e].number;
    return true;
  }

  // Forgets what was collected since.
  void go_back(const Mark& mark) {
    dump_.files.resize(mark.files);
    dump_.episodes.resize(mark.episodes);
    columns_.resize(mark.columns);
    for (Column& c : columns_) {
      auto& values = c.measure.values;
      values.resize(std::min(values.size(), mark.episodes));
      if (c.last_episode >= mark.episodes) c.last_episode = no_position;
    }
    std::erase_if(by_key_, [&](const auto& key) { return key.second >= mark.columns; });
    summaries_ = mark.summaries;
    keys_.repeated = mark.repeated;
  }

  void add_list(const JsonFile& file, json::Array list) {
    if (dump_.files.back().form.empty()) dump_.files.back().form = form_list;
    std::size_t position = 0;
    for (const json::Value element : list) {
      const InputError::Where where{file.path(), file.place(position), {}};
      add_element(as_object(element, where), where, file.number(position));
      ++position;
    }
  }

  void add_element(json::Object entry, const InputError::Where& where, std::size_t number) {
    if (has_key(entry, "sucs_all"))  // StreamVLN and InternNav append their means
      ++summaries_;
    else
      add_entry(entry, own_id(entry, where), number);
  }

  void add_object(const JsonFile& file, json::Object root) {
    DumpFile& current = dump_.files.back();
    if (has_measure(root) || nested_info(root) || (paths_ && has_path(root))) {
      current.form = "one object";
      add_entry(root, own_id(root, {file.path()}), 0);
      std::string& id = dump_.episodes.back().id;
      if (id.empty()) id = id_in_name(file.path());
      return;
    }
    const auto replay = replay_episodes(root);
    replay ? add_replay(file, root, *replay) : add_fields(root);
  }

  void add_replay(const JsonFile& file, json::Object root, json::Array episodes) {
    dump_.files.back().form = form_list;
    const auto benchmark = find_key(root, "benchmark");
    is_ovon_ |= benchmark.count > 0 && text_of(benchmark.value) == "ovon";
    std::size_t position = 0;
    for (const json::Value element : episodes) {
      const InputError::Where where{file.path(), file.place(position), {}};
      const json::Object entry = as_object(element, where);
      const std::size_t episode = begin_episode(entry, own_id(entry, where), position++);
      if (paths_) paths_->add(entry, std::nullopt);
      const auto metrics = find_key(entry, "metrics");
      const auto values = metrics.count > 0 ? object_in(metrics.value) : std::nullopt;
      if (!values) continue;  // a hole: its measures are absent
      for (const auto field : *values) add_value(episode, field.key, field.value);
    }
  }

  void add_fields(json::Object fields) {
    DumpFile& current = dump_.files.back();
    current.form = form_by_id;
    for (const auto field : fields) {
      const std::string id(field.key);
      const auto entry = object_in(field.value);
      if (!entry) {
        throw InputError(
            {current.name, {}, id},
            fmt::format("should be an episode's values, is {}", type_name(field.value)),
            "name result dumps: {id: {\"success\": …, \"spl\": …}}, a list or lines of "
            "such objects with an episode_id, or one object in a file");
      }
      add_entry(*entry, id, 0);
    }
  }

  std::string own_id(json::Object entry, const InputError::Where& where) {
    for (const std::string_view key : dump_id_keys) {
      const auto [value, count] = find_key(entry, key);
      if (count == 0) continue;
      if (key == trajectory_and_episode_key) has_path_keys_ = true;
      return id_text(value, {where.file, where.item, std::string(key)});
    }
    return "";
  }

  // An entry of one object may be measures, or VLN-PE's with measures inside.
  void add_entry(json::Object entry, std::string id, std::size_t number) {
    const auto info = nested_info(entry);
    note_form(info.has_value());
    const std::size_t episode = begin_episode(entry, std::move(id), number);
    if (paths_) paths_->add(entry, info);
    for (const auto field : info ? *info : entry) add_value(episode, field.key, field.value);
    if (info) add_reason(episode, entry);
    refuse_means(episode);
  }

  std::size_t begin_episode(json::Object entry, std::string id, std::size_t number) {
    ++dump_.files.back().episodes;
    DumpEpisode added{.id = std::move(id),
                      .scene = {},
                      .number = number,
                      .file = static_cast<std::uint32_t>(dump_.files.size() - 1)};
    if (const auto scene = find_key(entry, scene_key); scene.count > 0) {
      added.scene = text_of(scene.value);
    }
    dump_.episodes.push_back(std::move(added));
    return dump_.episodes.size() - 1;
  }

  void note_form(bool is_vlnpe) {
    if (dump_.episodes.empty()) dump_.is_vlnpe = is_vlnpe;
    if (dump_.is_vlnpe == is_vlnpe) return;
    throw InputError({dump_.files.back().name},
                     "some entries nest their values in 'info', as VLN-PE writes them, some do not",
                     "aggregate one run at a time");
  }

  void add_value(std::size_t episode, std::string_view key, json::Value value) {
    const std::size_t position = column_of(key);
    if (position == no_position) return;
    Column& column = columns_[position];
    const DumpValue read = dump_value(value);
    auto& values = column.measure.values;
    const bool is_repeated = column.last_episode == episode;
    values.resize(episode + 1);
    if (is_repeated && column.last_key == key) ++keys_.repeated;
    if (is_repeated && column.last_key != key && !values[episode].same_as(read)) {
      throw InputError(dump_.where(episode, key),
                       fmt::format("differs from '{}', another name of {}", column.last_key,
                                   column.measure.name),
                       "keep one of the two");
    }
    values[episode] = read;
    column.last_episode = episode;
    column.last_key = key;
  }

  // Returns the place of a key's column, a new one if it is new.
  std::size_t column_of(std::string_view key) {
    const auto [found, is_new] = by_key_.try_emplace(std::string(key), no_position);
    if (!is_new) return found->second;
    if (std::ranges::find(dump_id_keys, key) != std::end(dump_id_keys) ||
        std::ranges::find(other_id_keys, key) != std::end(other_id_keys)) {
      return no_position;
    }
    if (columns_.size() == max_measures) {
      throw InputError({dump_.files.back().name},
                       fmt::format("has more than {} measures", max_measures),
                       "name files with the results of each episode");
    }
    if (const KnownMeasure* known = find_known(key)) {
      found->second = static_cast<std::size_t>(known - known_measures().data());
    } else {
      found->second = columns_.size();
      columns_.push_back({{.name = std::string(key)}, no_position, {}});
    }
    return found->second;
  }

  void add_reason(std::size_t episode, json::Object entry) {
    const auto [value, count] = find_key(entry, reason_key);
    if (count == 0) return;
    const std::string reason = text_of(value);
    for (const auto& [measure, ends] : {std::pair("FR", "fall"), std::pair("StR", "stuck")}) {
      const auto column = std::ranges::find(
          columns_, measure, [](const Column& c) -> const auto& { return c.measure.name; });
      column->measure.values.resize(episode + 1);
      column->measure.values[episode] = {reason == ends ? 1.0 : 0.0, DumpValue::Kind::number};
    }
  }

  // The means of a whole run, such as stats_ckpt_0_val_seen.json, look like one episode's values.
  void refuse_means(std::size_t episode) {
    const DumpEpisode& entry = dump_.episodes[episode];
    const auto& success = columns_.front().measure.values;
    if (!entry.id.empty() || success.size() != episode + 1) return;
    const double value = success[episode].number;
    if (!(value > 0.0 && value < 1.0)) return;
    throw InputError(
        dump_.where(episode, "success"),
        fmt::format("is {}: these are means of a run, not one episode's values", value),
        "name the dumps per episode, such as stats_ep_ckpt_0_val_seen_r0_w1.json");
  }

  void join_duplicates();
  void drop_texts();
  bool have_equal_values(std::size_t a, std::size_t b) const;
  void keep_episodes(const std::vector<std::size_t>& kept);
  void add_notes();

  DumpDuplicates duplicates_;
  std::optional<DumpPaths> paths_;  // nothing: not asked for
  ResultDump dump_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, std::size_t> by_key_;
  KeyReader keys_;              // counts repeated keys
  bool has_path_keys_ = false;  // VLN-PE's ids
  std::size_t summaries_ = 0;
  std::array<json::Value, max_slots> chunks_;
  std::size_t elements_ = 0;  // of a list that is read in chunks, so far
  bool is_ovon_ = false;
};

bool DumpCollector::have_equal_values(std::size_t a, std::size_t b) const {
  return std::ranges::all_of(
      columns_, [&](const Column& c) { return c.measure.values[a].same_as(c.measure.values[b]); });
}

void DumpCollector::keep_episodes(const std::vector<std::size_t>& kept) {
  if (kept.size() == dump_.episodes.size()) return;
  std::vector<DumpEpisode> episodes;
  for (const std::size_t e : kept) episodes.push_back(std::move(dump_.episodes[e]));
  dump_.episodes = std::move(episodes);
  for (Column& c : columns_) {
    std::vector<DumpValue> values;
    for (const std::size_t e : kept) values.push_back(c.measure.values[e]);
    c.measure.values = std::move(values);
  }
  if (paths_) paths_->keep(kept);
}

void DumpCollector::join_duplicates() {
  std::unordered_map<std::string, std::size_t> position;  // in `kept`, by scene and id
  std::vector<std::size_t> kept;
  std::size_t equal = 0, differing = 0;
  std::string first_equal, first_differing;
  io::CountedIds colliding;  // between files
  for (std::size_t e = 0; e < dump_.episodes.size(); ++e) {
    const DumpEpisode& episode = dump_.episodes[e];
    if (episode.id.empty()) {
      kept.push_back(e);
      continue;
    }
    const auto [found, is_new] =
        position.try_emplace(fmt::format("{}\n{}", episode.scene, episode.id), kept.size());
    if (is_new) {
      kept.push_back(e);
      continue;
    }
    const std::size_t other = kept[found->second];
    const bool are_values_equal = have_equal_values(other, e);
    const bool is_equal = are_values_equal && (!paths_ || paths_->are_equal(other, e));
    if (!is_equal && duplicates_ == DumpDuplicates::error) {
      throw InputError(
          dump_.where(e),
          fmt::format("episode {}{} is also in {} with {}", episode.id,
                      episode.scene.empty() ? "" : " of " + episode.scene,
                      dump_.files[dump_.episodes[other].file].name,
                      are_values_equal ? "another path" : "other values"),
          "name the files of one run, or say --duplicates first, last or each (all count)");
    }
    std::string& first = is_equal ? first_equal : first_differing;
    if ((is_equal ? equal : differing)++ == 0) first = episode.id;
    if (!is_equal && dump_.episodes[other].file != episode.file) colliding.add(episode.id);
    if (duplicates_ == DumpDuplicates::each) kept.push_back(e);
    if (duplicates_ == DumpDuplicates::last) kept[found->second] = e;
  }
  constexpr std::string_view outcomes[]{"", "the first counts", "the last counts", "each counts"};
  const auto note = [&](std::size_t count, std::string_view values, std::string_view outcome,
                        const std::string& first) {
    if (count == 0) return;
    dump_.notes.push_back(fmt::format(
        "{} of an episode that is there already, with {} values: {}; {}{}", entries(count), values,
        outcome, count == 1 ? "" : "first ", "episode " + first));
  };
  const bool is_each = duplicates_ == DumpDuplicates::each;
  note(equal, "equal", is_each ? "each counts" : "one counts", first_equal);
  note(differing, paths_ ? "another path or other" : "other",
       outcomes[static_cast<std::size_t>(duplicates_)], first_differing);
  if (colliding.count > 0)
    dump_.notes.push_back(collision_note(colliding.count, colliding.examples));
  keep_episodes(kept);
}

// Drops columns that have no number anywhere, and names those with a text.
void DumpCollector::drop_texts() {
  std::vector<std::string> texts;
  for (Column& c : columns_) {
    auto& values = c.measure.values;
    const auto has = [&](DumpValue::Kind kind) {
      return std::ranges::find(values, kind, &DumpValue::kind) != values.end();
    };
    using enum DumpValue::Kind;
    const bool is_there = has(number) || has(null) || has(other);
    if (has(number) || (c.measure.is_known && is_there)) {
      dump_.measures.push_back(std::move(c.measure));
    } else if (is_there && !(paths_ && is_path_key(c.measure.name))) {
      texts.push_back(c.measure.name);
    }
  }
  if (texts.empty()) return;
  dump_.notes.push_back(fmt::format("no numbers, so not averaged: {}", fmt::join(texts, ", ")));
}

void DumpCollector::add_notes() {
  if (summaries_ > 0) {
    dump_.notes.push_back(io::counted(summaries_, "line") + " of means skipped");
  }
  keys_.note_repeated(dump_.notes);
  std::vector<std::string> ids, names;
  std::size_t without_id = 0;
  for (const DumpEpisode& e : dump_.episodes) {
    ids.push_back(e.id);
    if (e.id.empty()) ++without_id;
  }
  if (without_id > 0) {
    dump_.notes.push_back(entries(without_id) +
                          " without an id: duplicates and gaps cannot be told");
  }
  if (const std::string gap = missing_ids(ids); !gap.empty()) dump_.notes.push_back(gap);
  for (const DumpFile& f : dump_.files) names.push_back(f.name);
  for (std::string& note : run_notes(dump_, is_ovon_)) dump_.notes.push_back(std::move(note));
  dump_.missing_files = missing_chunks(names);
}

ResultDump DumpCollector::finish() {
  if (dump_.episodes.empty()) {
    throw InputError({dump_.files.front().name}, "has no episode",
                     "name the files with the results of each episode");
  }
  for (Column& c : columns_) c.measure.values.resize(dump_.episodes.size());
  join_duplicates();
  drop_texts();
  if (dump_.measures.empty() && !paths_) {
    throw InputError({dump_.files.front().name}, "has no measure of any episode",
                     "name result dumps, with success, spl, distance_to_goal, …");
  }
  add_notes();
  if (paths_) dump_.positions = paths_->finish(dump_, has_path_keys_ || dump_.is_vlnpe);
  return std::move(dump_);
}

}  // namespace

bool DumpValue::same_as(const DumpValue& other) const {
  return kind == other.kind &&
         std::bit_cast<std::uint64_t>(number) == std::bit_cast<std::uint64_t>(other.number);
}

const DumpMeasure* ResultDump::find(std::string_view name) const {
  const auto found = std::ranges::find(measures, name, &DumpMeasure::name);
  return found == measures.end() ? nullptr : &*found;
}

InputError::Where ResultDump::where(std::size_t episode, std::string_view measure) const {
  const DumpEpisode& e = episodes[episode];
  const DumpFile& file = files[e.file];
  std::string place;
  if (file.form == form_by_id) place = "episode " + e.id;
  if (file.form == form_list) place = fmt::format("entry {}", e.number);
  if (file.form == form_lines) place = fmt::format("line {}", e.number);
  return {file.name, place, std::string(measure)};
}

ResultDump read_result_dumps(std::span<const std::string> files, DumpDuplicates duplicates,
                             const io::Reading& reading, DumpContent content) {
  DumpCollector collector(duplicates, content);
  base::Progress progress("reading", files.size(), "files");
  for (const std::string& file : files) {
    collector.add_file(file, reading);
    progress.add();
  }
  return collector.finish();
}

}  // namespace warpath::formats
