#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/formats/graph_builder.hpp"
#include "host/formats/json_file.hpp"

namespace warpath {

enum class GraphFormat { connectivity, plain, navigable, edge_list, street };

/// As reports call it.
std::string_view title(GraphFormat format);

/// One of Touchdown's two files, nodes.txt and links.txt.
struct StreetFile {
  std::string path, text;
};

/// A file of one navigation graph, or of several; or Touchdown's folder. Which format of JSON a
/// file has is told from its content, an edge list from its name.
class GraphFile {
 public:
  /// @param path a file, or a folder with nodes.txt and links.txt
  /// @param max_bytes of one file, see read_input
  /// @throws InputError
  explicit GraphFile(std::string path, std::uint64_t max_bytes = 0);

  const std::string& path() const { return path_; }
  GraphFormat format() const { return format_; }
  const std::string& hash() const { return hash_; }

  /// The scans that it says it has, by its content or its name; none where it says nothing.
  const std::vector<std::string>& scans() const { return scans_; }

  /// The graph of a scan; where the file says nothing, its graph under that name. Once per scan.
  /// @throws InputError where the graph is damaged, or the file says that it has others only.
  std::unique_ptr<Scan> build(const std::string& scan);

 private:
  void read_json(std::uint64_t max_bytes);
  void read_lines(std::uint64_t max_bytes);
  void read_streets(std::uint64_t max_bytes);
  /// The file's name without the ending, where it has that.
  void take_scan_from_name(std::string_view ending);

  std::string path_, hash_;
  GraphFormat format_ = GraphFormat::plain;
  std::vector<std::string> scans_;
  // What was read, by format.
  std::unique_ptr<JsonFile> json_;
  std::map<std::string, GraphBuilder> edge_lists_;
  StreetFile nodes_, links_;
};

/// The file of that name in a folder, plain or .gz; or nothing.
std::optional<std::string> find_file(const std::string& folder, const std::string& name);
bool is_street_folder(const std::string& folder);

/// A Matterport3DSimulator connectivity file: included viewpoints, edges where `unobstructed`.
/// @throws InputError where it is damaged, or where adjacency is not symmetric.
std::unique_ptr<Scan> read_connectivity(const JsonFile& file, const std::string& scan);

/// A plain graph: {"scan", "nodes": [{"id", "position": [x, y(, z)]}, …],
/// "edges": [[from, to(, weight)], …]}; edges are undirected, a weight is metres.
/// @throws InputError
std::unique_ptr<Scan> read_plain_graph(const JsonFile& file, const std::string& scan);
/// "" where it does not say.
std::string scan_of_plain_graph(const JsonFile& file);

/// NavGPT's graphs: {viewpoint: {neighbour: {"distance": metres, …}, …}, …}, without positions. The
/// distances of the two directions may differ by a millimetre; the first in the file is taken.
/// @throws InputError
std::unique_ptr<Scan> read_navigable_graph(const JsonFile& file, const std::string& scan);
bool is_navigable_graph(json::element root);

/// Lines of from,to(,weight), without positions; or the columns that the first line names: from
/// (source), to (target), weight (distance), scan. Where it has scans, a graph for each, else one
/// under "". @throws InputError
std::map<std::string, GraphBuilder> read_edge_list(const std::string& file, std::string_view text);

/// Touchdown's and map2seq's streets: lines of pano,yaw,lat,lng and of start,heading,end. Moves are
/// taken as undirected; positions are metres from the mean of all panoramas. @throws InputError
std::unique_ptr<Scan> read_street_graph(const StreetFile& nodes, const StreetFile& links,
                                        const std::string& scan);

}  // namespace warpath
