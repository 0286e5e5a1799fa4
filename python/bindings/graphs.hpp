#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "host/formats/graphs.hpp"
#include "warpath/graph.hpp"

namespace warpath::python {

/// Holds scans by name: those of files, which are read when they are first needed, or those that
/// were added. Several threads may use it, since calls release the GIL.
class GraphSource {
 public:
  GraphSource() = default;
  explicit GraphSource(const std::string& path) : files_(std::in_place, path) {}

  /// @throws InputError if there is such a scan already
  void add(std::unique_ptr<Scan> scan);
  /// Returns a scan, which lives as long as this object.
  /// @throws InputError if there is none, or its file is damaged
  const Scan& scan(const std::string& name);
  /// Returns the names of the scans that were added.
  std::vector<std::string> names() const;

 private:
  std::optional<Graphs> files_;
  std::map<std::string, std::unique_ptr<Scan>> added_;
  mutable std::mutex mutex_;
};

}  // namespace warpath::python
