#include "host/files/evaluation/tour_scores.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <deque>
#include <limits>
#include <unordered_set>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/definitions/presets.hpp"
#include "host/core/graph/euclid.hpp"
#include "host/core/reference/kept_rows.hpp"
#include "host/files/evaluation/item_summary.hpp"
#include "host/files/evaluation/tour_alignment.hpp"
#include "host/files/formats/item_finder.hpp"
#include "warpath/distances.hpp"

namespace warpath::evaluation {
namespace {

constexpr double no_score = std::numeric_limits<double>::quiet_NaN();
constexpr MetricSet of_alignment{Metric::tour_nDTW, Metric::tour_SDTW};
constexpr MetricSet of_success{Metric::tour_SR, Metric::tour_SPL};

// An episode of a tour with its row, if it counts.
struct TourEpisode {
  std::uint32_t item, row;
  bool is_start_alone;  // in the place of its prediction
};

// Finds the episodes that count, and sums their values up.
class TourTable {
 public:
  TourTable(const Inputs& inputs, const Convention& convention, const MetricSet& metrics,
            AgentResult& run)
      : inputs_(inputs), convention_(convention), metrics_(metrics), run_(run) {
    find_rows();
    const formats::Dataset& dataset = inputs.dataset;
    episodes_.reserve(dataset.tours->tours.size());
    run.tours.reserve(dataset.tours->tours.size());
    for (const formats::Tour& tour : dataset.tours->tours) add(tour);
    weigh();
  }

  std::size_t size() const { return episodes_.size(); }
  std::span<const TourEpisode> episodes(std::size_t t) const { return episodes_[t]; }
  TourRow& row(std::size_t t) const { return run_.tours[t]; }
  const ItemRow& row_of(const TourEpisode& episode) const { return run_.rows[episode.row]; }

  // Returns an episode's score; 0 where it has none.
  double score(const TourEpisode& episode, Metric metric) const {
    if (episode.is_start_alone) return 0.0;
    const double value = run_.scores.at(metric, *row_of(episode).pair);
    return std::isnan(value) ? 0.0 : value;
  }

  // Writes a tour's values. @param shortest from each episode's start to its goal; empty: not known
  void finish(std::size_t t, std::span<const double> shortest) const {
    TourRow& tour = row(t);
    const double norm = definitions::ndtw_threshold(convention_) * static_cast<double>(tour.n_ref);
    // Where there is none, and nobody asked for it or the convention says 0.
    const double none = convention_.infeasible == Infeasible::zero ? 0.0 : no_score;
    tour.values[Metric::tour_nDTW] = std::isfinite(tour.dtw) ? std::exp(-tour.dtw / norm) : none;
    if (shortest.empty()) return;
    double weights = 0.0, successes = 0.0, sr = 0.0, spl = 0.0;
    for (std::size_t k = 0; k < episodes_[t].size(); ++k) {
      const TourEpisode& episode = episodes_[t][k];
      const double walked = score(episode, Metric::PL);
      const double weight = walked == 0.0 ? 1.0 : std::max(shortest[k], walked) / shortest[k];
      weights += weight;
      successes += score(episode, Metric::SR);
      sr += weight * score(episode, Metric::SR);
      spl += weight * score(episode, Metric::SPL);
    }
    const bool has_weights = std::isfinite(weights);
    tour.values[Metric::tour_SR] = has_weights ? sr / weights : none;
    tour.values[Metric::tour_SPL] = has_weights ? spl / weights : none;
    tour.values[Metric::tour_SDTW] = tour.values[Metric::tour_nDTW] * successes / tour.episodes;
  }

  // Refuses what has no value, unless `infeasible` makes it 0.
  template <class SizesOf>
  void refuse_infeasible(const SizesOf& sizes_of) const {
    if (convention_.infeasible == Infeasible::zero || !metrics_.contains_any(of_alignment)) return;
    for (std::size_t t = 0; t < size(); ++t) {
      for (std::size_t k = 0; k < episodes_[t].size(); ++k) {
        const auto [query, reference] = sizes_of(t, k);
        if (has_alignment(query, reference, held_ends(t, k))) continue;
        refuse(
            t, episodes_[t][k],
            fmt::format("has {} entries, and a reference of {} whose ends they may not share: no "
                        "alignment",
                        query, reference),
            "lengthen its reference, or say --infeasible zero (the tour's nDTW is 0) or --window "
            "free");
      }
    }
  }

