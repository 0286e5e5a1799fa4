#include "tests/fuzz/random_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "host/files/evaluation/target_scores.hpp"

namespace warpath::fuzz {
namespace {

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : rest_(bytes) {}

  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t value = rest_.front();
    rest_ = rest_.subspan(1);
    return value;
  }
  /// 0 … n - 1. @pre 0 < n <= 256
  std::size_t below(std::size_t n) { return byte() % n; }
  /// One of a list.
  template <class List>
  auto one_of(const List& list) {
    return list[below(std::size(list))];
  }

 private:
  Bytes rest_;
};

// ---------------------------------------------------------------- conventions

std::vector<std::string_view> words_of_setting(const Setting& setting) {
  if (setting.values == "NUMBER")
    return {"3", "0.25", "1", "2.5", "20", "0.7071067811865476", "1e-3"};
  std::vector<std::string_view> words;
  for (std::string_view rest = setting.values; !rest.empty();) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    words.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return words;
}

// A preset with up to five settings changed, without what only datasets have.
Convention read_convention(ByteReader& bytes) {
  Convention convention = bytes.one_of(presets()).convention;
  for (std::size_t k = bytes.below(6); k > 0; --k) {
    const Setting& setting = settings()[bytes.below(settings().size())];
    setting.set(convention, bytes.one_of(words_of_setting(setting)));
  }
  convention.dtw_build = FastDtw::pure;
  convention.links = Links::both;
  convention.edit = Edit::levenshtein;
  return evaluation::for_scorers(convention);
}

MetricSet read_metrics(ByteReader& bytes) {
  MetricSet metrics;
  for (std::size_t k = bytes.below(5); k > 0; --k) {
    metrics.insert(static_cast<Metric>(bytes.below(path_metric_count)));
  }
  return metrics.empty() ? MetricSet::of_paths() : metrics;
}

// ---------------------------------------------------------------- scans

// Coordinates are multiples of a step, so that viewpoints coincide and distances meet thresholds.
std::array<double, 3> read_position(ByteReader& bytes, double step) {
  std::array<double, 3> position{};
  const std::uint8_t plan = bytes.byte(), height = bytes.byte();
  position[0] = step * (plan & 15);
  position[1] = step * (plan >> 4);
  position[2] = step * (height & 3);
  return position;
}

std::optional<double> read_weight(ByteReader& bytes) {
  constexpr double weights[] = {0.0, 0.25, 0.1, 1.0, 2.5, 3.0, 1e-3, 300.0};
  const std::size_t kind = bytes.below(16);
  if (kind >= std::size(weights)) return std::nullopt;
  return weights[kind];
}

// One viewpoint in eight is not joined with an earlier one; then come a few more edges.
std::vector<Edge> read_edges(ByteReader& bytes, std::size_t viewpoints, bool has_weights) {
  std::vector<Edge> edges;
  std::set<std::pair<Node, Node>> known;
  const auto add = [&](std::size_t a, std::size_t b) {
    const auto from = static_cast<Node>(std::min(a, b)), to = static_cast<Node>(std::max(a, b));
    if (from == to || !known.emplace(from, to).second) return;
    edges.push_back({from, to, has_weights ? read_weight(bytes) : std::nullopt});
  };
  for (std::size_t n = 1; n < viewpoints; ++n) {
    const std::uint8_t choice = bytes.byte();
    if (choice % 8 != 7) add(n, choice / 8 % n);
  }
  for (std::size_t k = bytes.below(viewpoints); k > 0; --k) {
    add(bytes.below(viewpoints), bytes.below(viewpoints));
  }
  return edges;
}

Scan read_scan(ByteReader& bytes, std::string id) {
  constexpr double steps[] = {0.25, 1.0, 0.1, 5.0, 1e-3, 0.0, 300.0};
  const std::size_t viewpoints = 1 + bytes.below(24);
  const double step = bytes.one_of(steps);
  const bool has_weights = bytes.below(2) == 1;
  std::vector<std::string> names;
  std::vector<std::array<double, 3>> positions;
  for (std::size_t n = 0; n < viewpoints; ++n) {
    names.push_back(fmt::format("{}{}", id, n));
    positions.push_back(read_position(bytes, step));
  }
  const std::vector<Edge> edges = read_edges(bytes, viewpoints, has_weights);
  return Scan(std::move(id), std::move(names), std::move(positions), edges);
}

