#include "host/files/formats/pair_line.hpp"

#include <algorithm>

#include "host/files/io/json_writer.hpp"

namespace warpath::formats {
namespace {

// Most names need no escapes, and a file may have millions of them.
bool is_plain(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; });
}

void append_quoted(std::string_view name, std::string& text) {
  if (is_plain(name))
    text.append("\"").append(name).append("\"");
  else
    text.append(io::json_string(name));
}

void append_path(const Scan& graph, std::span<const Node> path, std::string& text) {
  const char* separator = "[";
  for (const Node node : path) {
    append_quoted(graph.viewpoint(node), text.append(separator));
    separator = ", ";
  }
  text.append(path.empty() ? "[]" : "]");
}

}  // namespace

void append_line(const PairLine& pair, std::string& text) {
  append_quoted(pair.id, text.append("{\"id\": "));
  append_quoted(pair.scan, text.append(", \"scan\": "));
  append_path(pair.graph, pair.reference, text.append(", \"reference\": "));
  append_path(pair.graph, pair.prediction, text.append(", \"prediction\": "));
  text.append("}\n");
}

}  // namespace warpath::formats
