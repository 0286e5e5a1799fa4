#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/files/formats/connectivity.hpp"
#include "host/files/formats/graph_builder.hpp"
#include "host/files/json/json_fwd.hpp"

namespace warpath::formats {

class JsonFile;

enum class GraphFormat { connectivity, plain, navigable, edge_list, street, grid };

/// Returns the name of the format for reports.
std::string_view title(GraphFormat format);

/// Names one of Touchdown's two files, nodes.txt and links.txt.
struct StreetFile {
  std::string path, text;
};

/// Holds Touchdown's links as VELMA has them: each leads one way, and of a viewpoint's links with
/// one heading the last counts.
struct HeadingLinks {
  Scan scan;                            ///< with the viewpoints of the undirected scan, in order
  std::vector<std::uint32_t> headings;  ///< of each viewpoint, the number of its links
};

/// Reads a file of one or several navigation graphs, or Touchdown's folder. JSON formats are
/// recognised by their content, an edge list by its name.
class GraphFile {
 public:
  /// @param path a file, or a folder with nodes.txt and links.txt
  /// @param max_bytes of one file, see read_input
  /// @throws InputError
  explicit GraphFile(std::string path, std::uint64_t max_bytes = 0);
  ~GraphFile();

  const std::string& path() const { return path_; }
  GraphFormat format() const { return format_; }
  const std::string& hash() const { return hash_; }

  /// Returns the scans that the file contains, by its content or its name; empty if neither tells.
  const std::vector<std::string>& scans() const { return scans_; }

  /// Returns the graph of a scan; if the file names no scan, its graph under that name. May be
  /// called once per scan.
  /// @throws InputError if the graph is damaged, or the file contains other scans only.
  std::unique_ptr<Scan> build(const std::string& scan);
  /// Returns the links by heading of such a scan; null unless the file is Touchdown's folder.
  /// @throws InputError
  std::unique_ptr<HeadingLinks> heading_links(const std::string& scan) const;

 private:
  void read_json(std::uint64_t max_bytes);
  void read_lines(std::uint64_t max_bytes);
  void read_streets(std::uint64_t max_bytes);
  /// Takes the scan's id from the file's name, if it has that ending.
  void take_scan_from_name(std::string_view ending);

  std::string path_, hash_;
  GraphFormat format_ = GraphFormat::plain;
  std::vector<std::string> scans_;
  // Content that was read, by format.
  std::unique_ptr<JsonFile> json_;
  std::optional<std::vector<ConnectivityEntry>> regular_;  // without a document
  std::map<std::string, GraphBuilder> edge_lists_;
  StreetFile nodes_, links_;
};

/// Returns the file of that name in a folder, plain or .gz; nothing if there is none.
std::optional<std::string> find_file(const std::string& folder, const std::string& name);
bool is_street_folder(const std::string& folder);

/// Reads a Matterport3DSimulator connectivity file: included viewpoints, with edges where
/// `unobstructed`.
/// @throws InputError if it is damaged or its adjacency is not symmetric.
std::unique_ptr<Scan> read_connectivity(const JsonFile& file, const std::string& scan);

/// Reads a plain graph: {"scan", "nodes": [{"id", "position": [x, y(, z)]}, …], "edges": [[from,
/// to(, weight)], …]}. Edges are undirected, weights are in metres. A position may be null; then no
/// viewpoint of the scan has one.
/// @throws InputError
std::unique_ptr<Scan> read_plain_graph(const JsonFile& file, const std::string& scan);
/// Returns the scan that a plain graph names; "" if it names none.
std::string scan_of_plain_graph(const JsonFile& file);

/// Reads NavGPT's graphs: {viewpoint: {neighbour: {"distance": metres, …}, …}, …}, without
/// positions. The distances of the two directions may differ by a millimetre; the first in the file
/// is used.
/// @throws InputError
std::unique_ptr<Scan> read_navigable_graph(const JsonFile& file, const std::string& scan);
bool is_navigable_graph(json::Value root);

/// Reads lines of from,to(,weight), without positions, or the columns that the first line names:
/// from (source), to (target), weight (distance), scan. Returns a graph for each scan, or one under
/// "" without scans. @throws InputError
std::map<std::string, GraphBuilder> read_edge_list(const std::string& file, std::string_view text);

/// Reads Touchdown's and map2seq's streets: lines of pano,yaw,lat,lng, VELMA's with `seen` or
/// `unseen` behind, and of start,heading,end. Moves are treated as undirected; positions are in
/// metres from the mean of all panoramas. @throws InputError
std::unique_ptr<Scan> read_street_graph(const StreetFile& nodes, const StreetFile& links,
                                        const std::string& scan);
std::unique_ptr<HeadingLinks> read_heading_links(const StreetFile& nodes, const StreetFile& links,
                                                 const std::string& scan);

}  // namespace warpath::formats
