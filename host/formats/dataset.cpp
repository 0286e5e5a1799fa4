#include "host/formats/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/formats/episodes.hpp"
#include "host/formats/foreign.hpp"
#include "host/formats/format_names.hpp"
#include "host/formats/instruction_text.hpp"
#include "host/formats/reference_table.hpp"
#include "host/formats/sub_instructions.hpp"
#include "host/io/counted.hpp"

namespace warpath {
namespace {

constexpr std::array<FormatName, 9> dataset_formats{{
    {"r2r", "R2R"},
    {"r4r", "R4R"},
    {"reverie", "REVERIE"},
    {"ndh", "NDH"},
    {"rxr", "RxR"},
    {"single", "one instruction an entry"},
    {"soon", "SOON"},
    {"vlnce", "VLN-CE episodes"},
    {"pairs", "pairs"},
}};

[[noreturn]] void refuse(const FileKind& kind, const InputError::Where& where) {
  throw InputError(where, kind.what, kind.remedy);
}

// Tells whether an entry has `instruction`, or `instructions` that is one text or a list of one.
bool has_one_instruction(json::object entry) {
  const auto [value, count] = find_key(entry, "instructions");
  json::array list;
  return count == 0 || value.get(list) != simdjson::SUCCESS || list.size() == 1;
}

DatasetFormat detect(json::object first, const InputError::Where& where) {
  const auto has = [&](const char* key) { return has_key(first, key); };
  if (has("planner_path") || has("player_path") || has("inst_idx")) return DatasetFormat::ndh;
  const bool is_placed = has("path") && has("scan");
  if (is_placed && has("bboxes")) return DatasetFormat::soon;
  if (const auto kind = foreign_dataset(first); kind && !is_placed) refuse(*kind, {where.file});
  if (is_placed && has_one_instruction(first)) {
    if (has("instr_id")) return DatasetFormat::single;
    if (has("instruction_id")) return DatasetFormat::rxr;
  }
  if (has("objId")) return DatasetFormat::reverie;
  if (is_placed && (has("path_id") || has("id"))) {
    return has("first_path_id") || has("shortest_path") ? DatasetFormat::r4r : DatasetFormat::r2r;
  }
  throw InputError(where, "not an item of R2R, R4R, REVERIE, SOON, NDH or RxR",
                   found_keys(first) + "; expected scan, path, path_id and instructions");
}

// Returns the heading at the start. Scores do not need it, so whatever is no number is passed over.
double heading_of(json::object entry) {
  double heading = 0.0;
  const KeyValue value = find_key(entry, "heading");
  if (value.count == 0 || value.value.get(heading) != simdjson::SUCCESS) return 0.0;
  return heading;
}

// Returns k of "path_k", the number of an instruction within its path; otherwise 0.
int instruction_of(std::string_view instr_id) {
  const std::string_view tail = instr_id.substr(instr_id.rfind('_') + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), number);
  const bool is_number = error == std::errc{} && end == tail.data() + tail.size() && number > 0;
  return is_number && tail.size() < instr_id.size() ? number : 0;
}

class DatasetReader {
 public:
  DatasetReader(Dataset& out, const JsonFile& document, DatasetChoice choice,
                StringTable& viewpoints)
      : out_(out), document_(document), choice_(choice), viewpoints_(viewpoints) {}

  void read(json::object object, std::size_t position) {
    const std::string_view key = id_key(object);
    const InputError::Where where{out_.file, document_.place(position), {}};
    const json::element own_id = keys_.get(object, key, where);
    const std::string id = id_text(own_id, {where.file, where.item, std::string(key)});
    if (position == 0) out_.has_integer_ids = !own_id.is_string();
    const auto scan = scans_.number(
        as_string(keys_.get(object, "scan", {out_.file, id}), {out_.file, id, "scan"}));
    if (out_.format == DatasetFormat::soon) return add_soon(object, id, scan);
    if (choice_.sub_instructions) return add_parts(object, id, scan);
    const std::uint32_t reference = out_.format == DatasetFormat::ndh
                                        ? read_ndh_reference(object, id, scan)
                                        : read_path(object, "path", id, scan);
    if (key == "inst_idx" || key == "instr_id" || key == "instruction_id") {
      add_single(object, {id, scan, reference});
    } else {
      add_all(object, id, scan, reference);
    }
  }

  const KeyReader& keys() const { return keys_; }