// ---------------------------------------------------------------- paths

// A walk along edges with a jump or a repeat here and there; up to 18 viewpoints, seldom up to 80.
std::uint32_t read_path(ByteReader& bytes, const Scan& scan, Node start, PathSet& paths) {
  const std::size_t choice = bytes.below(256);
  const std::size_t size = 1 + (choice < 252 ? choice % 18 : 20 * (choice - 251) - 1);
  Node node = start;
  for (std::size_t k = 0; k < size; ++k) {
    paths.elements.push_back(node);
    const std::uint8_t move = bytes.byte();
    const auto next = scan.neighbours(node);
    if (move % 16 == 15)
      node = static_cast<Node>(move / 16 * scan.size() / 16);
    else if (move % 16 != 14 && !next.empty())
      node = next[move % next.size()];
  }
  return paths.end_path();
}

double read_success(ByteReader& bytes) {
  constexpr double values[] = {0.0, 1.0, 0.5, std::numeric_limits<double>::quiet_NaN()};
  return bytes.one_of(values);
}

void read_pairs(ByteReader& bytes, PairBatch& batch) {
  const bool has_success = bytes.below(2) == 1, has_raw = bytes.below(2) == 1;
  for (std::size_t k = 1 + bytes.below(12); k > 0; --k) {
    const std::uint8_t choice = bytes.byte();
    const auto scan = static_cast<std::uint32_t>(choice % batch.scans.size());
    const Scan& graph = *batch.scans[scan];
    const bool is_shared = choice >= 128 && !batch.pairs.empty() && batch.pairs.back().scan == scan;
    const auto reference =
        is_shared ? batch.pairs.back().reference
                  : read_path(bytes, graph, static_cast<Node>(bytes.below(graph.size())),
                              batch.references);
    const Node start = choice % 16 == 15 ? static_cast<Node>(bytes.below(graph.size()))
                                         : batch.references[reference].front();
    batch.pairs.push_back({scan, reference, read_path(bytes, graph, start, batch.queries)});
    if (has_success) batch.task_success.push_back(read_success(bytes));
    if (has_raw) batch.n_query_raw.push_back(bytes.byte());
  }
}

}  // namespace

RandomCase::RandomCase(Bytes input) {
  ByteReader bytes(input);
  convention = read_convention(bytes);
  metrics = read_metrics(bytes);
  const std::size_t count = 1 + bytes.below(3);
  for (std::size_t s = 0; s < count; ++s) {
    scans.push_back(read_scan(bytes, std::string(1, static_cast<char>('a' + s))));
  }
  for (const Scan& scan : scans) batch.scans.push_back(&scan);
  read_pairs(bytes, batch);
}

std::string RandomCase::text() const {
  std::string text = "convention:";
  for (const Setting& s : settings()) text += fmt::format(" {}={}", s.name, s.get(convention));
  for (const Scan& scan : scans) {
    text += fmt::format("\nscan {}, positions {}\nedges:", scan.id(), scan.positions());
    const std::vector<double> lengths = scan.edge_lengths(convention.distance);
    for (Node n = 0; n < scan.size(); ++n) {
      for (std::size_t k = 0; k < scan.neighbours(n).size(); ++k) {
        text += fmt::format(" {}-{}:{}", n, scan.neighbours(n)[k], lengths[scan.first_edge(n) + k]);
      }
    }
  }
  for (std::size_t k = 0; k < batch.pairs.size(); ++k) {
    const Pair& pair = batch.pairs[k];
    text += fmt::format("\npair {} on {}: reference {}, query {}", k, scans[pair.scan].id(),
                        batch.references[pair.reference], batch.queries[pair.query]);
  }
  return text;
}

}  // namespace warpath::fuzz
