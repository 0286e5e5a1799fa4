#include "host/files/evaluation/pack.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <memory>

#include "host/core/base/large_pages.hpp"
#include "host/core/base/progress.hpp"
#include "host/files/evaluation/item_rows.hpp"

namespace warpath::evaluation {

// Packs one agent's predictions.
class Packer::Packing {
 public:
  Packing(Packer& packer, const formats::Predictions& predictions, const Convention& convention,
          const formats::TaskSuccess* task_success)
      : packer_(packer),
        dataset_(packer.dataset_),
        predictions_(predictions),
        convention_(convention),
        task_success_(task_success),
        asks_for_stops_(
            dataset_.is_snapped && convention.stop == Stop::required &&
            std::ranges::any_of(predictions.positions->paths, &formats::PositionPath::has_stops)),
        reference_in_batch_(dataset_.references.size(), none),
        scan_in_batch_(dataset_.scans.size(), none),
        walked_(dataset_.scans.size()) {}

  PackedRun pack() {
    const Matching matching(dataset_, predictions_);
    out_.rows.reserve(std::max(dataset_.items.size(), predictions_.entries.size()));
    base::take_large_pages(out_.rows);
    out_.batch.queries.elements.reserve(predictions_.paths.elements.size());
    load_scans(matching);
    resolve_queries(matching);
    base::Progress progress("matching", dataset_.items.size(), "items");
    for (std::size_t i = 0; i < dataset_.items.size(); ++i) {
      if (!matching.repeats(i)) add_item(dataset_.items[i], matching.entries_of(i));
      progress.add();
    }
    add_unknown(matching, predictions_, out_.rows);
    return std::move(out_);
  }

 private:
  // A query as indices into its scan.
  struct Query {
    std::size_t first = 0, size = 0;  // among nodes_
    bool is_known = false;            // the scan has all of its viewpoints
    bool has_jump = false;
  };

  // Loads the scans of all pairs, since resolve_queries() reads them from several threads.
  void load_scans(const Matching& matching) {
    std::vector<std::uint32_t> scans;  // in the order of the pairs
    std::vector<bool> is_listed(dataset_.scans.size());
    for (std::size_t i = 0; i < dataset_.items.size(); ++i) {
      const formats::Item& item = dataset_.items[i];
      const auto entries = matching.entries_of(i);
      if (entries.empty() || !is_scored_item(item, convention_.instructions)) continue;
      for (const std::uint32_t e : taken(entries, convention_.duplicates)) {
        const formats::Item& own = item_of(item, e);
        if (!has_paths(own, e) || is_listed[own.scan]) continue;
        is_listed[own.scan] = true;
        scans.push_back(own.scan);
      }
    }
    packer_.load(scans);
    for (const std::uint32_t scan : scans) walked_[scan] = walked_scan(scan);
  }

  // Returns the scan that is walked: that of links by heading has the same viewpoints.
  const Scan* walked_scan(std::uint32_t number) const {
    if (convention_.links == Links::both) return packer_.scan(number);
    const auto* links = packer_.graphs_.heading_links(dataset_.scans[number]);
    if (links != nullptr) return &links->scan;
    throw UsageError(
        fmt::format("preset {} walks links by heading (links), and scan {} has none: name "
                    "Touchdown's nodes.txt and links.txt by --graphs, or say --links both",
                    convention_.preset, dataset_.scans[number]));
  }

  bool has_paths(const formats::Item& item, std::uint32_t entry) const {
    const formats::Trajectory& trajectory = predictions_.entries[entry].trajectory;
    return !trajectory.malformed && dataset_.references.size_of(item.reference) > 0 &&
           predictions_.paths.size_of(trajectory.path) > 0;
  }

  void resolve_queries(const Matching& matching) {
    nodes_ = std::make_unique_for_overwrite<Node[]>(predictions_.paths.elements.size());
    queries_.resize(predictions_.entries.size());
    tbb::parallel_for(
        std::uint32_t{0}, static_cast<std::uint32_t>(queries_.size()), [&](std::uint32_t entry) {
          const std::uint32_t item = dataset_.is_pairs ? entry : matching.item_of(entry);
          if (item != Matching::no_item) resolve(entry, dataset_.items[item].scan);
        });
  }