 private:
  std::string_view id_key(json::object object) const {
    const auto has = [&](const char* key) { return has_key(object, key); };
    switch (out_.format) {
      case DatasetFormat::rxr:
        return "instruction_id";
      case DatasetFormat::single:
        return "instr_id";
      case DatasetFormat::soon:
        if (has("instr_id") || !has("path_id")) return "instr_id";
        break;
      case DatasetFormat::ndh:
        if (has("inst_idx")) return "inst_idx";
        break;
      case DatasetFormat::reverie:
        if (has("id")) return "id";
        break;
      default:
        break;
    }
    return has("path_id") ? "path_id" : "id";
  }

  // Adds an entry whose id is that of its only instruction.
  void add_single(json::object object, Item item) {
    read_language(object, item);
    // RxR's ids have R2R's form, path_instruction, but number instructions throughout.
    if (out_.format == DatasetFormat::single && item.language.empty()) {
      item.instruction = instruction_of(item.id);
    }
    add(std::move(item), object);
  }

  // Returns the id of a REVERIE entry's target: its objId, or what its id has behind the path.
  std::string target_of(json::object object, const std::string& id) {
    const auto [value, count] = find_key(object, "objId");
    if (count > 0 && !value.is_null()) return id_text(value, {out_.file, id, "objId"});
    const std::size_t tail = id.rfind('_');
    return tail == id.npos ? "" : id.substr(tail + 1);
  }

  // Adds the instructions of a path; a single one need not be in a list.
  void add_all(json::object object, const std::string& path_id, std::uint32_t scan,
               std::uint32_t reference) {
    const InputError::Where where{out_.file, path_id, "instructions"};
    const auto [text, texts] = find_key(object, "instructions");
    const bool is_one = texts > 0 ? text.is_string() : has_key(object, "instruction");
    const std::size_t count =
        is_one ? 1
               : as_array(keys_.get(object, "instructions", {out_.file, path_id}), where).size();
    if (count < first_instructions && lists_instructions(out_.format)) {
      out_.short_lists.add(path_id);
    }
    Item item{path_id, scan, reference};
    if (out_.format == DatasetFormat::reverie) item.object = target_of(object, path_id);
    for (std::size_t k = 0; k < count; ++k) {
      item.id = fmt::format("{}_{}", path_id, k);
      item.instruction = static_cast<int>(k);
      add(item, object);
    }
  }

  // Adds an item for each path of a SOON annotation. Of paths with one start, the first is the
  // reference of all.
  void add_soon(json::object object, const std::string& id, std::uint32_t scan) {
    const json::array paths =
        as_array(keys_.get(object, "path", {out_.file, id}), {out_.file, id, "path"});
    if (paths.size() == 0) {
      throw InputError({out_.file, id, "path"}, "has no path", "give one for each start");
    }
    const json::element bboxes = keys_.get(object, "bboxes", {out_.file, id});
    out_.boxes.push_back(read_boxes(bboxes, out_.file, id, viewpoints_));
    for (const TargetBox& box : out_.boxes.back()) out_.goals.elements.push_back(box.viewpoint);
    const std::uint32_t goals = out_.goals.end_path();
    const std::size_t first = out_.items.size();
    for (const json::element path : paths) {
      const std::size_t k = out_.items.size() - first;
      Item item{fmt::format("{}_{}", id, k), scan, read_soon_path(path, id, k, scan, first)};
      item.goals = goals;
      add(std::move(item), object);
    }
  }

  // Adds the sub-instructions of an entry: each is an item, and its sub-path the reference.
  void add_parts(json::object object, const std::string& id, std::uint32_t scan) {
    for (const SubInstruction& part : sub_instructions(object, {out_.file, id})) {
      Item item{id + part.suffix, scan, 0, part.instruction};
      read_viewpoints(part.path, {out_.file, id, part.key}, out_.references);
      keep_last(out_.references, part.first, part.count);
      item.reference = references_.share_last(scan);
      read_language(object, item);
      add(std::move(item), object);
      if (choice_.keep_instructions && !part.text.empty()) out_.instructions.back() = part.text;
    }
  }

  std::uint32_t read_soon_path(json::element value, const std::string& id, std::size_t k,
                               std::uint32_t scan, std::size_t first) {
    const InputError::Where where{out_.file, id, fmt::format("path[{}]", k)};
    as_array(value, where);
    const Trajectory path = read_trajectory(value, viewpoints_, out_.references);
    if (path.malformed || out_.references.size_of(path.path) == 0) {
      throw InputError(where, "should be a list of viewpoint ids", "repair the item");
    }
    const Token start = out_.references[path.path].front();
    for (std::size_t i = first; i < out_.items.size(); ++i) {
      const std::uint32_t known = out_.items[i].reference;
      if (out_.references[known].front() != start) continue;
      out_.references.offsets.pop_back();
      out_.references.elements.resize(out_.references.offsets.back());
      return known;
    }
    return references_.share_last(scan);
  }

