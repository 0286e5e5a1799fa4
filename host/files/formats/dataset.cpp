#include "host/files/formats/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "host/files/formats/append_paths.hpp"
#include "host/files/formats/dataset_folder.hpp"
#include "host/files/formats/entry_chunks.hpp"
#include "host/files/formats/entry_reader.hpp"
#include "host/files/formats/foreign.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/tasks/tasks.hpp"

namespace warpath::formats {
namespace {

[[noreturn]] void refuse(const io::FileKind& kind, const InputError::Where& where) {
  throw InputError(where, kind.what, kind.remedy);
}

// Returns the entries that a task reads in its own way; nothing if the file has none.
std::optional<json::Array> own_entries(const tasks::Task& task, const JsonFile& document) {
  json::Object object;
  json::Array list;
  if (task.list_key.empty() && task.recognises_own == nullptr) return std::nullopt;
  if (document.root().get(object)) {
    const KeyValue entries = find_key(object, task.list_key);
    if (task.list_key.empty() || entries.count == 0) return std::nullopt;
    return as_array(entries.value, {document.path(), {}, std::string(task.list_key)});
  }
  if (!document.root().get(list)) return std::nullopt;
  const bool is_own = list.at(0).get(object) && task.recognises_own(object);
  return is_own ? std::optional(list) : std::nullopt;
}

// Returns the task that reads a file, or its entries, in its own way; null if none does. Of several
// with one key it is the one that knows the first entry, or the last of them.
const tasks::Task* recognise_own(const JsonFile& document) {
  const auto root = object_in(document.root());
  const tasks::Task* found = nullptr;
  for (const tasks::Task* task : tasks::list()) {
    if (root && task->recognises_file != nullptr && task->recognises_file(*root)) return task;
    if (task->make_reader == nullptr) continue;
    const auto entries = own_entries(*task, document);
    if (!entries) continue;
    json::Object first;
    if (entries->at(0).get(first) && task->recognises_own(first)) return task;
    found = task;
  }
  return found;
}

// Reads entries of a task that does so in its own way.
void read_own(const JsonFile& document, bool keep_instructions, Dataset& dataset) {
  const std::string_view key = dataset.task->list_key;
  const auto entries = own_entries(*dataset.task, document);
  if (!entries) {
    const std::string_view title = dataset.task->title;
    if (!dataset.task->item_file.empty()) {
      throw InputError({dataset.file}, fmt::format("is a file, and {} are a folder", title),
                       fmt::format("name the folder of the files {}", dataset.task->item_file));
    }
    if (key.empty()) {
      throw InputError({dataset.file}, fmt::format("is no list of {}", title), "check the file");
    }
    throw InputError({dataset.file}, fmt::format("has no {}", key),
                     fmt::format("name a file {{\"{}\": [...]}}", key));
  }
  const auto reader = dataset.task->make_reader(dataset, keep_instructions);
  std::size_t position = 0;
  for (const json::Value entry : *entries) {
    reader->read(entry, {dataset.file, fmt::format("{}[{}]", key, position++), {}});
  }
  if (position == 0) {
    throw InputError({dataset.file},
                     fmt::format("the dataset has no {}", key.empty() ? "items" : key),
                     "check the file");
  }
  reader->finish();
}

const tasks::Task* recognise(const DatasetEntry& first, const InputError::Where& where) {
  if (const tasks::Task* task = tasks::recognise_task(first)) return task;
  if (const auto kind = foreign_dataset(first.object()); kind && !first.has_path_and_scan()) {
    refuse(*kind, {where.file});
  }
  throw InputError(where, "not an item of R2R, R4R, REVERIE, SOON, NDH, RxR or Touchdown",
                   found_keys(first.object()) + "; expected scan, path, path_id and instructions");
}

// Returns the object whose values are the entries of a task; nothing if the file has none.
std::optional<json::Object> entries_by_id(const JsonFile& document) {
  json::Object root;
  if (!document.root().get(root)) return std::nullopt;
  for (const auto field : root) {
    json::Object values;
    if (tasks::task_of_values(field.key) != nullptr && field.value.get(values)) return values;
  }
  return std::nullopt;
}

json::Array as_items(json::Value root, const JsonFile& document) {
  const json::Array list = as_array(root, {document.path()});
  if (list.size() == 0) {
    throw InputError({document.path()}, "the dataset has no items", "check the file");
  }
  return list;
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

void finish(Dataset& dataset, EntryReader& reader, const DatasetChoice& choice) {
  refuse_without_items(dataset, choice);
  if (dataset.task->finish != nullptr) dataset.task->finish(dataset);
  reader.note_repeated();
}

// Has the entries of one chunk after the other. Viewpoints stay, since they come again.
struct RegularPart {
  RegularEntries entries;
  std::vector<Token> numbers;  // of its viewpoints among those of the file
  bool is_read = false;        // the entries are those of the last chunk

  bool read(std::string_view text, std::size_t max_viewpoints) {
    entries.clear();
    if (!is_read || entries.viewpoints.size() > max_viewpoints) {
      entries.viewpoints.clear();
      numbers.clear();
    }
    is_read = read_regular_entries(text, entries);
    return is_read;
  }

  const std::vector<Token>& number_all(StringTable& viewpoints) {
    intern_new(entries.viewpoints, viewpoints, numbers);
    return numbers;
  }

  std::size_t count_items() const {
    std::size_t count = 0;
    for (const RegularEntries::Entry& entry : entries.entries) count += entry.instructions;
    return count;
  }
};

// Reads the entries of the chunks in their order; only the parser works on several, and the reader
// of regular entries.
class ChunkedDataset : public ChunkReader {
 public:
  ChunkedDataset(const tasks::Task* forced, const DatasetChoice& choice, StringTable& viewpoints,
                 std::size_t chunk_bytes)
      : forced_(forced),
        choice_(choice),
        viewpoints_(viewpoints),
        max_viewpoints_(chunk_bytes / 32),
        reader_(dataset_, choice, viewpoints) {
    reader_.leave_ids_unchecked();
  }

  bool read_text(std::size_t slot, std::string_view text) override {
    if (!takes_regular_) return false;
    if (parts_[slot] == nullptr) parts_[slot] = std::make_unique<RegularPart>();
    return parts_[slot]->read(text, max_viewpoints_);
  }

  bool takes_list_in(std::string_view key, const json::Object& object) override {
    const tasks::Task* task = forced_ != nullptr ? forced_ : tasks::task_of_key(key);
    if (task == nullptr || task->make_reader == nullptr || task->list_key != key) return false;
    // Another task that is asked first might read another key.
    if (forced_ == nullptr && has_list_of_another(*task, object)) return false;
    is_in_object_ = true;
    if (task_ == nullptr) task_ = forced_;
    return true;
  }

  bool read(std::size_t slot, const json::Value& entries) override {
    return entries.get(chunks_[slot]);
  }

  bool take(std::size_t slot) override {
    if (parts_[slot] != nullptr && parts_[slot]->is_read) {
      make_room(dataset_.items, parts_[slot]->count_items(), part_read);
      reader_.add(parts_[slot]->entries, parts_[slot]->number_all(viewpoints_));
      return true;
    }
    make_room(dataset_.items, chunks_[slot].size(), part_read);
    for (const json::Value element : chunks_[slot]) {
      const auto object = object_in(element);
      if (!object) return false;
      if (task_ == nullptr) task_ = task_of(*object);
      if (task_ == nullptr) return false;
      dataset_.task = task_;
      read_entry(element, *object);
    }
    if (!has_begun_) takes_regular_ = !dataset_.items.empty() && reader_.takes_regular();
    has_begun_ = true;
    return true;
  }

  // Returns nothing if an id is there twice, which a reader of the whole file refuses.
  std::optional<Dataset> finish(const ChunkedFile& file) {
    dataset_.file = file.name;
    dataset_.hash = file.hash;
    if (own_ != nullptr) {
      own_->finish();
      return std::move(dataset_);
    }
    IdTable ids(dataset_.items.size());
    const auto id_of = [&](std::uint32_t item) -> const std::string& {
      return dataset_.items[item].id;
    };
    if (!ids.add_all(static_cast<std::uint32_t>(dataset_.items.size()), id_of)) return std::nullopt;
    dataset_.is_lines = file.is_lines;
    formats::finish(dataset_, reader_, choice_);
    dataset_.ids = std::move(ids);
    return std::move(dataset_);
  }

 private:
  // Returns the task of a list that begins with this entry; null if it has to be read whole.
  const tasks::Task* task_of(const json::Object& first) const {
    const tasks::Task* own = tasks::task_of_list(first);
    if (is_in_object_) return own;
    if (forced_ == nullptr)
      return own != nullptr ? own : tasks::recognise_task(DatasetEntry(first));
    return forced_->make_reader == nullptr || forced_ == own ? forced_ : nullptr;
  }

  static bool has_list_of_another(const tasks::Task& task, const json::Object& object) {
    return std::ranges::any_of(object, [&](const auto& field) {
      const tasks::Task* other = tasks::task_of_key(field.key);
      return other != nullptr && other->list_key != task.list_key;
    });
  }

  void read_entry(const json::Value& element, const json::Object& object) {
    if (task_->make_reader == nullptr) return reader_.read(object, {});
    if (own_ == nullptr) own_ = task_->make_reader(dataset_, choice_.keep_instructions);
    own_->read(element, {});
  }

  const tasks::Task* forced_;
  const tasks::Task* task_ = nullptr;  // of the file; null: nothing was read yet
  bool is_in_object_ = false;          // the list is the value of a key
  bool has_begun_ = false;             // the first chunk was taken
  bool takes_regular_ = false;         // is known with it
  DatasetChoice choice_;
  StringTable& viewpoints_;
  const std::size_t max_viewpoints_;  // that a slot keeps, in as much memory as a chunk or two
  Dataset dataset_;
  EntryReader reader_;
  std::unique_ptr<tasks::OwnReader> own_;
  std::array<json::Array, max_slots> chunks_;
  std::array<std::unique_ptr<RegularPart>, max_slots> parts_;
};

// Returns nothing if the file has to be read whole.
std::optional<Dataset> read_chunked(const std::string& file, const tasks::Task* forced,
                                    const DatasetChoice& choice, StringTable& viewpoints,
                                    const io::Reading& reading) {
  ChunkedDataset chunks(forced, choice, viewpoints, reading.chunk_bytes);
  const auto read = read_in_chunks(file, reading, chunks);
  return read ? chunks.finish(*read) : std::nullopt;
}

}  // namespace

json::Array dataset_entries(const JsonFile& document) {
  json::Object object;
  if (document.root().get(object)) {
    // The file that a challenge evaluates with may have its graphs beside the annotations.
    if (const KeyValue gt = find_key(object, "gt"); gt.count > 0 && gt.value.is_array()) {
      return as_items(gt.value, document);
    }
    if (const auto kind = foreign_dataset(object)) refuse(*kind, {document.path()});
    json::Object first;
    if (object.size() > 0 && (*object.begin()).value.get(first)) {
      if (const auto kind = foreign_dataset(first)) refuse(*kind, {document.path()});
    }
    throw InputError({document.path()}, "is an object, not a list of items",
                     found_keys(object) + "; see docs/formats.md");
  }
  return as_items(document.root(), document);
}

void Dataset::refer_to(ReferenceChoice which) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i].reference = all_references[i].of(which);
  }
}

