#include "host/files/generators/r4r_json.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include "host/files/io/json_writer.hpp"

namespace warpath::generators {
namespace {

// Returns a number as Python writes a float: 3.0, not 3.
std::string float_text(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

// Writes the entries of one scan, as a list of their own.
class ScanWriter {
 public:
  ScanWriter(const formats::PathAnnotations& annotations, const JoinedPaths& joined)
      : annotations_(annotations), joined_(joined) {
    for (Node n = 0; n < joined.scan->size(); ++n) {
      viewpoints_.push_back(io::json_string(joined.scan->viewpoint(n)));
    }
    scan_ = io::json_string(joined.scan->id());
  }

  std::string write(std::size_t first_id) {
    json_.open("", '[');
    for (std::size_t k = 0; k < joined_.pairs.size(); ++k) write_entry(k, first_id + k);
    json_.close(']');
    return json_.take();
  }

 private:
  void write_entry(std::size_t k, std::size_t path_id) {
    const JoinedPair& pair = joined_.pairs[k];
    const formats::PathAnnotation& first = annotations_.paths[pair.first];
    const formats::PathAnnotation& second = annotations_.paths[pair.second];
    json_.open("", '{');
    json_.raw("distance", float_text(pair.distance));
    json_.raw("first_path_id", first.path_id);
    json_.raw("heading", float_text(first.heading));
    write_instructions(first.instructions, second.instructions);
    write_path("path", joined_.paths[k]);
    json_.integer("path_id", path_id);
    json_.raw("scan", scan_);
    json_.raw("second_path_id", second.path_id);
    write_path("shortest_path", joined_.shortest[k]);
    // networkx has the integer 0 for a viewpoint's distance to itself.
    const bool is_round_trip = joined_.shortest.size_of(k) == 1;
    json_.raw("shortest_path_distance", is_round_trip ? "0" : float_text(pair.shortest_distance));
    json_.close('}');
  }

  void write_instructions(const std::vector<std::string>& first,
                          const std::vector<std::string>& second) {
    json_.open("instructions", '[');
    for (const std::string& a : first) {
      for (const std::string& b : second) {
        joint_.assign("\"").append(a).append(b).append("\"");
        json_.raw("", joint_);
      }
    }
    json_.close(']');
  }

  void write_path(std::string_view key, std::span<const Node> path) {
    json_.open(key, '[');
    for (const Node n : path) json_.raw("", viewpoints_[n]);
    json_.close(']');
  }

  const formats::PathAnnotations& annotations_;
  const JoinedPaths& joined_;
  std::vector<std::string> viewpoints_;  // as JSON, like scan_
  std::string scan_, joint_;
  io::JsonWriter json_;
};

}  // namespace

std::string r4r_json(const formats::PathAnnotations& annotations,
                     std::span<const JoinedPaths> scans) {
  std::vector<std::size_t> first_id(scans.size() + 1, 0);
  for (std::size_t s = 0; s < scans.size(); ++s) {
    first_id[s + 1] = first_id[s] + scans[s].pairs.size();
  }
  std::vector<std::string> lists(scans.size());
  tbb::parallel_for(std::size_t{0}, scans.size(), [&](std::size_t s) {
    lists[s] = ScanWriter(annotations, scans[s]).write(first_id[s]);
  });
  constexpr std::string_view begin = "[", end = "\n]\n";
  std::size_t bytes = begin.size() + end.size();
  for (const std::string& list : lists) bytes += list.size();
  std::string json(begin);
  json.reserve(bytes);
  for (std::size_t s = 0; s < scans.size(); ++s) {
    if (scans[s].pairs.empty()) continue;
    if (json.size() > begin.size()) json += ',';
    json.append(lists[s], begin.size(), lists[s].size() - begin.size() - end.size());
    std::string().swap(lists[s]);
  }
  return json.append(end);
}

}  // namespace warpath::generators
