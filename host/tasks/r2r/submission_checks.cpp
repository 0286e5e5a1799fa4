#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "host/files/evaluation/matching.hpp"
#include "host/files/formats/object_ids.hpp"
#include "host/files/formats/trajectory_details.hpp"
#include "host/files/submission/graph_checks.hpp"
#include "host/files/submission/submission.hpp"
#include "host/tasks/r2r/server.hpp"

namespace warpath::r2r {
namespace {

using enum submission::Problem;

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

class ListChecker {
 public:
  ListChecker(const submission::Server& server, evaluation::Inputs& inputs, std::size_t agent)
      : server_(server),
        inputs_(inputs),
        predictions_(inputs.agents[agent]),
        matching_(inputs.dataset, predictions_),
        keeps_id_key_(inputs.dataset.task->keeps_inst_idx &&
                      predictions_.format == formats::PredictionFormat::inst_idx),
        wants_object_(!server.wants_object.empty()),
        findings_(server.problems),
        graphs_(inputs) {}

  std::vector<submission::Finding> check() {
    check_form();
    std::vector<std::uint32_t> entry_of(inputs_.dataset.items.size(), none);
    for (std::uint32_t e = 0; e < predictions_.entries.size(); ++e) {
      if (!is_read(e, e, entry_of)) continue;
      const formats::Prediction& p = predictions_.entries[e];
      const bool is_beam =
          predictions_.format == formats::PredictionFormat::beams && p.entry->is_object();
      if (is_beam || p.trajectory.candidates > 1) note(candidates, p.id);
      check_object(p);
      check_trajectory(item_of(e), details_of(p));
    }
    check_missing(entry_of);
    return findings_.take();
  }

  submission::FixedSubmission fix() {
    submission::FixedSubmission fixed;
    submission::SubmissionWriter writer(predictions_, keeps_id_key_, wants_object_);
    std::vector<std::uint32_t> entry_of(inputs_.dataset.items.size(), none);
    for (std::uint32_t e = 0; e < predictions_.entries.size(); ++e) {
      const formats::Prediction& p = predictions_.entries[e];
      const auto place = static_cast<std::uint32_t>(writer.entries());
      if (is_read(e, place, entry_of)) {
        if (add_repaired(p, item_of(e), writer, fixed)) {
          if (wants_object_ && !has_object(p, formats::object_keys)) note(object_key, p.id);
          continue;
        }
        entry_of[matching_.item_of(e)] = none;  // the next copy takes its place
        ++fixed.left_out;
      } else if (matching_.item_of(e) == evaluation::Matching::no_item) {
        writer.add_unknown(p);
      } else {
        writer.add(p, item_of(e).id);
      }
    }
    check_missing(entry_of);
    fixed.entries = writer.entries();
    fixed.nulls = writer.nulls();
    fixed.text = writer.text();
    fixed.remaining = findings_.take();
    return fixed;
  }

 private:
  void note(submission::Problem problem, std::string_view id, std::string_view detail = "") {
    findings_.note(problem, id, detail);
  }

  const formats::Item& item_of(std::uint32_t entry) const {
    return inputs_.dataset.items[matching_.item_of(entry)];
  }

  formats::TrajectoryDetails details_of(const formats::Prediction& p) const {
    return formats::read_trajectory_details(submission::trajectory_in(predictions_, p));
  }

  void check_form() {
    const json::Value root = predictions_.document->root();
    json::Array list;
    if (!root.get(list) || predictions_.is_lines) {
      note(container, predictions_.file, predictions_.is_lines ? "it is JSON Lines" : "");
    } else if (list.size() > predictions_.entries.size()) {
      note(id_key, "entry 0", "it has no id");
    }
    for (const formats::Prediction& p : predictions_.entries) {
      if (predictions_.id_key != "instr_id" && !keeps_id_key_) {
        note(id_key, p.id, fmt::format("its key is {}", predictions_.id_key));
      }
      if (predictions_.path_key != "trajectory") {
        note(path_key, p.id, fmt::format("its key is {}", predictions_.path_key));
      }
      if (p.trajectory.not_finite) note(not_finite, p.id);
    }
  }

  static bool has_object(const formats::Prediction& p, std::span<const std::string_view> keys) {
    const auto entry = formats::object_in(*p.entry);
    return entry &&
           std::ranges::any_of(keys, [&](auto key) { return formats::has_key(*entry, key); });
  }

  void check_object(const formats::Prediction& p) {
    if (!wants_object_ || has_object(p, std::span(formats::object_keys).first(1))) return;
    const bool is_renamed = has_object(p, formats::object_keys);
    note(object_key, p.id, is_renamed ? fmt::format("its key is {}", formats::object_keys[1]) : "");
  }

  // Tells whether the server reads an entry's trajectory; adds a finding if it does not.
  bool is_read(std::uint32_t entry, std::uint32_t place, std::vector<std::uint32_t>& entry_of) {
    if (matching_.item_of(entry) == evaluation::Matching::no_item) {
      note(unknown_id, predictions_.entries[entry].id);
      return false;
    }
    const formats::Item& item = item_of(entry);
    std::uint32_t& first = entry_of[matching_.item_of(entry)];
    if (first != none) {
      note(duplicate_id, item.id, fmt::format("entries {} and {}", first, place));
      return false;
    }
    first = place;
    if (evaluation::is_scored_item(item, server_.instructions)) return true;
    note(not_scored, item.id);
    return false;
  }