  void read_language(json::object object, Item& item) const {
    if (const auto [value, count] = find_key(object, "language"); count > 0 && !value.is_null()) {
      item.language = as_string(value, {out_.file, item.id, "language"});
    }
  }

  void add(Item item, json::object entry) {
    item.heading = heading_of(entry);
    if (out_.format == DatasetFormat::ndh) read_region(entry, item);
    if (ids_.intern(item.id) != out_.items.size()) {
      throw InputError({out_.file, item.id}, "the dataset has this id twice",
                       "remove one of the two items");
    }
    if (choice_.keep_instructions) out_.instructions.push_back(text_of(item, entry));
    out_.items.push_back(std::move(item));
    const bool keeps_all = choice_.ndh_reference == NdhReference::all;
    if (keeps_all && out_.format == DatasetFormat::ndh) {
      out_.ndh_references.push_back(ndh_references_);
    }
  }

  // Returns the instruction of an item. An entry of one item has only one.
  std::string text_of(const Item& item, json::object entry) const {
    const bool has_several = lists_instructions(out_.format) || choice_.sub_instructions;
    return instruction_text(entry, has_several ? static_cast<std::size_t>(item.instruction) : 0);
  }

  std::uint32_t read_path(json::object object, const char* key, const std::string& id,
                          std::uint32_t scan) {
    read_viewpoints(object, key, id, out_.references);
    return references_.share_last(scan);
  }

  std::uint32_t read_ndh_reference(json::object object, const std::string& id, std::uint32_t scan) {
    const char* player = has_key(object, "player_path") ? "player_path" : "path";
    const NdhReference wanted = choice_.ndh_reference;
    if (wanted == NdhReference::path) return read_path(object, player, id, scan);
    const std::uint32_t planner = read_path(object, "planner_path", id, scan);
    if (wanted == NdhReference::planner) return planner;
    const std::uint32_t walked = read_path(object, player, id, scan);
    const auto goal = out_.references[planner];
    const auto steps = out_.references[walked];
    const bool passes_goal = !goal.empty() && !steps.empty() &&
                             std::ranges::find(steps.subspan(1), goal.back()) != steps.end();
    const std::uint32_t trusted = passes_goal ? walked : planner;
    ndh_references_ = {walked, planner, trusted};
    return wanted == NdhReference::all ? walked : trusted;
  }

  // Reads the region that an NDH item ends in, and the planner's goal, where the item has them.
  void read_region(json::object object, Item& item) {
    if (has_key(object, "end_panos")) {
      item.goals = read_viewpoints(object, "end_panos", item.id, out_.goals);
      if (out_.goals[*item.goals].empty()) {
        throw InputError({out_.file, item.id, "end_panos"}, "names no viewpoint",
                         "name those of the region, or take the key away from all items");
      }
    }
    check_has_region(item);
    if (!has_key(object, "planner_path")) return;
    NamedPaths planner;
    read_viewpoints(object, "planner_path", item.id, planner);
    if (!planner.elements.empty()) item.planner_goal = planner.elements.back();
  }

  // Either all items have a region, or none: means would be over different ones.
  void check_has_region(const Item& item) const {
    if (out_.items.empty() || out_.items.front().goals.has_value() == item.goals.has_value())
      return;
    const Item& without = item.goals ? out_.items.front() : item;
    throw InputError({out_.file, without.id}, "no key 'end_panos', which other items have",
                     "name the viewpoints of its region, or take the key away from all items");
  }

  // Reads a list of viewpoints to the end of `paths` and returns its number.
  std::uint32_t read_viewpoints(json::object object, const char* key, const std::string& id,
                                NamedPaths& paths) {
    return read_viewpoints(keys_.get(object, key, {out_.file, id}), {out_.file, id, key}, paths);
  }

  std::uint32_t read_viewpoints(json::element value, const InputError::Where& where,
                                NamedPaths& paths) {
    as_array(value, where);
    const Trajectory path = read_trajectory(value, viewpoints_, paths);
    if (!path.malformed) return path.path;
    throw InputError(where, "should be a list of viewpoint ids", "repair the item");
  }