  // Refuses an alignment over viewpoints that no way joins, unless `infeasible` makes it 0.
  void refuse_unaligned(std::size_t t) const {
    if (convention_.infeasible == Infeasible::zero || !metrics_.contains_any(of_alignment)) return;
    if (std::isfinite(row(t).dtw)) return;
    refuse(t, episodes_[t].front(),
           "begins a tour with viewpoints that no way joins: no alignment has a finite cost",
           "say --infeasible zero (the tour's nDTW is 0), or --missing skip --invalid skip");
  }

  // Refuses t-SPL where an episode has no SPL, unless `invalid` makes it 0.
  void refuse_without_spl(std::size_t t) const {
    if (convention_.invalid == Invalid::zero || !metrics_.contains(Metric::tour_SPL)) return;
    for (const TourEpisode& episode : episodes_[t]) {
      if (episode.is_start_alone) continue;
      if (!std::isnan(run_.scores.at(Metric::SPL, *row_of(episode).pair))) continue;
      refuse(t, episode, "has no SPL (0/0), which t-SPL needs",
             "say --spl-zero success or --invalid zero, or leave t-SPL out of --metrics");
    }
  }

  void refuse_unweighable(std::size_t t, std::span<const double> shortest) const {
    if (convention_.infeasible == Infeasible::zero || !metrics_.contains_any(of_success)) return;
    for (std::size_t k = 0; k < shortest.size(); ++k) {
      const bool has_weight = shortest[k] > 0.0 && std::isfinite(shortest[k]);
      if (has_weight || score(episodes_[t][k], Metric::PL) == 0.0) continue;
      refuse(t, episodes_[t][k],
             shortest[k] == 0.0
                 ? "starts at its goal and moves, so its weight in t-SR and t-SPL is divided by 0"
                 : "has no way from its start to its goal, so no weight in t-SR and t-SPL",
             "say --infeasible zero (both are 0 for the tour) or --metrics t-nDTW,SR,SPL (others)");
    }
  }

  HeldEnds held_ends(std::size_t t, std::size_t k) const {
    if (convention_.window == Window::free) return {};
    return {.first = k > 0, .last = k + 1 < episodes_[t].size()};
  }

  // Gives rows and pairs the values of their tours.
  void spread() const {
    const MetricSet metrics = tour_metrics(inputs_);
    for (const Metric m : metrics) run_.scores.column[m].assign(run_.scores.size(), no_score);
    for (const ItemRow& row : run_.rows) {
      if (!row.pair || !row.counts_in_tour) continue;
      const TourRow& tour = run_.tours[*row.tour];
      for (const Metric m : metrics) run_.scores.at(m, *row.pair) = tour.values[m];
    }
    std::erase_if(run_.rows, [](const ItemRow& row) {
      return row.in_dataset && !row.tour && row.status == Status::missing;
    });
  }

 private:
  // Finds the first row of each item; equal ids share it.
  void find_rows() {
    const formats::ItemFinder items(inputs_.dataset);
    const auto count = static_cast<std::uint32_t>(inputs_.dataset.items.size());
    row_of_.assign(count, formats::IdTable::none);
    std::uint32_t next = 0;
    for (std::uint32_t r = 0; r < run_.rows.size(); ++r) {
      const ItemRow& row = run_.rows[r];
      if (!row.in_dataset) continue;
      std::uint32_t& first = row_of_[items.find_next(row.instr_id, next)];
      if (first == formats::IdTable::none)
        first = r;
      else
        repeated_.insert(row.instr_id);
    }
    if (items.are_different()) return;
    for (std::uint32_t i = 0; i < count; ++i) row_of_[i] = row_of_[items.find(items(i))];
  }

