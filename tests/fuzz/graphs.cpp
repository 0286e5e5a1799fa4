// Readers of navigation graphs.

#include <algorithm>
#include <memory>
#include <string>

#include "host/files/formats/graph_file.hpp"
#include "host/files/formats/json_file.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {

// What is read without a document is the same scan, or is refused in the same words.
void fuzz_connectivity(Bytes input) {
  const MemoryFile file(text_of(input));
  std::unique_ptr<Scan> scan, same;
  const std::string refusal = refusal_of([&] {
    const formats::JsonFile document(file.path(), max_bytes);
    scan = formats::read_connectivity(document, "scan");
    check_scan(*scan);
  });
  const auto regular = formats::read_regular_connectivity(text_of(input));
  if (!regular) return;
  const std::string same_refusal =
      refusal_of([&] { same = formats::scan_of_entries(*regular, file.path(), "scan"); });
  require(same_refusal == refusal, "a file is refused otherwise without a document");
  if (!scan) return;
  require(same->size() == scan->size(), "a viewpoint is lost without a document");
  for (Node n = 0; n < scan->size(); ++n) {
    require(same->viewpoint(n) == scan->viewpoint(n), "a viewpoint has another id");
    require(same->positions()[n] == scan->positions()[n], "a viewpoint lies elsewhere");
    require(std::ranges::equal(same->neighbours(n), scan->neighbours(n)), "an edge differs");
  }
}

// Also NavGPT's graphs, which are told apart by their content.
void fuzz_plain_graph(Bytes input) {
  const MemoryFile file(text_of(input));
  read_or_refuse([&] {
    formats::GraphFile graph(file.path(), max_bytes);
    check_scan(*graph.build(graph.scans().empty() ? "scan" : graph.scans().front()));
  });
}

void fuzz_edge_list(Bytes input) {
  read_or_refuse([&] {
    for (auto& [scan, graph] : formats::read_edge_list("edges.csv", text_of(input))) {
      check_scan(*std::move(graph).build(scan));
    }
  });
}

// Touchdown's two files: nodes.txt, an empty line, links.txt.
void fuzz_street_graph(Bytes input) {
  const std::string_view text = text_of(input);
  const std::size_t end = std::min(text.find("\n\n"), text.size());
  const formats::StreetFile nodes{"nodes.txt", std::string(text.substr(0, end))};
  const formats::StreetFile links{"links.txt", std::string(text.substr(end))};
  read_or_refuse([&] {
    const auto scan = formats::read_street_graph(nodes, links, "scan");
    check_scan(*scan);
    const auto by_heading = formats::read_heading_links(nodes, links, "scan");
    require(by_heading->scan.size() == scan->size(), "a viewpoint is lost");
    for (Node n = 0; n < scan->size(); ++n) {
      require(by_heading->headings[n] >= by_heading->scan.neighbours(n).size(),
              "a link has no heading");
      for (const Node to : by_heading->scan.neighbours(n)) {
        require(scan->adjacent(n, to), "a link leads elsewhere");
      }
    }
  });
}

}  // namespace warpath::fuzz
