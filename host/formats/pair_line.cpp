#include "host/formats/pair_line.hpp"

#include "host/io/json_writer.hpp"

namespace warpath {
namespace {

void append_path(const Scan& graph, std::span<const Node> path, std::string& text) {
  const char* separator = "[";
  for (const Node node : path) {
    text.append(separator).append(json_string(graph.viewpoint(node)));
    separator = ", ";
  }
  text.append(path.empty() ? "[]" : "]");
}

}  // namespace

void append_line(const PairLine& pair, std::string& text) {
  text.append("{\"id\": ").append(json_string(pair.id));
  text.append(", \"scan\": ").append(json_string(pair.scan));
  append_path(pair.graph, pair.reference, text.append(", \"reference\": "));
  append_path(pair.graph, pair.prediction, text.append(", \"prediction\": "));
  text.append("}\n");
}

}  // namespace warpath
