#include "host/tasks/soon/starts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace warpath::soon {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};

// Holds the items of one annotation, which follow each other in the dataset.
struct Starts {
  std::uint32_t first = 0, count = 0;
};

// Returns the form of a trajectory and its direction together.
formats::Trajectory with_direction(const formats::EntryTrajectory& t) {
  formats::Trajectory form = t.trajectory;
  const auto is_finite = [](const formats::Direction& d) {
    return std::isfinite(d.heading) && std::isfinite(d.elevation);
  };
  form.malformed |= t.has_malformed_direction;
  form.not_finite |= t.direction && !is_finite(*t.direction);
  return form;
}

class Matcher {
 public:
  Matcher(const formats::Dataset& dataset, const formats::Predictions& predictions)
      : dataset_(dataset), predictions_(predictions), is_taken_(dataset.items.size(), false) {
    for (std::uint32_t i = 0; i < dataset.items.size(); ++i) {
      const std::string_view id = dataset.items[i].id;
      items_.emplace(id);
      const auto [it, is_new] = starts_.try_emplace(id.substr(0, id.rfind('_')), Starts{i, 0});
      ++it->second.count;
    }
  }

  std::vector<formats::Prediction> match(
      const std::vector<formats::EntryTrajectory>& trajectories) {
    std::vector<std::uint32_t> item_of;
    for (const formats::EntryTrajectory& t : trajectories) item_of.push_back(by_start(t));
    std::vector<formats::Prediction> entries;
    std::uint32_t part = 0;
    for (std::size_t k = 0; k < trajectories.size(); ++k) {
      const formats::EntryTrajectory& t = trajectories[k];
      const formats::Prediction& entry = predictions_.entries[t.entry];
      const Starts* starts = starts_of(entry);
      const bool is_known = starts != nullptr || items_.contains(entry.id);
      const bool is_first = k == 0 || trajectories[k - 1].entry != t.entry;
      part = is_first ? 0 : part + 1;
      if (!is_known && !is_first) continue;
      if (starts != nullptr && item_of[k] == none) item_of[k] = any(*starts);
      entries.push_back({.id = starts == nullptr ? entry.id : dataset_.items[item_of[k]].id,
                         .trajectory = with_direction(t),
                         .entry = entry.entry,
                         .direction = t.direction,
                         .part = part});
    }
    return entries;
  }

 private:
  const Starts* starts_of(const formats::Prediction& entry) const {
    const auto it = starts_.find(std::string_view(entry.id));
    return it == starts_.end() ? nullptr : &it->second;
  }

  // Takes the path that a trajectory starts on; none if the annotation has no such path.
  std::uint32_t by_start(const formats::EntryTrajectory& t) {
    const Starts* starts = starts_of(predictions_.entries[t.entry]);
    const auto path = predictions_.paths[t.trajectory.path];
    if (starts == nullptr || path.empty()) return none;
    std::uint32_t known = none;
    for (std::uint32_t i = starts->first; i < starts->first + starts->count; ++i) {
      if (dataset_.references[dataset_.items[i].reference].front() != path.front()) continue;
      if (!is_taken_[i]) return take(i);
      if (known == none) known = i;
    }
    return known;
  }

  // Takes the first free path of an annotation, or its first one.
  std::uint32_t any(const Starts& starts) {
    for (std::uint32_t i = starts.first; i < starts.first + starts.count; ++i) {
      if (!is_taken_[i]) return take(i);
    }
    return starts.first;
  }

  std::uint32_t take(std::uint32_t item) {
    is_taken_[item] = true;
    return item;
  }

  const formats::Dataset& dataset_;
  const formats::Predictions& predictions_;
  std::vector<bool> is_taken_;  // by item
  std::unordered_map<std::string_view, Starts> starts_;
  std::unordered_set<std::string_view> items_;
};

// Returns the trajectories of all entries. An entry in another form than SOON's has one, without a
// direction.
std::vector<formats::EntryTrajectory> trajectories_of(const formats::Predictions& predictions) {
  std::vector<formats::EntryTrajectory> all;
  auto next = predictions.trajectories.begin();
  for (std::uint32_t e = 0; e < predictions.entries.size(); ++e) {
    if (next == predictions.trajectories.end() || next->entry != e) {
      all.push_back({e, predictions.entries[e].trajectory});
    }
    for (; next != predictions.trajectories.end() && next->entry == e; ++next) all.push_back(*next);
  }
  return all;
}

// An elevation outside [0, 1] is of no direction, so the angles have another unit.
void note_other_units(formats::Predictions& predictions) {
  const auto count = std::ranges::count_if(predictions.entries, [](const formats::Prediction& p) {
    return p.direction && (p.direction->elevation < 0.0 || p.direction->elevation > 1.0);
  });
  if (count == 0) return;
  predictions.notes.push_back(
      fmt::format("{} of {} trajectories name an elevation outside [0, 1]: SOON wants heading / 2π "
                  "and (elevation + π) / 2π",
                  count, predictions.entries.size()));
}

}  // namespace

void match_starts(const formats::Dataset& dataset, formats::Predictions& predictions) {
  predictions.entries = Matcher(dataset, predictions).match(trajectories_of(predictions));
  predictions.trajectories.clear();
  std::erase(predictions.notes, dataset.task->first_trajectory_note);
  note_other_units(predictions);
}

}  // namespace warpath::soon
