#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/files/io/input_file.hpp"
#include "warpath/error.hpp"
#include "warpath/graph.hpp"

namespace warpath::formats {

/// Holds positions of viewpoints that take the place of those of the graphs. VALAN and RxR's
/// published metrics measure between the panorama centres of Matterport3D's .house files, which
/// differ from the simulator's poses by centimetres.
class Coordinates {
 public:
  /// Reads a file: JSON {scan: {viewpoint: [x, y, z]}}, lines of scan, viewpoint, x, y, z (as a
  /// table, with a first line of names or without), or <scan>.house. Of a folder, a scan's
  /// <scan>.house or <scan>/house_segmentations/<scan>.house is read when it is asked for.
  /// @throws InputError that names the file, the place and the remedy
  explicit Coordinates(std::string path, const io::Reading& reading = {});

  const std::string& path() const { return path_; }

  /// Makes a scan with the same viewpoints and edges at these positions.
  /// @throws InputError if a viewpoint with an edge has no position, or the graph gives the lengths
  /// of its edges or distances itself
  std::unique_ptr<Scan> move(const Scan& scan);

  /// Returns the hash of what was read for a scan.
  const std::string& hash_of(const std::string& scan);

 private:
  using Position = std::array<double, 3>;
  // Holds the positions of one scan.
  struct ScanPositions {
    std::unordered_map<std::string, Position> of;  // by viewpoint
    std::string source, hash;                      // file and hash of its content
  };

  void read_file(const std::string& file);
  void read_json(std::string text, const std::string& file, const std::string& hash);
  void read_table(std::string_view text, const std::string& file, const std::string& hash);
  void read_house(std::string_view text, const std::string& file, const std::string& hash);
  void add(ScanPositions& scan, const std::string& viewpoint, const Position& position,
           const InputError::Where& where);
  ScanPositions& scan_of(const std::string& scan, const std::string& file, const std::string& hash);
  const ScanPositions& positions_of(const std::string& scan);

  std::string path_;
  io::Reading reading_;
  bool is_folder_ = false;
  std::map<std::string, ScanPositions> scans_;
};

}  // namespace warpath::formats
