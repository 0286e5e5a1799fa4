#include "host/files/evaluation/pack_episodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/core/definitions/ended.hpp"
#include "host/core/graph/euclid.hpp"
#include "host/files/evaluation/item_rows.hpp"
#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

constexpr std::string_view skip_them = "or say --invalid skip (leave such items out)";

class Packing {
 public:
  Packing(const formats::Dataset& dataset, const formats::Predictions& predictions,
          const Convention& convention, const formats::TaskSuccess* task_success, bool needs_oracle)
      : dataset_(dataset),
        predictions_(predictions),
        convention_(convention),
        task_success_(task_success),
        needs_oracle_(needs_oracle),
        ended_(definitions::read_ended(convention.ended).value()),
        has_stops_(
            std::ranges::any_of(predictions.positions->paths, &formats::PositionPath::has_stops)),
        has_geodesic_distances_(std::ranges::any_of(dataset.episodes->geodesic_distance,
                                                    [](double d) { return !std::isnan(d); })) {}

  PackedEpisodes pack() {
    const Matching matching(dataset_, predictions_);
    out_.batch.queries.elements.reserve(predictions_.positions->points.elements.size());
    for (std::uint32_t i = 0; i < dataset_.items.size(); ++i) {
      add_item(i, matching.entries_of(i));
    }
    add_unknown(matching, predictions_, out_.rows);
    return std::move(out_);
  }

 private:
  void add_item(std::uint32_t item, std::span<const std::uint32_t> entries) {
    if (entries.empty()) return void(add_row(item, Status::missing));
    const Status noted = entries.size() > 1 ? Status::duplicate_id : Status::ok;
    for (const std::uint32_t e : taken(entries, convention_.duplicates)) add_pair(item, e, noted);
  }

  ItemRow& add_row(std::uint32_t number, Status status) {
    return warpath::evaluation::add_row(dataset_, dataset_.items[number],
                                        dataset_.episodes->references.size_of(number), status,
                                        out_.rows);
  }

  void add_pair(std::uint32_t item, std::uint32_t entry, Status noted) {
    const std::uint32_t path = predictions_.entries[entry].trajectory.path;
    const auto query = predictions_.positions->points[path];
    const auto reference = dataset_.episodes->references[item];
    if (predictions_.entries[entry].trajectory.malformed) {
      const formats::PositionPath& faulty = predictions_.positions->paths[path];
      refuse_path(entry, faulty.fault_at, faulty.fault);
      return void(add_row(item, Status::malformed));
    }
    if (reference.empty()) refuse_reference(dataset_.items[item]);
    if (reference.empty() || query.empty()) return void(add_row(item, Status::empty_path));
    if (lacks_stop(path)) {
      refuse_path(entry, "stop", "is in no entry, but other paths have it");
      return void(add_row(item, Status::malformed));
    }
    if (const Status ending = check_ending(entry, path); ending != Status::ok) {
      return void(add_row(item, ending));
    }
    refuse_without_outcome(entry, path);
    refuse_without_start_distance(item, path);
    const Status start = check_start(item, query.front());
    if (start != Status::ok && convention_.start == Check::reject) {
      return void(add_row(item, start));
    }
    ItemRow& row = add_row(item, more_severe(noted, start));
    row.pair = static_cast<std::uint32_t>(out_.batch.pairs.size());
    row.lacks_success = !add_task_success(task_success_, row.instr_id, out_.batch.task_success);
    out_.batch.pairs.push_back({add(reference, Repeats::keep, out_.batch.references),
                                add(query, convention_.repeats, out_.batch.queries)});
    out_.sources.push_back({.item = item, .entry = entry});
  }

  std::uint32_t add(std::span<const std::array<double, 3>> path, Repeats repeats,
                    PointSet& paths) const {
    for (std::size_t k = 0; k < path.size(); ++k) {
      if (is_left_out(path, k, repeats)) continue;
      paths.elements.push_back(placed(path[k], convention_.distance, *dataset_.episodes));
    }
    return paths.end_path();
  }

  Status check_start(std::uint32_t item, const std::array<double, 3>& first) const {
    if (convention_.start == Check::off) return Status::ok;
    return is_at_start(*dataset_.episodes, item, first) ? Status::ok : Status::wrong_start;
  }