  void add(const formats::Tour& tour) {
    const auto number = static_cast<std::uint32_t>(run_.tours.size());
    TourRow& out = run_.tours.emplace_back();
    std::ranges::fill(out.values, no_score);
    out.name = tour.name;
    const formats::Dataset& dataset = inputs_.dataset;
    out.scan = dataset.scans[dataset.items[tour.items.front()].scan];
    std::vector<TourEpisode>& episodes = episodes_.emplace_back();
    episodes.reserve(tour.items.size());
    for (const std::uint32_t item : tour.items) {
      const std::uint32_t number_of_row = row_of_[item];
      if (number_of_row == formats::IdTable::none) continue;
      ItemRow& row = run_.rows[number_of_row];
      if (row.status == Status::not_scored) continue;
      row.tour = number;
      const TourEpisode episode{item, number_of_row, !is_scored(row)};
      if (!repeated_.empty() && repeated_.contains(row.instr_id)) {
        refuse(number, episode, "has several predictions, and a tour takes one of each episode",
               "say --duplicates first or last");
      }
      if (!is_taken(episode, number)) continue;
      row.counts_in_tour = convention_.tour_weight == TourWeight::episodes || !episodes.empty();
      episodes.push_back(episode);
    }
    out.episodes = static_cast<std::uint32_t>(episodes.size());
    if (episodes.empty()) out.dtw = no_score;
  }

  // Tells whether a row has a value.
  bool is_scored(const ItemRow& row) const {
    return row.pair && run_.scores.status[*row.pair] != Status::unreachable;
  }

  bool is_taken(const TourEpisode& episode, std::uint32_t tour) const {
    if (!episode.is_start_alone) return true;
    const Status status = run_.rows[episode.row].status;
    if (status == Status::other_ending) return true;
    if (status != Status::missing) {
      return convention_.invalid == Invalid::zero;  // otherwise it is left out, or refused later
    }
    if (convention_.missing == Missing::error) {
      refuse(tour, episode, "has no prediction",
             "predict every episode of a tour, or say --missing zero (its start alone is its path) "
             "or --missing skip (its tour goes on without it)");
    }
    return convention_.missing == Missing::zero;
  }

  void weigh() {
    const bool by_changes = convention_.tour_weight == TourWeight::changes;
    const auto share = [&](const TourRow& tour) {
      return tour.episodes - (by_changes && tour.episodes > 0 ? 1.0 : 0.0);
    };
    double all = 0.0;
    for (const TourRow& tour : run_.tours) all += share(tour);
    if (all == 0.0 && by_changes && metrics_.contains_any(of_alignment | of_success)) {
      throw InputError(
          {inputs_.dataset.tours->file},
          "no tour has two episodes that count, and the weights of tour-weight changes "
          "are divided by their changes",
          "say --tour-weight episodes or --missing zero");
    }
    for (TourRow& tour : run_.tours) tour.weight = all > 0.0 ? share(tour) / all : 0.0;
  }

  [[noreturn]] void refuse(std::size_t t, const TourEpisode& episode, std::string_view problem,
                           std::string_view remedy) const {
    const formats::Tours& tours = *inputs_.dataset.tours;
    throw InputError(
        {run_.file, inputs_.dataset.items[episode.item].id,
         fmt::format("tour {} of {}, split {}", tours.tours[t].name, tours.file, tours.split)},
        problem, remedy);
  }

