#include "host/formats/task_success.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "host/formats/json_file.hpp"
#include "host/io/input_file.hpp"

namespace warpath {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

double fraction_or_nan(double value) { return value >= 0.0 && value <= 1.0 ? value : no_value; }

class Table {
 public:
  explicit Table(const std::string& file) : file_(file) {}

  void add(const std::string& id, double value) {
    if (!values.emplace(id, fraction_or_nan(value)).second) {
      throw InputError({file_, id}, "the id is there twice", "keep one value for each id");
    }
  }

  std::unordered_map<std::string, double> values;

 private:
  const std::string& file_;
};

void read_json(const std::string& file, std::string& text, Table& table) {
  json::parser parser;
  const auto root = parse_json(parser, text.data(), text.size(), {file});
  for (const auto field : as_object(root, {file})) {
    double number;
    bool flag;
    if (field.value.get(number) == simdjson::SUCCESS) {
      table.add(std::string(field.key), number);
    } else if (field.value.get(flag) == simdjson::SUCCESS) {
      table.add(std::string(field.key), flag);
    } else {
      table.add(std::string(field.key), no_value);
    }
  }
}

void read_csv(const std::string& file, std::string_view text, Table& table) {
  std::size_t line = 0;
  for (std::size_t begin = 0, end; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    ++line;
    std::string_view row = text.substr(begin, end - begin);
    if (row.ends_with('\r')) row.remove_suffix(1);
    if (row.empty()) continue;
    const std::size_t comma = row.rfind(',');
    if (comma == std::string_view::npos) {
      throw InputError({file, fmt::format("line {}", line), {}}, "no comma",
                       "write id,value on each line, or a JSON object {id: value}");
    }
    const std::string_view cell = row.substr(comma + 1);
    double value = no_value;
    const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    const bool is_number = error == std::errc{} && stop == cell.data() + cell.size();
    if (line == 1 && !is_number) continue;  // a header
    table.add(std::string(row.substr(0, comma)), is_number ? value : no_value);
  }
}

}  // namespace

TaskSuccess read_task_success(const std::string& file) {
  std::string text = read_input(file);
  std::string hash = content_hash(text);
  Table table(file);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (text[first] == '{' || text[first] == '[')) {
    read_json(file, text, table);
  } else {
    read_csv(file, text, table);
  }
  if (table.values.empty()) {
    throw InputError({file}, "has no values", "write id,value lines or a JSON object {id: value}");
  }
  return {std::move(table.values), std::move(hash)};
}

}  // namespace warpath