  // Finds what becomes of a path that ended in a way which is not scored.
  Status check_ending(std::uint32_t entry, std::uint32_t path) const {
    const std::string& ending = predictions_.positions->paths[path].ending;
    if (ended_.takes(ending)) return Status::ok;
    if (ended_.others == Missing::error || ending.empty()) {
      throw InputError({predictions_.file, predictions_.entries[entry].id, "termination_reason"},
                       ending.empty() ? std::string("is missing") : fmt::format("is {}", ending),
                       fmt::format("{} alone is scored: repair it, or say --ended any (score all)",
                                   ended_.names));
    }
    return ended_.others == Missing::zero ? Status::other_ending : Status::not_scored;
  }

  void refuse_without_outcome(std::uint32_t entry, std::uint32_t path) const {
    if (convention_.outcome == Outcome::computed) return;
    const formats::PositionPath& flown = predictions_.positions->paths[path];
    const bool lacks_oracle = needs_oracle_ && !flown.oracle_success;
    if (flown.success && !lacks_oracle) return;
    throw InputError({predictions_.file, predictions_.entries[entry].id,
                      flown.success ? "oracle_success" : "success"},
                     "is not recorded", "record it, or say --outcome computed");
  }

  // A file that says nothing of stops is of paths that end with one.
  bool lacks_stop(std::uint32_t path) const {
    return convention_.stop == Stop::required && has_stops_ &&
           !predictions_.positions->paths[path].has_stops;
  }

  void refuse_path(std::uint32_t entry, const std::string& at, const std::string& problem) const {
    if (convention_.invalid != Invalid::error) return;
    throw InputError({predictions_.file, predictions_.entries[entry].id, at}, problem,
                     fmt::format("repair it, {}", skip_them));
  }

  // Refuses an episode that would be measured otherwise than those that have the distance.
  void refuse_without_start_distance(std::uint32_t item, std::uint32_t path) const {
    const bool is_of_spl = convention_.start_distance == StartDistance::spl;
    const bool is_used = is_of_spl ? convention_.spl_length != SplLength::reference
                                   : convention_.start_distance == StartDistance::episode &&
                                         predictions_.positions->distances.size_of(path) == 0;
    const double distance = dataset_.episodes->geodesic_distance[item];
    if (!is_used || !has_geodesic_distances_ || !std::isnan(distance)) return;
    throw InputError(
        {dataset_.file, dataset_.items[item].id, "info.geodesic_distance"},
        "is missing, but other episodes have it",
        fmt::format("add it{}, or say --start-distance measured (then it is used for no episode)",
                    is_of_spl ? "" : ", give every distance by --distances"));
  }

  void refuse_reference(const formats::Item& item) const {
    if (convention_.invalid != Invalid::error) return;
    throw InputError({dataset_.file, item.id, "reference_path"}, "is missing or empty",
                     fmt::format("name the references by --ground-truth, {}", skip_them));
  }

  const formats::Dataset& dataset_;
  const formats::Predictions& predictions_;
  const Convention& convention_;
  const formats::TaskSuccess* task_success_;
  const bool needs_oracle_;
  const definitions::Ended ended_;
  const bool has_stops_, has_geodesic_distances_;
  PackedEpisodes out_;
};

}  // namespace

bool is_at_start(const formats::EpisodeData& episodes, std::uint32_t item,
                 const std::array<double, 3>& position) {
  constexpr double tolerance = 0.1;
  return graph::Euclid(Distance::euclid_3d)(episodes.starts[item].front(), position) <= tolerance;
}

PackedEpisodes pack_episodes(const formats::Dataset& dataset,
                             const formats::Predictions& predictions, const Convention& convention,
                             const formats::TaskSuccess* task_success, bool needs_oracle) {
  return Packing(dataset, predictions, convention, task_success, needs_oracle).pack();
}

PackedEpisodes only_pair(const PackedEpisodes& run, std::uint32_t pair) {
  PackedEpisodes one;
  const auto add = [](std::span<const std::array<double, 3>> path, PointSet& paths) {
    paths.elements.assign(path.begin(), path.end());
    return paths.end_path();
  };
  const PointPair& of_run = run.batch.pairs[pair];
  const std::uint32_t reference = add(run.batch.references[of_run.reference], one.batch.references);
  one.batch.pairs = {{reference, add(run.batch.queries[of_run.query], one.batch.queries)}};
  if (!run.batch.task_success.empty()) one.batch.task_success = {run.batch.task_success[pair]};
  one.sources = {run.sources[pair]};
  return one;
}

}  // namespace warpath::evaluation