  const Inputs& inputs_;
  const Convention& convention_;
  const MetricSet metrics_;
  AgentResult& run_;
  std::vector<std::uint32_t> row_of_;               // by item; IdTable::none: it has none
  std::unordered_set<std::string_view> repeated_;   // ids that have several rows
  std::vector<std::vector<TourEpisode>> episodes_;  // by tour: those that count
};

// Holds the two paths of an episode.
template <class Element>
struct EpisodePaths {
  std::span<const Element> query, reference;
};

template <class Element>
using PathsOfTours = std::vector<std::vector<EpisodePaths<Element>>>;

// Gathers the paths of all episodes that count.
// @param reference_of returns the reference of an episode
template <class Element, class Batch, class ReferenceOf>
PathsOfTours<Element> gather(const TourTable& table, const Batch& batch,
                             const ReferenceOf& reference_of) {
  PathsOfTours<Element> paths(table.size());
  for (std::size_t t = 0; t < table.size(); ++t) {
    paths[t].reserve(table.episodes(t).size());
    for (const TourEpisode& episode : table.episodes(t)) {
      const std::span<const Element> reference = reference_of(episode);
      std::span<const Element> query = reference.first(1);
      if (!episode.is_start_alone) {
        query = batch.queries[batch.pairs[*table.row_of(episode).pair].query];
      }
      paths[t].push_back({query, reference});
      table.row(t).n_query += query.size();
      table.row(t).n_ref += reference.size();
    }
  }
  table.refuse_infeasible([&](std::size_t t, std::size_t k) {
    return std::pair(paths[t][k].query.size(), paths[t][k].reference.size());
  });
  return paths;
}

// Returns the cost of a tour's best alignment.
template <class Element, class DistancesTo>
double tour_cost(const TourTable& table, std::size_t t, Window window,
                 std::span<const EpisodePaths<Element>> episodes, const DistancesTo& distances_to) {
  if (window == Window::free) {
    std::vector<Element> query, reference;
    for (const auto& episode : episodes) {
      query.insert(query.end(), episode.query.begin(), episode.query.end());
      reference.insert(reference.end(), episode.reference.begin(), episode.reference.end());
    }
    return alignment_cost(std::span<const Element>(query), std::span<const Element>(reference), {},
                          distances_to);
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < episodes.size(); ++k) {
    sum += alignment_cost(episodes[k].query, episodes[k].reference, table.held_ends(t, k),
                          distances_to);
  }
  return sum;
}

// Scores tours over viewpoints, scan by scan.
class NodeTours {
 public:
  NodeTours(const TourTable& table, const Convention& convention, const PathsOfTours<Node>& paths)
      : table_(table), convention_(convention), paths_(paths), shortest_(table.size()) {}

  // @param graphs keeps the rows of distances of its small scans
  void score(const Scan& scan, std::span<const std::uint32_t> tours, const GraphStore& graphs) {
    using reference::KeptRows;
    if (const auto kept = KeptRows::of(graphs).get(graphs, scan, convention_.distance)) {
      std::size_t count = 0;
      kept->make({}, targets_of(tours, scan, count));
      return align(tours, kept->read());
    }
    Distances distances(scan, convention_.distance);
    while (!tours.empty()) {
      std::size_t count = 0;
      distances.make_rows_to(targets_of(tours, scan, count));
      align(tours.first(count), distances);
      distances.clear();
      tours = tours.subspan(count);
    }
  }

  void finish() const {
    for (std::size_t t = 0; t < table_.size(); ++t) {
      if (paths_[t].empty()) continue;
      table_.refuse_unaligned(t);
      table_.refuse_unweighable(t, shortest_[t]);
      table_.refuse_without_spl(t);
      table_.finish(t, shortest_[t]);
    }
  }

 private:
  // Returns the viewpoints of the references of the first tours, as many as have room for rows.
  // @param count is set to the number of these tours
  std::vector<Node> targets_of(std::span<const std::uint32_t> tours, const Scan& scan,
                               std::size_t& count) const {
    constexpr std::size_t max_bytes = std::size_t{256} << 20;
    const std::size_t row_bytes = scan.size() * sizeof(double);
    std::vector<Node> targets;
    std::vector<bool> is_target(scan.size());
    for (count = 0; count < tours.size() && targets.size() * row_bytes <= max_bytes; ++count) {
      for (const auto& episode : paths_[tours[count]]) {
        for (const Node node : episode.reference) {
          if (!is_target[node]) targets.push_back(node);
          is_target[node] = true;
        }
      }
    }
    return targets;
  }

  void align(std::span<const std::uint32_t> tours, Distances& distances) {
    tbb::parallel_for(std::size_t{0}, tours.size(),
                      [&](std::size_t k) { align(tours[k], distances); });
  }

  void align(std::size_t t, Distances& distances) {
    const auto& episodes = paths_[t];
    table_.row(t).dtw = tour_cost(table_, t, convention_.window, std::span(episodes), [&](Node to) {
      return [row = distances.row_to(to).data()](Node from) { return row[from]; };
    });
    shortest_[t].reserve(episodes.size());
    for (const auto& [query, reference] : episodes) {
      shortest_[t].push_back(distances.row_to(reference.back())[reference.front()]);
    }
  }