  Dataset& out_;
  const JsonFile& document_;
  DatasetChoice choice_;
  StringTable& viewpoints_;
  ScanNumbers scans_{out_.scans};
  ReferenceTable references_{out_.references};
  StringTable ids_;  // token k is item k
  KeyReader keys_;
  std::array<std::uint32_t, 3> ndh_references_{};  // of the entry that is read
};

json::array as_items(json::element root, const JsonFile& document) {
  const json::array list = as_array(root, {document.path()});
  if (list.size() == 0) {
    throw InputError({document.path()}, "the dataset has no items", "check the file");
  }
  return list;
}

// Says which items have no OPSR and OPE, unless none has.
void note_without_planner(Dataset& dataset) {
  CountedIds without;
  for (const Item& item : dataset.items) {
    if (!item.planner_goal) without.add(item.id);
  }
  if (without.count == 0 || without.count == dataset.items.size()) return;
  dataset.notes.push_back(fmt::format("no OPSR and OPE: {} without a planner_path, {}",
                                      counted(without.count, "item"), without.examples));
}

void refuse_without_items(const Dataset& dataset, const DatasetChoice& choice) {
  if (!dataset.items.empty()) return;
  if (choice.sub_instructions) {
    throw InputError({dataset.file}, "no entry has a sub-instruction",
                     "leave --sub-instructions away");
  }
  throw InputError({dataset.file}, "the dataset has no items: no entry has an instruction",
                   "check the file");
}

}  // namespace

json::array dataset_entries(const JsonFile& document) {
  json::object object;
  if (document.root().get(object) == simdjson::SUCCESS) {
    // The file that SOON's challenge evaluates with has its graphs beside the annotations.
    if (const KeyValue gt = find_key(object, "gt"); gt.count > 0 && gt.value.is_array()) {
      return as_items(gt.value, document);
    }
    if (const auto kind = foreign_dataset(object)) refuse(*kind, {document.path()});
    json::object first;
    if (object.size() > 0 && (*object.begin()).value.get(first) == simdjson::SUCCESS) {
      if (const auto kind = foreign_dataset(first)) refuse(*kind, {document.path()});
    }
    throw InputError({document.path()}, "is an object, not a list of items",
                     found_keys(object) + "; see the README's formats");
  }
  return as_items(document.root(), document);
}

std::string_view title(DatasetFormat format) {
  return dataset_formats[static_cast<int>(format)].title;
}

std::string_view task_of(DatasetFormat format) {
  switch (format) {
    case DatasetFormat::single:
    case DatasetFormat::pairs:
      return "";
    case DatasetFormat::vlnce:
      return "VLN-CE";
    default:
      return title(format);
  }
}

bool lists_instructions(DatasetFormat format) {
  return format == DatasetFormat::r2r || format == DatasetFormat::r4r ||
         format == DatasetFormat::reverie;
}

std::optional<DatasetFormat> find_dataset_format(std::string_view wanted) {
  const auto format = find_format<DatasetFormat>(dataset_formats, wanted);
  return format == DatasetFormat::pairs ? std::nullopt : format;
}

std::vector<std::string_view> dataset_format_names() {
  return names_of(std::span(dataset_formats).first(dataset_formats.size() - 1));
}

void Dataset::refer_to(NdhReference which) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].reference = ndh_references[i][static_cast<std::size_t>(which)];
  }
}

Dataset read_dataset(const std::string& file, std::optional<DatasetFormat> forced,
                     DatasetChoice choice, StringTable& viewpoints, const Reading& reading) {
  const JsonFile document(file, reading);
  const bool has_episodes = forced ? forced == DatasetFormat::vlnce : is_episodes(document);
  if (has_episodes) return read_episodes(document, choice.keep_instructions);
  Dataset dataset;
  dataset.file = document.path();
  dataset.hash = document.hash();
  dataset.is_lines = document.is_lines();
  DatasetReader reader(dataset, document, choice, viewpoints);
  std::size_t position = 0;
  for (const json::element element : dataset_entries(document)) {
    const InputError::Where where{dataset.file, document.place(position), {}};
    const json::object object = as_object(element, where);
    if (position == 0) dataset.format = forced ? *forced : detect(object, where);
    reader.read(object, position++);
  }
  refuse_without_items(dataset, choice);
  if (dataset.format == DatasetFormat::ndh) note_without_planner(dataset);
  reader.keys().note_repeated(dataset.notes);
  return dataset;
}

}  // namespace warpath
