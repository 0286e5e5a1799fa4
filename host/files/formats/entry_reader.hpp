#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/id_table.hpp"
#include "host/files/formats/reference_table.hpp"
#include "host/files/formats/regular_entries.hpp"
#include "warpath/error.hpp"

namespace warpath::formats {

/// Holds an entry of a list of annotations.
class DatasetEntry {
 public:
  /// @param object must outlive this
  explicit DatasetEntry(const json::Object& object) : object_(&object) {}

  std::string id{};
  std::string_view id_key{};
  std::uint32_t scan = 0;
  double heading = 0.0;  ///< as Item::heading

  const json::Object& object() const { return *object_; }
  bool has(std::string_view key) const;
  /// Tells whether the entry has `path` and `scan`.
  bool has_path_and_scan() const { return has("path") && has("scan"); }
  /// Tells whether it has `instruction`, or `instructions` that is one text or a list of one.
  bool has_one_instruction() const;
  /// Tells whether it is of a well-known file that cannot be scored; see foreign_dataset.
  bool is_foreign() const;

 private:
  const json::Object* object_;
};

class KeyReader;

/// Reads the entries of a list of annotations into a dataset. Tasks read what is their own with
/// these functions. Errors name the item and the key at fault.
class EntryReader {
 public:
  /// The arguments must outlive the object.
  EntryReader(Dataset& out, const DatasetChoice& choice, StringTable& viewpoints);
  ~EntryReader();

  /// Leaves it to the caller to refuse an id that is there twice.
  void leave_ids_unchecked() { checks_ids_ = false; }
  /// Reads an entry. @param place of the entry, for errors while its id is not known
  void read(const json::Object& object, const InputError::Where& place);
  /// Tells whether read_regular_entries gives all that read() would take of further entries. @pre
  /// the dataset has its task
  bool takes_regular() const;
  /// Adds the items of such entries. @param numbers of their viewpoints in the table of this reader
  void add(const RegularEntries& entries, std::span<const Token> numbers);
  /// Adds a sentence on repeated keys to the dataset's notes, if there were any.
  void note_repeated();

  // For tasks.
  Dataset& dataset() { return out_; }
  const DatasetChoice& choice() const { return choice_; }
  StringTable& viewpoints() { return viewpoints_; }
  InputError::Where where(const DatasetEntry& entry, std::string_view key) const;
  json::Value get(const DatasetEntry& entry, const char* key);
  /// Returns the id that a key has; nothing if the key is not there, or null.
  std::optional<std::string> id_at(const DatasetEntry& entry, const char* key) const;
  /// Reads a list of viewpoints as a reference, and returns its number.
  std::uint32_t read_reference(const DatasetEntry& entry, const char* key);
  /// Reads a list of viewpoints to the end of `paths`, and returns its number.
  /// @param id that errors name
  std::uint32_t read_viewpoints(const DatasetEntry& entry, const char* key, const std::string& id,
                                NamedPaths& paths);
  /// Returns the number of the reference that was appended last; see ReferenceTable.
  std::uint32_t share_last(std::uint32_t scan) { return references_.share_last(scan); }
  /// Reads the language of an item, if the entry names one.
  void read_language(const DatasetEntry& entry, Item& item) const;
  /// Returns the number of an entry's instructions.
  std::size_t count_instructions(const DatasetEntry& entry);
  /// Adds an item for each instruction of an entry.
  /// @param item its id is the entry's; that of an item has the instruction's number behind it
  void add_each(const DatasetEntry& entry, Item item, std::size_t count);
  /// Adds an item. @throws InputError if there is one of this id
  void add(const DatasetEntry& entry, Item item);
  /// Says what an entry's items may refer to, for the choice of all.
  void keep_references(const ReferencePaths& references) { kept_ = references; }

 private:
  void add_parts(const DatasetEntry& entry);
  std::string text_of(const DatasetEntry& entry, const Item& item) const;
  std::uint32_t read_viewpoints(const json::Value& value, const InputError::Where& where,
                                NamedPaths& paths);

  Dataset& out_;
  const DatasetChoice choice_;
  StringTable& viewpoints_;
  ScanNumbers scans_{out_.scans};
  ReferenceTable references_{out_.references};
  IdTable ids_;  // of items
  bool checks_ids_ = true;
  std::unique_ptr<KeyReader> keys_;
  ReferencePaths kept_{};  // of the entry that is read
};

/// Tasks whose entries have the id of a path begin with this: `path_id`, or `id`.
std::string_view path_id_key(const DatasetEntry& entry);
/// Reads an entry that lists the instructions of its `path`.
void read_all_instructions(EntryReader& reader, const DatasetEntry& entry);
/// Reads an entry of one instruction, whose id is the entry's.
void read_one_instruction(EntryReader& reader, const DatasetEntry& entry);

}  // namespace warpath::formats