  const TourTable& table_;
  const Convention& convention_;
  const PathsOfTours<Node>& paths_;
  std::vector<std::vector<double>> shortest_;  // from start to goal, by tour and episode
};

// Without any pair there is nothing to score, which others refuse.
bool have_tours(const Inputs& inputs, const AgentResult& run) {
  return inputs.dataset.tours &&
         std::ranges::any_of(run.rows, [](const ItemRow& row) { return row.pair.has_value(); });
}

}  // namespace

MetricSet tour_metrics(const Inputs& inputs) {
  if (!inputs.dataset.tours) return {};
  if (inputs.dataset.has_positions()) return {Metric::tour_nDTW};
  return of_alignment | of_success;
}

void check_tours(const Inputs& inputs, const Convention& convention) {
  if (inputs.dataset.tours || !definitions::find_preset_use(convention.preset).is_of_tours) return;
  throw UsageError(
      fmt::format("preset {} scores tours: name them by --tours FILE, or the ground truth of "
                  "IVLN-CE, which has "
                  "them, by --ground-truth alone",
                  convention.preset));
}

void score_tours(const Inputs& inputs, Packer& packer, const PairBatch& batch,
                 const Convention& convention, const MetricSet& metrics, AgentResult& run) {
  if (!have_tours(inputs, run)) return;
  const formats::Dataset& dataset = inputs.dataset;
  const TourTable table(inputs, convention, metrics, run);
  std::deque<std::vector<Node>> made;  // references of episodes that have no pair
  const auto paths = gather<Node>(table, batch, [&](const TourEpisode& episode) {
    const auto& pair = table.row_of(episode).pair;
    if (pair) return std::span<const Node>(batch.references[batch.pairs[*pair].reference]);
    made.push_back(packer.reference_of(dataset.items[episode.item]));
    return std::span<const Node>(made.back());
  });
  std::vector<std::vector<std::uint32_t>> by_scan(dataset.scans.size());
  for (std::uint32_t t = 0; t < table.size(); ++t) {
    if (table.episodes(t).empty()) continue;
    by_scan[dataset.items[table.episodes(t).front().item].scan].push_back(t);
  }
  NodeTours tours(table, convention, paths);
  for (std::uint32_t scan = 0; scan < by_scan.size(); ++scan) {
    if (!by_scan[scan].empty())
      tours.score(packer.scan_of(scan), by_scan[scan], *inputs.graphs.store());
  }
  tours.finish();
  table.spread();
}

void score_tours(const Inputs& inputs, const PointBatch& batch, const Convention& convention,
                 const MetricSet& metrics, AgentResult& run) {
  if (!have_tours(inputs, run)) return;
  using Point = std::array<double, 3>;
  const TourTable table(inputs, convention, metrics, run);
  std::deque<std::vector<Point>> made;
  const auto paths = gather<Point>(table, batch, [&](const TourEpisode& episode) {
    std::vector<Point>& reference = made.emplace_back();
    const formats::EpisodeData& episodes = *inputs.dataset.episodes;
    if (episodes.references[episode.item].empty()) {
      throw InputError(
          {inputs.dataset.file, inputs.dataset.items[episode.item].id, "reference_path"},
          "is missing or empty, and a tour needs it",
          "name the references by --ground-truth, or say --missing skip --invalid skip");
    }
    for (const Point& point : episodes.references[episode.item])
      reference.push_back(placed(point, convention.distance, episodes));
    return std::span<const Point>(reference);
  });
  const graph::Euclid euclid(convention.distance);
  tbb::parallel_for(std::size_t{0}, table.size(), [&](std::size_t t) {
    if (paths[t].empty()) return;
    table.row(t).dtw = tour_cost(
        table, t, convention.window, std::span(paths[t]),
        [&](const Point& to) { return [&](const Point& from) { return euclid(from, to); }; });
    table.finish(t, {});
  });
  table.spread();
}

}  // namespace warpath::evaluation
