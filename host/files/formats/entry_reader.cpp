#include "host/files/formats/entry_reader.hpp"

#include <fmt/format.h>

#include <numbers>

#include "host/files/formats/foreign.hpp"
#include "host/files/formats/instruction_text.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/sub_instructions.hpp"
#include "host/tasks/task.hpp"

namespace warpath::formats {
namespace {

// Returns the heading at the start, `heading` in radians or `start_heading` in degrees. Scores do
// not need it, so whatever is no number is passed over.
double heading_of(json::Object entry) {
  double heading = 0.0;
  const KeyValue radians = find_key(entry, "heading"), degrees = find_key(entry, "start_heading");
  const KeyValue& value = radians.count > 0 ? radians : degrees;
  if (value.count == 0 || !value.value.get(heading)) return 0.0;
  return radians.count > 0 ? heading : heading * std::numbers::pi / 180.0;
}

}  // namespace

bool DatasetEntry::has(std::string_view key) const {
  return has_key(*object_, key);
}

bool DatasetEntry::has_one_instruction() const {
  const auto [value, count] = find_key(*object_, "instructions");
  json::Array list;
  return count == 0 || !value.get(list) || list.size() == 1;
}

bool DatasetEntry::is_foreign() const {
  return foreign_dataset(*object_).has_value();
}

EntryReader::EntryReader(Dataset& out, const DatasetChoice& choice, StringTable& viewpoints)
    : out_(out), choice_(choice), viewpoints_(viewpoints), keys_(std::make_unique<KeyReader>()) {}

EntryReader::~EntryReader() = default;

void EntryReader::read(const json::Object& object, const InputError::Where& place) {
  DatasetEntry entry(object);
  entry.id_key = out_.task->id_key(entry);
  entry.heading = heading_of(object);
  const json::Value own_id = keys_->get(object, entry.id_key, place);
  entry.id = id_text(own_id, {place.file, place.item, std::string(entry.id_key)});
  if (out_.items.empty()) out_.has_integer_ids = !own_id.is_string();
  const bool names_scan = out_.task->scan.empty() || entry.has("scan");
  entry.scan = scans_.number(names_scan ? as_string(get(entry, "scan"), where(entry, "scan"))
                                        : out_.task->scan);
  if (choice_.sub_instructions && out_.task->has_parts) {
    add_parts(entry);
  } else {
    out_.task->read_entry(*this, entry);
  }
}

bool EntryReader::takes_regular() const {
  const tasks::Task& task = *out_.task;
  return !checks_ids_ && !choice_.keep_instructions && !choice_.sub_instructions &&
         choice_.reference != ReferenceChoice::all && task.scan.empty() &&
         task.id_key == path_id_key && task.read_entry == read_all_instructions &&
         task.complete_item == nullptr;
}

void EntryReader::add(const RegularEntries& entries, std::span<const Token> numbers) {
  for (std::size_t e = 0; e < entries.entries.size(); ++e) {
    const RegularEntries::Entry& entry = entries.entries[e];
    for (const Token token : entries.paths[e]) out_.references.elements.push_back(numbers[token]);
    out_.references.end_path();
    const std::uint32_t scan = scans_.number(entry.scan);
    const std::uint32_t reference = share_last(scan);
    if (entry.instructions < first_instructions && out_.task->lists_instructions) {
      out_.short_lists.add(std::string(entry.id));
    }
    for (std::uint32_t k = 0; k < entry.instructions; ++k) {
      Item& item = out_.items.emplace_back();
      item.id.append(entry.id).append(1, '_').append(fmt::format_int(k).c_str());
      item.scan = scan;
      item.reference = reference;
      item.instruction = static_cast<int>(k);
      item.heading = entry.heading;
    }
  }
}

void EntryReader::note_repeated() {
  keys_->note_repeated(out_.notes);
}

InputError::Where EntryReader::where(const DatasetEntry& entry, std::string_view key) const {
  return {out_.file, entry.id, std::string(key)};
}

json::Value EntryReader::get(const DatasetEntry& entry, const char* key) {
  return keys_->get(entry.object(), key, where(entry, {}));
}

std::optional<std::string> EntryReader::id_at(const DatasetEntry& entry, const char* key) const {
  const auto [value, count] = find_key(entry.object(), key);
  if (count == 0 || value.is_null()) return std::nullopt;
  return id_text(value, where(entry, key));
}

std::uint32_t EntryReader::read_reference(const DatasetEntry& entry, const char* key) {
  read_viewpoints(entry, key, entry.id, out_.references);
  return share_last(entry.scan);
}

std::uint32_t EntryReader::read_viewpoints(const DatasetEntry& entry, const char* key,
                                           const std::string& id, NamedPaths& paths) {
  const json::Value value = keys_->get(entry.object(), key, {out_.file, id});
  return read_viewpoints(value, {out_.file, id, key}, paths);
}

std::uint32_t EntryReader::read_viewpoints(const json::Value& value, const InputError::Where& where,
                                           NamedPaths& paths) {
  as_array(value, where);
  const Trajectory path = read_trajectory(value, viewpoints_, paths);
  if (!path.malformed) return path.path;
  throw InputError(where, "should be a list of viewpoint ids", "repair the item");
}

void EntryReader::read_language(const DatasetEntry& entry, Item& item) const {
  const auto [value, count] = find_key(entry.object(), "language");
  if (count == 0 || value.is_null()) return;
  item.language = as_string(value, {out_.file, item.id, "language"});
}

// A single instruction need not be in a list.
std::size_t EntryReader::count_instructions(const DatasetEntry& entry) {
  const auto [text, texts] = find_key(entry.object(), "instructions");
  const bool is_one = texts > 0 ? text.is_string() : entry.has("instruction");
  const std::size_t count =
      is_one ? 1 : as_array(get(entry, "instructions"), where(entry, "instructions")).size();
  if (count < first_instructions && out_.task->lists_instructions) {
    out_.short_lists.add(entry.id);
  }
  return count;
}

void EntryReader::add_each(const DatasetEntry& entry, Item item, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    item.id = entry.id + '_' + std::to_string(k);
    item.instruction = static_cast<int>(k);
    add(entry, item);
  }
}