  void resolve(std::uint32_t entry, std::uint32_t number) {
    const Scan* scan = walked_[number];
    if (scan == nullptr) return;
    const std::uint32_t path = predictions_.entries[entry].trajectory.path;
    Query query{predictions_.paths.offsets[path], 0, true, false};
    for (const formats::Token token : predictions_.paths[path]) {
      const Node node = packer_.node_of(token, number);
      if (node == none) return;
      Node* const end = nodes_.get() + query.first + query.size;
      const bool is_repeat = query.size > 0 && end[-1] == node;
      if (is_repeat && convention_.repeats == Repeats::collapse) continue;
      if (query.size > 0 && !is_repeat && !dataset_.is_snapped &&
          convention_.adjacency != Check::off) {
        query.has_jump |= !scan->adjacent(end[-1], node);
      }
      *end = node;
      ++query.size;
    }
    queries_[entry] = query;
  }

  void add_item(const formats::Item& item, std::span<const std::uint32_t> entries) {
    if (!is_scored_item(item, convention_.instructions))
      return void(add_row(item, Status::not_scored));
    if (entries.empty()) return void(add_row(item, Status::missing));
    const Status duplicate = entries.size() > 1 ? Status::duplicate_id : Status::ok;
    for (const std::uint32_t e : taken(entries, convention_.duplicates)) {
      add_pair(item_of(item, e), e, duplicate);
    }
  }

  // A line of a pairs file has its own reference.
  const formats::Item& item_of(const formats::Item& item, std::uint32_t entry) const {
    return dataset_.is_pairs ? dataset_.items[entry] : item;
  }

  ItemRow& add_row(const formats::Item& item, Status status) {
    return warpath::evaluation::add_row(dataset_, item, dataset_.references[item.reference].size(),
                                        status, out_.rows);
  }

  void add_pair(const formats::Item& item, std::uint32_t entry, Status noted) {
    const formats::Trajectory& trajectory = predictions_.entries[entry].trajectory;
    const auto reference = dataset_.references[item.reference];
    const auto query = predictions_.paths[trajectory.path];
    if (trajectory.malformed || lacks_stop(trajectory.path)) {
      return void(add_row(item, Status::malformed));
    }
    if (reference.empty()) refuse_reference(item, "is empty");
    if (reference.empty() || query.empty()) return void(add_row(item, Status::empty_path));

    const Query& resolved = queries_[entry];
    if (!add_reference(item) || !resolved.is_known) {
      return void(add_row(item, Status::unknown_viewpoint));
    }
    const auto [blocking, note] = check(reference.front() != query.front(), resolved.has_jump);
    if (blocking != Status::ok) return void(add_row(item, blocking));
    if (trajectory.not_finite) noted = more_severe(noted, Status::not_finite);
    noted = more_severe(noted, note);

    if (scan_in_batch_[item.scan] == none) {
      scan_in_batch_[item.scan] = static_cast<std::uint32_t>(out_.batch.scans.size());
      out_.batch.scans.push_back(walked_[item.scan]);
    }
    out_.batch.n_query_raw.push_back(static_cast<std::uint32_t>(query.size()));
    ItemRow& row = add_row(item, noted);
    row.pair = static_cast<std::uint32_t>(out_.batch.pairs.size());
    row.lacks_success = !add_task_success(task_success_, item.id, out_.batch.task_success);
    const auto nodes = std::span(nodes_.get() + resolved.first, resolved.size);
    std::vector<Node>& elements = out_.batch.queries.elements;
    elements.insert(elements.end(), nodes.begin(), nodes.end());
    out_.batch.pairs.push_back({scan_in_batch_[item.scan], reference_in_batch_[item.reference],
                                out_.batch.queries.end_path()});
    const auto number = static_cast<std::uint32_t>(&item - dataset_.items.data());
    out_.sources.push_back({.item = number, .entry = entry});
  }

  // A file that says nothing of stops is of paths that end with one.
  bool lacks_stop(std::uint32_t path) const {
    return asks_for_stops_ && !predictions_.positions->paths[path].has_stops;
  }

  // Refuses a reference that cannot be scored, which is not the agent's fault.
  void refuse_reference(const formats::Item& item, std::string_view problem) const {
    if (convention_.invalid != Invalid::error) return;
    throw InputError({dataset_.file, item.id, "reference"}, problem,
                     "repair the dataset, or say --invalid skip (leave such items out)");
  }

