#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <atomic>

#include "host/core/reference/batch.hpp"
#include "host/core/reference/measures.hpp"

namespace warpath::reference {
namespace {

// Distances that a pair needs from one viewpoint: to[k] = d(source, targets[k]), or d(targets[k],
// source) along the edges turned around.
struct Request {
  Node source;
  bool is_reversed;
  std::span<const Node> targets;
  double* to;
};

// Says where one pair's distances lie: d(q_j, r_i) by i and then j, the steps of the reference, the
// steps of the query, and the distance from goal to start.
struct Layout {
  std::size_t reference, query;  // viewpoints

  std::size_t reference_steps() const { return reference * query; }
  std::size_t query_steps() const { return reference_steps() + reference - 1; }
  std::size_t start_to_goal() const { return query_steps() + query - 1; }
  std::size_t size() const { return start_to_goal() + 1; }
  std::size_t bytes() const {
    return size() * sizeof(double) + (2 * reference + query) * sizeof(Request);
  }
};

// Scores pairs whose distances are kept at the same time.
class Chunk {
 public:
  Chunk(std::span<const std::uint32_t> rows, const Distances& distances, BatchWriter& writer)
      : rows_(rows),
        graph_(distances.graph()),
        reversed_(distances.reversed_graph()),
        is_directed_(distances.scan().is_directed()),
        writer_(writer) {
    std::size_t size = 0;
    for (const std::uint32_t row : rows) {
      first_.push_back(size);
      size += layout(row).size();
    }
    distance_.resize(size);
  }

  void score() {
    search();
    tbb::enumerable_thread_specific<Workspace> workspaces;
    tbb::parallel_for(std::size_t{0}, rows_.size(),
                      [&](std::size_t k) { measure_pair(k, workspaces.local()); });
  }

 private:
  Layout layout(std::uint32_t row) const {
    return {writer_.reference(row).size(), writer_.query(row).size()};
  }

  void ask(std::size_t k) {
    const auto reference = writer_.reference(rows_[k]), query = writer_.query(rows_[k]);
    const Layout at = layout(rows_[k]);
    double* const distance = distance_.data() + first_[k];
    for (std::size_t i = 0; i < reference.size(); ++i) {
      requests_.push_back({reference[i], is_directed_, query, distance + i * query.size()});
    }
    const auto ask_steps = [&](std::span<const Node> path, double* to) {
      for (std::size_t i = 1; i < path.size(); ++i) {
        requests_.push_back({path[i - 1], false, path.subspan(i, 1), to++});
      }
    };
    ask_steps(reference, distance + at.reference_steps());
    ask_steps(query, distance + at.query_steps());
    requests_.push_back(
        {reference.back(), is_directed_, reference.first(1), distance + at.start_to_goal()});
  }

  // Runs one search from each viewpoint, for all that is needed from it.
  void search() {
    for (std::size_t k = 0; k < rows_.size(); ++k) ask(k);
    const auto search_of = [](const Request& r) { return std::pair(r.source, r.is_reversed); };
    tbb::parallel_sort(
        requests_, [&](const Request& a, const Request& b) { return search_of(a) < search_of(b); });
    std::vector<std::size_t> starts;  // of requests of the same search
    for (std::size_t k = 0; k < requests_.size(); ++k) {
      if (k == 0 || search_of(requests_[k]) != search_of(requests_[k - 1])) starts.push_back(k);
    }
    starts.push_back(requests_.size());
    struct Searcher {
      graph::Search search;
      std::vector<Node> targets;
    };
    tbb::enumerable_thread_specific<Searcher> searchers;
    const std::size_t sources = starts.size() - 1;
    std::atomic<std::size_t> searched = 0;
    tbb::parallel_for(std::size_t{0}, sources, [&](std::size_t k) {
      auto& [search, targets] = searchers.local();
      answer({requests_.data() + starts[k], requests_.data() + starts[k + 1]}, search, targets);
      // Searches take nearly all of the time, so progress is counted here.
      const std::size_t before = searched++;
      writer_.count_done((before + 1) * rows_.size() / sources - before * rows_.size() / sources);
    });
  }

  void answer(std::span<const Request> requests, graph::Search& search,
              std::vector<Node>& targets) const {
    targets.clear();
    for (const Request& r : requests) {
      targets.insert(targets.end(), r.targets.begin(), r.targets.end());
    }
    const Request& first = requests.front();
    search.to(first.is_reversed ? reversed_ : graph_, first.source, targets);
    for (const Request& r : requests) {
      for (std::size_t k = 0; k < r.targets.size(); ++k) r.to[k] = search[r.targets[k]];
    }
  }

  void measure_pair(std::size_t k, Workspace& w) const {
    const std::uint32_t row = rows_[k];
    const auto reference = writer_.reference(row), query = writer_.query(row);
    const Layout at = layout(row);
    const double* const distance = distance_.data() + first_[k];
    w.rows.clear();
    for (std::size_t i = 0; i < at.reference; ++i) w.rows.push_back(distance + i * at.query);
    while (w.columns.size() < at.query) w.columns.push_back(static_cast<Node>(w.columns.size()));
    const PairDistances distances{w.rows,
                                  w.columns,
                                  {distance + at.reference_steps(), at.reference - 1},
                                  {distance + at.query_steps(), at.query - 1},
                                  distance[at.start_to_goal()]};
    writer_.write(row, measure(distances, graph_, reference, query, writer_.convention(), w));
  }

  const std::span<const std::uint32_t> rows_;
  const graph::WeightedGraph &graph_, &reversed_;
  const bool is_directed_;
  BatchWriter& writer_;
  std::vector<std::size_t> first_;  // by pair: where its distances begin
  std::vector<double> distance_;
  std::vector<Request> requests_;
};

}  // namespace

void score_by_search(std::span<const std::uint32_t> rows, const Distances& distances,
                     std::size_t max_bytes, BatchWriter& writer) {
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    for (std::size_t bytes = 0; end < rows.size(); ++end) {
      bytes += Layout{writer.reference(rows[end]).size(), writer.query(rows[end]).size()}.bytes();
      if (bytes > max_bytes && end > begin) break;
    }
    Chunk(rows.subspan(begin, end - begin), distances, writer).score();
  }
}

}  // namespace warpath::reference
