#include "host/files/formats/entry_reader.hpp"
#include "host/tasks/list.hpp"
#include "host/tasks/r2r/server.hpp"

namespace warpath::rxr {
namespace {

bool is_rxr_entry(const formats::DatasetEntry& entry) {
  return entry.has_path_and_scan() && entry.has_one_instruction() && entry.has("instruction_id");
}

std::string_view instruction_id_key(const formats::DatasetEntry&) {
  return "instruction_id";
}

}  // namespace

const tasks::Task rxr_task{.form = "rxr",
                           .title = "RxR",
                           .name = "RxR",
                           .recognises = is_rxr_entry,
                           .id_key = instruction_id_key,
                           .read_entry = formats::read_one_instruction,
                           .servers = r2r::r2r_servers,
                           .server_note =
                               "the rules of R2R's server, whose form --fix writes; RxR's own "
                               "wants instruction_id and path, one entry a line"};

}  // namespace warpath::rxr