Dataset read_dataset(const std::string& file, const tasks::Task* forced,
                     const DatasetChoice& choice, StringTable& viewpoints,
                     const io::Reading& reading) {
  if (is_folder(file, reading)) {
    return read_dataset_folder(file, forced, choice.keep_instructions, reading);
  }
  if (forced == nullptr || forced->read_file == nullptr) {
    if (auto dataset = read_chunked(file, forced, choice, viewpoints, reading)) {
      return std::move(*dataset);
    }
  }
  const JsonFile document(file, reading);
  Dataset dataset;
  dataset.file = document.path();
  dataset.hash = document.hash();
  const tasks::Task* task = forced != nullptr ? forced : recognise_own(document);
  if (task != nullptr && task->read_file != nullptr) {
    dataset.task = task;
    task->read_file(document, choice.split, dataset);
    return dataset;
  }
  if (task != nullptr && task->make_reader != nullptr) {
    dataset.task = task;
    read_own(document, choice.keep_instructions, dataset);
    return dataset;
  }
  dataset.is_lines = document.is_lines();
  EntryReader reader(dataset, choice, viewpoints);
  std::size_t position = 0;
  const auto read_entry = [&](const json::Value& element) {
    const InputError::Where where{dataset.file, document.place(position), {}};
    const json::Object object = as_object(element, where);
    if (position++ == 0) {
      dataset.task = task != nullptr ? task : recognise(DatasetEntry(object), where);
    }
    reader.read(object, where);
  };
  if (const auto values = entries_by_id(document)) {
    for (const auto field : *values) read_entry(field.value);
  } else {
    for (const json::Value element : dataset_entries(document)) read_entry(element);
  }
  finish(dataset, reader, choice);
  return dataset;
}

}  // namespace warpath::formats
