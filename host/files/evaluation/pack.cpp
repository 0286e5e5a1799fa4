#include "host/files/evaluation/pack.hpp"

#include <fmt/format.h>

#include <limits>

#include "host/core/base/progress.hpp"
#include "host/files/evaluation/item_rows.hpp"

namespace warpath::evaluation {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

}  // namespace

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
        reference_in_batch_(dataset_.references.size(), none),
        scan_in_batch_(dataset_.scans.size(), none) {}

  PackedRun pack() {
    const Matching matching(dataset_, predictions_);
    base::Progress progress("matching", dataset_.items.size(), "items");
    for (std::size_t i = 0; i < dataset_.items.size(); ++i) {
      if (!matching.repeats(i)) add_item(dataset_.items[i], matching.entries_of(i));
      progress.add();
    }
    add_unknown(matching, predictions_, out_.rows);
    return std::move(out_);
  }

 private:
  void add_item(const formats::Item& item, const std::vector<std::uint32_t>& entries) {
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
    if (trajectory.malformed) return void(add_row(item, Status::malformed));
    if (reference.empty()) refuse_reference(item, "is empty");
    if (reference.empty() || query.empty()) return void(add_row(item, Status::empty_path));

    const ScanIndex& index = packer_.index(item.scan);
    if (!add_reference(item, index) || !add_query(query, index)) {
      return void(add_row(item, Status::unknown_viewpoint));
    }
    const auto [blocking, note] = check(reference.front() != query.front(), *index.scan);
    if (blocking != Status::ok) {
      drop_query();
      return void(add_row(item, blocking));
    }
    if (trajectory.not_finite) noted = more_severe(noted, Status::not_finite);
    noted = more_severe(noted, note);

    if (scan_in_batch_[item.scan] == none) {
      scan_in_batch_[item.scan] = static_cast<std::uint32_t>(out_.batch.scans.size());
      out_.batch.scans.push_back(index.scan);
    }
    out_.batch.n_query_raw.push_back(static_cast<std::uint32_t>(query.size()));
    ItemRow& row = add_row(item, noted);
    row.pair = static_cast<std::uint32_t>(out_.batch.pairs.size());
    row.lacks_success = !add_task_success(task_success_, item.id, out_.batch.task_success);
    out_.batch.pairs.push_back({scan_in_batch_[item.scan], reference_in_batch_[item.reference],
                                out_.batch.queries.end_path()});
    const auto number = static_cast<std::uint32_t>(&item - dataset_.items.data());
    out_.sources.push_back({.item = number, .entry = entry});
  }

  // Refuses a reference that cannot be scored, which is not the agent's fault.
  void refuse_reference(const formats::Item& item, std::string_view problem) const {
    if (convention_.invalid != Invalid::error) return;
    throw InputError({dataset_.file, item.id, "reference"}, problem,
                     "repair the dataset, or say --invalid skip (leave such items out)");
  }

  // Adds a reference, once for all queries that use it.
  bool add_reference(const formats::Item& item, const ScanIndex& index) {
    const std::uint32_t reference = item.reference;
    if (reference_in_batch_[reference] != none) return true;
    PathSet& store = out_.batch.references;
    for (const formats::Token token : dataset_.references[reference]) {
      const auto it = index.nodes.find(token);
      if (it == index.nodes.end()) {
        refuse_reference(item,
                         fmt::format("names the viewpoint {}, which the graph of its scan has "
                                     "not",
                                     packer_.viewpoints_[token]));
        store.elements.resize(store.offsets.back());
        return false;
      }
      store.elements.push_back(it->second);
    }
    reference_in_batch_[reference] = store.end_path();
    return true;
  }

  // Adds a query as the batch's open last path.
  bool add_query(std::span<const formats::Token> query, const ScanIndex& index) {
    std::vector<Node>& nodes = out_.batch.queries.elements;
    const std::size_t begin = nodes.size();
    for (const formats::Token token : query) {
      const auto it = index.nodes.find(token);
      if (it == index.nodes.end()) {
        drop_query();
        return false;
      }
      const bool repeat = nodes.size() > begin && nodes.back() == it->second;
      if (!repeat || convention_.repeats == Repeats::keep) nodes.push_back(it->second);
    }
    return true;
  }

  void drop_query() { out_.batch.queries.elements.resize(out_.batch.queries.offsets.back()); }

  // Checks the open query. Returns a status that leaves it without a value, and one that is only
  // noted.
  std::pair<Status, Status> check(bool wrong_start, const Scan& scan) const {
    Status blocking = Status::ok, note = Status::ok;
    auto report = [&](Check check, Status status) {
      if (check == Check::reject) blocking = more_severe(blocking, status);
      if (check == Check::note) note = more_severe(note, status);
    };
    if (wrong_start) report(convention_.start, Status::wrong_start);
    if (convention_.adjacency != Check::off && has_jump(scan)) {
      report(convention_.adjacency, Status::non_adjacent);
    }
    return {blocking, note};
  }

  bool has_jump(const Scan& scan) const {
    const std::vector<Node>& nodes = out_.batch.queries.elements;
    for (std::size_t k = out_.batch.queries.offsets.back() + 1; k < nodes.size(); ++k) {
      if (nodes[k] != nodes[k - 1] && !scan.adjacent(nodes[k - 1], nodes[k])) return true;
    }
    return false;
  }

  Packer& packer_;
  const formats::Dataset& dataset_;
  const formats::Predictions& predictions_;
  const Convention& convention_;
  const formats::TaskSuccess* task_success_;
  std::vector<std::uint32_t> reference_in_batch_;  // by path of the dataset
  std::vector<std::uint32_t> scan_in_batch_;       // by scan of the dataset
  PackedRun out_;
};

const Packer::ScanIndex& Packer::index(std::uint32_t scan) {
  indices_.resize(dataset_.scans.size());
  ScanIndex& index = indices_[scan];
  if (index.scan == nullptr) {
    index.scan = &graphs_.scan(dataset_.scans[scan]);
    for (Node n = 0; n < index.scan->size(); ++n) {
      index.nodes.emplace(viewpoints_.intern(index.scan->viewpoint(n)), n);
    }
  }
  return index;
}

PackedRun Packer::pack(const formats::Predictions& predictions, const Convention& convention,
                       const formats::TaskSuccess* task_success) {
  return Packing(*this, predictions, convention, task_success).pack();
}

}  // namespace warpath::evaluation
