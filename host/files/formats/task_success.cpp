#include "host/files/formats/task_success.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "host/files/formats/json_file.hpp"
#include "host/files/formats/lines.hpp"
#include "host/files/io/file_kind.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::formats {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

double number_or_nan(json::Value value) {
  double number;
  bool flag;
  if (value.get(number)) return number;
  return value.get(flag) ? flag : no_value;
}

class SuccessTable {
 public:
  explicit SuccessTable(const std::string& file) : file_(file) {}

  void add(const std::string& id, double value) {
    if (value < 0.0 || value > 1.0) {
      throw InputError({file_, id}, fmt::format("is {}, not from 0 to 1", value),
                       "write 1 for a success, 0 for a failure, or a fraction");
    }
    if (!values.emplace(id, value).second) {
      throw InputError({file_, id}, "the id is there twice", "keep one value for each id");
    }
  }

  std::unordered_map<std::string, double> values;

 private:
  const std::string& file_;
};

// Reads {id: value, …} or {"instr_id": id, "success": value}.
void read_object(json::Object object, const InputError::Where& where, KeyReader& keys,
                 SuccessTable& table) {
  if (has_key(object, "instr_id") && has_key(object, "success")) {
    table.add(id_text(keys.get(object, "instr_id", where), where),
              number_or_nan(keys.get(object, "success", where)));
    return;
  }
  std::unordered_map<std::string_view, double> last;
  for (const auto field : object) {
    const bool is_new = last.insert_or_assign(field.key, number_or_nan(field.value)).second;
    if (!is_new) ++keys.repeated;
  }
  for (const auto& [id, value] : last) table.add(std::string(id), value);
}

void read_json(const JsonFile& document, KeyReader& keys, SuccessTable& table) {
  json::Array list;
  if (!document.root().get(list)) {
    return read_object(as_object(document.root(), {document.path()}), {document.path()}, keys,
                       table);
  }
  std::size_t position = 0;
  for (const json::Value element : list) {
    const InputError::Where where{document.path(), document.place(position++), {}};
    read_object(as_object(element, where), where, keys, table);
  }
}

void read_csv(const std::string& file, std::string_view text, SuccessTable& table) {
  io::refuse_foreign({file}, text);
  for (Lines lines(text); lines.next();) {
    std::string_view row = text.substr(lines.begin, lines.end - lines.begin);
    if (row.ends_with('\r')) row.remove_suffix(1);
    const std::size_t comma = row.rfind(',');
    if (comma == std::string_view::npos) {
      throw InputError({file, fmt::format("line {}", lines.number), {}}, "no comma",
                       "write id,value on each line, or a JSON object {id: value}");
    }
    const std::string_view cell = row.substr(comma + 1);
    double value = no_value;
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool is_number = error == std::errc{} && stop == cell.data() + cell.size();
    if (lines.number == 1 && !is_number) continue;  // it is a header
    table.add(std::string(row.substr(0, comma)), is_number ? value : no_value);
  }
}

}  // namespace

TaskSuccess read_task_success(const std::string& path, const io::Reading& reading) {
  std::string text = io::read_input(path, reading);
  TaskSuccess result;
  result.file = io::input_name(path);
  result.hash = io::content_hash(text);
  const std::string& file = result.file;
  SuccessTable table(file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    KeyReader keys;
    read_json(JsonFile(file, std::move(text)), keys, table);
    keys.note_repeated(result.notes);
  } else {
    read_csv(file, text, table);
  }
  if (table.values.empty()) {
    throw InputError({file}, "has no values", "write id,value lines or a JSON object {id: value}");
  }
  result.values = std::move(table.values);
  return result;
}

}  // namespace warpath::formats
