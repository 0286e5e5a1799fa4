#include "tests/fuzz/checks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>

#include "host/core/base/clean_text.hpp"
#include "warpath/distances.hpp"

namespace warpath::fuzz {

MemoryFile::MemoryFile(std::string_view content) : descriptor_(::memfd_create("input", 0)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
  if (::write(descriptor_, content.data(), content.size()) !=
      static_cast<ssize_t>(content.size())) {
    ::close(descriptor_);
    throw std::system_error(errno, std::generic_category(), "write");
  }
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

std::size_t take_choice(Bytes& input, std::size_t count) {
  if (input.empty()) return 0;
  const auto choice = static_cast<std::uint8_t>(input.front() - '0');
  input = input.subspan(1);
  return choice % count;
}

void check_message(const Error& error) {
  const std::string_view message = error.what();
  require(!message.empty(), "an error without a message");
  require(base::clean_text(message) == message, "a message that cannot be printed in one line");
}

void check_paths(const formats::NamedPaths& paths, const formats::StringTable& viewpoints) {
  require(!paths.offsets.empty() && paths.offsets.front() == 0, "paths do not begin at 0");
  require(std::ranges::is_sorted(paths.offsets), "offsets of paths fall");
  require(paths.offsets.back() == paths.elements.size(), "viewpoints belong to no path");
  require(
      std::ranges::all_of(paths.elements, [&](formats::Token t) { return t < viewpoints.size(); }),
      "a path names a viewpoint that is not in the table");
}

namespace {

void check_neighbours(const Scan& scan) {
  std::size_t moves = 0;
  for (Node n = 0; n < scan.size(); ++n) {
    require(scan.find(scan.viewpoint(n)) == n, "a viewpoint is not found by its id");
    for (const Node next : scan.neighbours(n)) {
      require(next < scan.size() && next != n, "an edge leads nowhere");
      require(scan.is_directed() || scan.adjacent(next, n), "an edge leads one way");
      ++moves;
    }
  }
  require(moves == (scan.is_directed() ? 1 : 2) * scan.edge_count(),
          "the number of edges is wrong");
}

// The distances from one viewpoint: an edge makes a way longer by no more than its length.
void check_row(const Scan& scan, Distances& distances, Node source) {
  const auto row = distances.row(source);
  require(row[source] == 0.0, "a viewpoint is away from itself");
  for (Node n = 0; n < scan.size(); ++n) {
    require(row[n] >= 0.0, "a distance is negative");
    for (const Node next : scan.neighbours(n)) {
      require(scan.is_directed() || std::isinf(row[n]) == std::isinf(row[next]),
              "neighbours are not both reached");
      require(std::isinf(row[n]) || row[next] <= row[n] + distances.edge(n, next),
              "a shortest path is longer than one over an edge");
    }
  }
}

}  // namespace

void check_scan(const Scan& scan) {
  constexpr Node max_sources = 4;
  require(scan.positions().size() == scan.size(), "not one position for each viewpoint");
  check_neighbours(scan);
  for (const Distance distance : {Distance::euclid_3d, Distance::euclid_2d, Distance::hops}) {
    read_or_refuse([&] {  // an edge may have no length
      Distances distances(scan, distance);
      for (Node n = 0; n < std::min<std::size_t>(scan.size(), max_sources); ++n) {
        check_row(scan, distances, n);
      }
    });
  }
}

}  // namespace warpath::fuzz
