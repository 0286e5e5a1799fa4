#include <charconv>

#include "host/files/formats/entry_reader.hpp"
#include "host/tasks/list.hpp"
#include "host/tasks/r2r/server.hpp"

namespace warpath::r2r {
namespace {

bool is_path_with_instructions(const formats::DatasetEntry& entry) {
  return entry.has_path_and_scan() && (entry.has("path_id") || entry.has("id"));
}

bool is_joined_path(const formats::DatasetEntry& entry) {
  return is_path_with_instructions(entry) &&
         (entry.has("first_path_id") || entry.has("shortest_path"));
}

bool is_one_instruction(const formats::DatasetEntry& entry) {
  return entry.has_path_and_scan() && entry.has_one_instruction() && entry.has("instr_id");
}

std::string_view instr_id_key(const formats::DatasetEntry&) {
  return "instr_id";
}

// Returns k of "path_k", the number of an instruction within its path; otherwise 0.
int number_in(std::string_view instr_id) {
  const std::string_view tail = instr_id.substr(instr_id.rfind('_') + 1);
  int number = 0;
  const auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), number);
  const bool is_number = error == std::errc{} && end == tail.data() + tail.size() && number > 0;
  return is_number && tail.size() < instr_id.size() ? number : 0;
}

void read_numbered_instruction(formats::EntryReader& reader, const formats::DatasetEntry& entry) {
  formats::Item item{entry.id, entry.scan, reader.read_reference(entry, "path")};
  reader.read_language(entry, item);
  // RxR's ids have R2R's form, path_instruction, but number instructions throughout.
  if (item.language.empty()) item.instruction = number_in(item.id);
  reader.add(entry, std::move(item));
}

constexpr std::string_view note = "the rules of R2R's server: three instructions per path";

std::size_t count_items(const formats::Dataset& dataset) {
  return dataset.items.size();
}

}  // namespace

const tasks::Task r2r_task{.form = "r2r",
                           .title = "R2R",
                           .name = "R2R",
                           .recognises = is_path_with_instructions,
                           .id_key = formats::path_id_key,
                           .read_entry = formats::read_all_instructions,
                           .lists_instructions = true,
                           .servers = r2r_servers};

const tasks::Task r4r_task{.form = "r4r",
                           .title = "R4R",
                           .name = "R4R",
                           .recognises = is_joined_path,
                           .id_key = formats::path_id_key,
                           .read_entry = formats::read_all_instructions,
                           .lists_instructions = true,
                           .servers = r2r_servers,
                           .server_note = note};

const tasks::Task one_an_entry_task{.form = "single",
                                    .title = "one instruction an entry",
                                    .name = "",
                                    .recognises = is_one_instruction,
                                    .id_key = instr_id_key,
                                    .read_entry = read_numbered_instruction,
                                    .count_entries = count_items,
                                    .servers = r2r_servers,
                                    .server_note = note};

}  // namespace warpath::r2r