// Adds the sub-instructions of an entry: each is an item, and its sub-path the reference.
void EntryReader::add_parts(const DatasetEntry& entry) {
  for (const SubInstruction& part : sub_instructions(entry.object(), where(entry, {}))) {
    Item item{entry.id + part.suffix, entry.scan, 0, part.instruction};
    read_viewpoints(part.path, where(entry, part.key), out_.references);
    keep_last(out_.references, part.first, part.count);
    item.reference = share_last(entry.scan);
    read_language(entry, item);
    add(entry, std::move(item));
    if (choice_.keep_instructions && !part.text.empty()) out_.instructions.back() = part.text;
  }
}

void EntryReader::add(const DatasetEntry& entry, Item item) {
  item.heading = entry.heading;
  if (out_.task->complete_item != nullptr) out_.task->complete_item(*this, entry, item);
  const auto id_of = [&](std::uint32_t number) -> const std::string& {
    return number < out_.items.size() ? out_.items[number].id : item.id;
  };
  if (checks_ids_ && !ids_.add(static_cast<std::uint32_t>(out_.items.size()), id_of)) {
    throw InputError({out_.file, item.id}, "the dataset has this id twice",
                     "remove one of the two items");
  }
  if (choice_.keep_instructions) out_.instructions.push_back(text_of(entry, item));
  out_.items.push_back(std::move(item));
  const bool keeps_all = choice_.reference == ReferenceChoice::all;
  if (keeps_all && out_.task->has_references) out_.all_references.push_back(kept_);
}

// Returns the instruction of an item. An entry of one item has only one.
std::string EntryReader::text_of(const DatasetEntry& entry, const Item& item) const {
  const bool has_several = out_.task->lists_instructions || choice_.sub_instructions;
  const auto number = has_several ? static_cast<std::size_t>(item.instruction) : 0;
  return instruction_text(entry.object(), number);
}

std::string_view path_id_key(const DatasetEntry& entry) {
  return entry.has("path_id") ? "path_id" : "id";
}

void read_all_instructions(EntryReader& reader, const DatasetEntry& entry) {
  const std::uint32_t reference = reader.read_reference(entry, "path");
  const std::size_t count = reader.count_instructions(entry);
  reader.add_each(entry, {entry.id, entry.scan, reference}, count);
}

void read_one_instruction(EntryReader& reader, const DatasetEntry& entry) {
  Item item{entry.id, entry.scan, reader.read_reference(entry, "path")};
  reader.read_language(entry, item);
  reader.add(entry, std::move(item));
}

}  // namespace warpath::formats
