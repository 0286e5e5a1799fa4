#include "host/files/formats/dataset.hpp"

#include <array>

#include "host/files/formats/entry_chunks.hpp"
#include "host/files/formats/entry_reader.hpp"
#include "host/files/formats/foreign.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::formats {
namespace {

[[noreturn]] void refuse(const io::FileKind& kind, const InputError::Where& where) {
  throw InputError(where, kind.what, kind.remedy);
}

const tasks::Task* recognise(const DatasetEntry& first, const InputError::Where& where) {
  if (const tasks::Task* task = tasks::recognise_task(first)) return task;
  if (const auto kind = foreign_dataset(first.object()); kind && !first.has_path_and_scan()) {
    refuse(*kind, {where.file});
  }
  throw InputError(where, "not an item of R2R, R4R, REVERIE, SOON, NDH or RxR",
                   found_keys(first.object()) + "; expected scan, path, path_id and instructions");
}

json::array as_items(json::element root, const JsonFile& document) {
  const json::array list = as_array(root, {document.path()});
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

// Reads the entries of the chunks in their order; only the parser works on several.
class ChunkedDataset : public ChunkReader {
 public:
  ChunkedDataset(const tasks::Task* forced, DatasetChoice choice, StringTable& viewpoints)
      : task_(forced), choice_(choice), reader_(dataset_, choice, viewpoints) {
    reader_.leave_ids_unchecked();
  }

  bool read(std::size_t slot, const json::element& entries) override {
    return entries.get(chunks_[slot]) == simdjson::SUCCESS;
  }

  bool take(std::size_t slot) override {
    for (const json::element element : chunks_[slot]) {
      const auto object = object_in(element);
      if (!object) return false;
      if (task_ == nullptr) task_ = tasks::recognise_task(DatasetEntry(*object));
      if (task_ == nullptr || task_->read_file != nullptr) return false;
      dataset_.task = task_;
      reader_.read(*object, {});
    }
    return true;
  }

  // Returns nothing if an id is there twice, which a reader of the whole file refuses.
  std::optional<Dataset> finish(const ChunkedFile& file) {
    IdTable ids(dataset_.items.size());
    const auto id_of = [&](std::uint32_t item) -> const std::string& {
      return dataset_.items[item].id;
    };
    if (!ids.add_all(static_cast<std::uint32_t>(dataset_.items.size()), id_of)) return std::nullopt;
    dataset_.file = file.name;
    dataset_.hash = file.hash;
    dataset_.is_lines = file.is_lines;
    formats::finish(dataset_, reader_, choice_);
    return std::move(dataset_);
  }

 private:
  const tasks::Task* task_;
  DatasetChoice choice_;
  Dataset dataset_;
  EntryReader reader_;
  std::array<json::array, max_slots> chunks_;
};

}  // namespace

json::array dataset_entries(const JsonFile& document) {
  json::object object;
  if (document.root().get(object) == simdjson::SUCCESS) {
    // The file that a challenge evaluates with may have its graphs beside the annotations.
    if (const KeyValue gt = find_key(object, "gt"); gt.count > 0 && gt.value.is_array()) {
      return as_items(gt.value, document);
    }
    if (const auto kind = foreign_dataset(object)) refuse(*kind, {document.path()});
    json::object first;
    if (object.size() > 0 && (*object.begin()).value.get(first) == simdjson::SUCCESS) {
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

Dataset read_dataset(const std::string& file, const tasks::Task* forced, DatasetChoice choice,
                     StringTable& viewpoints, const io::Reading& reading) {
  if (forced == nullptr || forced->read_file == nullptr) {
    ChunkedDataset chunks(forced, choice, viewpoints);
    if (const auto read = read_in_chunks(file, reading, chunks)) {
      if (auto dataset = chunks.finish(*read)) return std::move(*dataset);
    }
  }
  const JsonFile document(file, reading);
  Dataset dataset;
  dataset.file = document.path();
  dataset.hash = document.hash();
  const tasks::Task* task = forced != nullptr ? forced : tasks::recognise_task(document);
  if (task != nullptr && task->read_file != nullptr) {
    dataset.task = task;
    task->read_file(document, choice.keep_instructions, dataset);
    return dataset;
  }
  dataset.is_lines = document.is_lines();
  EntryReader reader(dataset, choice, viewpoints);
  std::size_t position = 0;
  for (const json::element element : dataset_entries(document)) {
    const InputError::Where where{dataset.file, document.place(position), {}};
    const json::object object = as_object(element, where);
    if (position++ == 0) {
      dataset.task = task != nullptr ? task : recognise(DatasetEntry(object), where);
    }
    reader.read(object, where);
  }
  finish(dataset, reader, choice);
  return dataset;
}

}  // namespace warpath::formats