  // Adds a reference, once for all queries that use it.
  bool add_reference(const formats::Item& item) {
    const std::uint32_t reference = item.reference;
    if (reference_in_batch_[reference] != none) return true;
    PathSet& store = out_.batch.references;
    for (const formats::Token token : dataset_.references[reference]) {
      const Node node = packer_.node_of(token, item.scan);
      if (node == none) {
        refuse_reference(item,
                         fmt::format("names the viewpoint {}, which the graph of its scan has "
                                     "not",
                                     packer_.viewpoints_[token]));
        store.elements.resize(store.offsets.back());
        return false;
      }
      store.elements.push_back(node);
    }
    reference_in_batch_[reference] = store.end_path();
    return true;
  }

  // Checks a query. Returns a status that leaves it without a value, and one that is only
  // noted.
  std::pair<Status, Status> check(bool wrong_start, bool has_jump) const {
    Status blocking = Status::ok, note = Status::ok;
    auto report = [&](Check check, Status status) {
      if (check == Check::reject) blocking = more_severe(blocking, status);
      if (check == Check::note) note = more_severe(note, status);
    };
    if (wrong_start) report(convention_.start, Status::wrong_start);
    if (has_jump) report(convention_.adjacency, Status::non_adjacent);
    return {blocking, note};
  }

  Packer& packer_;
  const formats::Dataset& dataset_;
  const formats::Predictions& predictions_;
  const Convention& convention_;
  const formats::TaskSuccess* task_success_;
  const bool asks_for_stops_;                      // of snapped paths
  std::vector<std::uint32_t> reference_in_batch_;  // by path of the dataset
  std::vector<std::uint32_t> scan_in_batch_;       // by scan of the dataset
  std::vector<const Scan*> walked_;                // by scan of the dataset; null: not loaded
  std::vector<Query> queries_;                     // by entry
  std::unique_ptr<Node[]> nodes_;                  // of all queries
  PackedRun out_;
};

void Packer::load(std::span<const std::uint32_t> scans) {
  std::vector<std::string> names;
  for (const std::uint32_t scan : scans) names.push_back(dataset_.scans[scan]);
  graphs_.read_ahead(names);
  for (const std::uint32_t scan : scans) load(scan);
}

void Packer::load(std::uint32_t scan) {
  if (scans_[scan] != nullptr) return;
  scans_[scan] = &graphs_.scan(dataset_.scans[scan]);
  for (Node n = 0; n < scans_[scan]->size(); ++n) {
    const formats::Token token = viewpoints_.intern(scans_[scan]->viewpoint(n));
    if (token >= homes_.size()) homes_.resize(viewpoints_.size());
    if (homes_[token].scan == none)
      homes_[token] = {scan, n};
    else
      others_.emplace(key_of(scan, token), n);
  }
}

Node Packer::node_of(formats::Token viewpoint, std::uint32_t scan) const {
  if (viewpoint >= homes_.size()) return none;
  const Home& home = homes_[viewpoint];
  if (home.scan == scan) return home.node;
  if (home.scan == none) return none;
  const auto other = others_.find(key_of(scan, viewpoint));
  return other == others_.end() ? none : other->second;
}

const Scan& Packer::scan_of(std::uint32_t scan) {
  load(scan);
  return *scans_[scan];
}

std::vector<Node> Packer::reference_of(const formats::Item& item) {
  load(item.scan);
  const InputError::Where where{dataset_.file, item.id, "reference"};
  std::vector<Node> nodes;
  for (const formats::Token token : dataset_.references[item.reference]) {
    nodes.push_back(node_of(token, item.scan));
    if (nodes.back() != none) continue;
    throw InputError(where,
                     fmt::format("names the viewpoint {}, which the graph of its scan has not",
                                 viewpoints_[token]),
                     "repair the dataset");
  }
  if (nodes.empty()) throw InputError(where, "is empty", "repair the dataset");
  return nodes;
}

PackedRun Packer::pack(const formats::Predictions& predictions, const Convention& convention,
                       const formats::TaskSuccess* task_success) {
  return Packing(*this, predictions, convention, task_success).pack();
}

}  // namespace warpath::evaluation
