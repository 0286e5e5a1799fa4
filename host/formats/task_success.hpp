#pragma once

#include <string>
#include <unordered_map>

namespace warpath {

struct TaskSuccess {
  std::unordered_map<std::string, double> values;  ///< by instr_id
  std::string hash;                                ///< of the file's content
};

/// A task's own success per item, which SDTW takes instead of SR: a JSON object {id: value}, or a
/// CSV of lines `id,value` (a header line may come first). Values are numbers in [0, 1]; any other
/// is kept as NaN, so that its item is reported. `.gz` is fine.
/// @throws InputError where the file is neither, or has an id twice.
TaskSuccess read_task_success(const std::string& file);

}  // namespace warpath
