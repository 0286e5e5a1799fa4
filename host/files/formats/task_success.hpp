#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "host/files/io/input_file.hpp"

namespace warpath::formats {

struct TaskSuccess {
  std::string file;                                ///< name for messages
  std::string hash;                                ///< of the file's content
  std::unordered_map<std::string, double> values;  ///< by instr_id
  std::vector<std::string> notes;  ///< how the file was interpreted, one sentence each
};

/// Reads a task's own success per item, which SDTW takes instead of SR: a JSON object {id: value},
/// a list or lines of such objects or of {"instr_id": id, "success": value}, or a CSV of lines
/// `id,value` (a header line may come first). Values are numbers in [0, 1]; what is no
/// number is kept as NaN, so that its item is reported. Files may be gzipped. In one JSON object
/// the last value of a repeated id is used, as in Python.
/// @param reading see read_input.
/// @throws InputError if the file has none of these forms, an id on two lines, or a number outside
/// [0, 1].
TaskSuccess read_task_success(const std::string& file, const io::Reading& reading = {});

}  // namespace warpath::formats