  void check_missing(const std::vector<std::uint32_t>& entry_of) {
    for (std::size_t i = 0; i < entry_of.size(); ++i) {
      const formats::Item& item = inputs_.dataset.items[i];
      if (entry_of[i] == none && evaluation::is_scored_item(item, server_.instructions))
        note(missing, item.id);
    }
  }

  void check_trajectory(const formats::Item& item, const formats::TrajectoryDetails& details) {
    if (!details.fault.empty()) return note(malformed, item.id, details.fault);
    if (details.places.empty()) return note(empty_path, item.id);
    if (!details.object.empty()) note(objects, item.id, details.object);
    if (!details.plain.empty()) note(plain, item.id, details.plain);
    if (!details.nested.empty()) note(nested, item.id, details.nested);
    check_path(item, details.places);
  }

  // Adds an entry as the server reads it; returns false if its path is empty or cannot be read.
  bool add_repaired(const formats::Prediction& p, const formats::Item& item,
                    submission::SubmissionWriter& writer, submission::FixedSubmission& fixed) {
    const formats::TrajectoryDetails details = details_of(p);
    if (details.form.malformed || details.places.empty()) return false;
    const std::vector<formats::TrajectoryStep> places = without_gaps(item, details.places);
    const bool is_in_form = details.fault.empty() && details.object.empty() &&
                            details.plain.empty() && details.nested.empty() &&
                            !details.form.not_finite;
    if (is_in_form && places.size() == details.places.size()) {
      writer.add(p, item.id);
    } else {
      writer.add(p, item.id, details, places);
    }
    fixed.filled += places.size() - details.places.size();
    check_path(item, places);
    return true;
  }

  // Checks the path that the server reads, which the leaderboard's messages refer to.
  void check_path(const formats::Item& item, const std::vector<formats::TrajectoryStep>& places) {
    const auto reference = inputs_.dataset.references[item.reference];
    if (reference.empty()) return note(empty_path, item.id, "the dataset's own path is empty");
    std::vector<std::string_view> names;
    for (const formats::TrajectoryStep& place : places) {
      if (place.first) names.push_back(place.viewpoint);
    }
    const std::string& start = inputs_.viewpoints[reference.front()];
    const std::string& goal = inputs_.viewpoints[reference.back()];
    if (names.front() != start) {
      note(wrong_start, item.id, fmt::format("{} instead of {}", names.front(), start));
    }
    // A path of the test split holds only its start; its goal is not known here.
    const bool moves = std::ranges::any_of(names, [&](auto name) { return name != start; });
    if (reference.size() > 1 && start == goal && !moves) note(spl_undefined, item.id);
    graphs_.check_nodes(item, names, goal, findings_);
    check_steps(item, names);
  }

  void check_steps(const formats::Item& item, const std::vector<std::string_view>& names) {
    if (server_.allows_jumps) return;
    const Scan& scan = graphs_.distances_of(item).scan();
    std::size_t gaps = 0, first = 0;
    for (std::size_t k = 1; k < names.size(); ++k) {
      if (is_gap(scan, names[k - 1], names[k]) && gaps++ == 0) first = k;
    }
    if (gaps == 0) return;
    note(non_adjacent, item.id,
         fmt::format("trajectory[{}] to [{}], from {} to {}{}", first - 1, first, names[first - 1],
                     names[first], gaps > 1 ? fmt::format(", and {} more", gaps - 1) : ""));
  }

  static bool is_gap(const Scan& scan, std::string_view from, std::string_view to) {
    const std::optional<Node> a = scan.find(from), b = scan.find(to);
    return a && b && a != b && !scan.adjacent(*a, *b);
  }

  // Returns the flattened path, with the viewpoints of a shortest path between any two that share
  // no edge if the server wants them.
  std::vector<formats::TrajectoryStep> without_gaps(
      const formats::Item& item, const std::vector<formats::TrajectoryStep>& places) {
    Distances& distances = graphs_.distances_of(item);
    const Scan& scan = distances.scan();
    std::vector<formats::TrajectoryStep> result;
    for (const formats::TrajectoryStep& place : places) {
      if (!server_.allows_jumps && !result.empty() &&
          is_gap(scan, result.back().viewpoint, place.viewpoint)) {
        const std::vector<Node> path =
            distances.path(*scan.find(result.back().viewpoint), *scan.find(place.viewpoint));
        for (std::size_t k = 1; k + 1 < path.size(); ++k) {
          result.push_back({scan.viewpoint(path[k])});
        }
      }
      result.push_back({place.viewpoint, place.angles});
    }
    return result;
  }

  const submission::Server& server_;
  evaluation::Inputs& inputs_;
  const formats::Predictions& predictions_;
  const evaluation::Matching matching_;
  const bool keeps_id_key_;
  const bool wants_object_;
  submission::FindingList findings_;
  submission::GraphChecks graphs_;
};

}  // namespace

std::vector<submission::Finding> check_list(const submission::Server& server,
                                            evaluation::Inputs& inputs, std::size_t agent) {
  return ListChecker(server, inputs, agent).check();
}

submission::FixedSubmission fix_list(const submission::Server& server, evaluation::Inputs& inputs,
                                     std::size_t agent) {
  return ListChecker(server, inputs, agent).fix();
}

}  // namespace warpath::r2r
