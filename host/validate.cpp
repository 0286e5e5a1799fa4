#include "host/validate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "host/report/json_writer.hpp"
#include "host/submission.hpp"
#include "warpath/distances.hpp"

namespace warpath {
namespace {

using enum Problem;

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t most_examples = 3;
constexpr std::size_t most_bytes_of_rows = std::size_t{256} << 20;
constexpr int scored_instructions = 3;

struct Match {
  std::uint32_t entry, item;
};

// Entries and items, matched by id in the order of the file.
struct Matching {
  std::vector<std::uint32_t> entry_of;  // by item: its first copy, or none
  std::vector<Match> first, again;
  std::vector<std::uint32_t> unknown;

  Matching(const Dataset& dataset, const Predictions& predictions)
      : entry_of(dataset.items.size(), none) {
    std::unordered_map<std::string_view, std::uint32_t> item_of;
    for (std::uint32_t i = 0; i < dataset.items.size(); ++i) item_of[dataset.items[i].id] = i;
    for (std::uint32_t e = 0; e < predictions.entries.size(); ++e) {
      auto it = item_of.find(predictions.entries[e].id);
      // As in eval: NDH's numbers stand for number_0.
      if (it == item_of.end() && predictions.format == PredictionFormat::inst_idx) {
        it = item_of.find(predictions.entries[e].id + "_0");
      }
      if (it == item_of.end()) {
        unknown.push_back(e);
      } else if (std::uint32_t& entry = entry_of[it->second]; entry == none) {
        first.push_back({entry = e, it->second});
      } else {
        again.push_back({e, it->second});
      }
    }
  }
};

std::string json_string(std::string_view text) {
  JsonWriter writer;
  writer.text("", text);
  std::string line = writer.take();
  line.pop_back();
  return line;
}

class Checker {
 public:
  Checker(Inputs& inputs, std::size_t agent)
      : inputs_(inputs),
        predictions_(inputs.agents[agent]),
        submission_(predictions_),
        matching_(inputs.dataset, predictions_) {
    for (const ProblemInfo& p : problem_table()) findings_.push_back({p.problem, 0, {}});
  }

  std::vector<Finding> check() {
    check_form();
    check_ids();
    for (const Match& m : matching_.first) {
      const Item& item = inputs_.dataset.items[m.item];
      if (item.instruction < scored_instructions) check_walk(item, submission_.walk(m.entry));
    }
    check_missing(matching_.entry_of);
    return findings();
  }

  FixedSubmission fix() {
    FixedSubmission fixed;
    std::vector<std::string> lines;
    std::vector<std::uint32_t> entry_of(inputs_.dataset.items.size(), none);
    for (const Match& m : matching_.first) {
      const Item& item = inputs_.dataset.items[m.item];
      const Walk walk = submission_.walk(m.entry);
      if (!walk.readable || walk.places.empty()) {
        ++fixed.left_out;
        continue;
      }
      const std::vector<Place> places = without_gaps(item, walk.places);
      fixed.filled += places.size() - walk.places.size();
      lines.push_back(entry_text(item, places));
      entry_of[m.item] = m.entry;
      if (item.instruction < scored_instructions) check_path(item, places);
    }
    fixed.entries = lines.size();
    fixed.text = fmt::format("[\n{}\n]\n", fmt::join(lines, ",\n"));
    check_missing(entry_of);
    fixed.remaining = findings();
    return fixed;
  }

 private:
  void note(Problem problem, std::string_view id, std::string_view detail = "") {
    Finding& finding = findings_[static_cast<std::size_t>(problem)];
    if (finding.count++ >= most_examples) return;
    finding.examples.push_back(fmt::format("{}{}{}", id, detail.empty() ? "" : ": ", detail));
  }

  std::vector<Finding> findings() {
    std::erase_if(findings_, [](const Finding& f) { return f.count == 0; });
    return std::move(findings_);
  }

  void check_form() {
    const bool as_ndh_wants = inputs_.dataset.format == DatasetFormat::ndh &&
                              predictions_.format == PredictionFormat::inst_idx;
    if (!submission_.is_list()) note(container, predictions_.file);
    for (const Prediction& p : predictions_.entries) {
      if (predictions_.id_key != "instr_id" && !as_ndh_wants) {
        note(id_key, p.id, fmt::format("its key is {}", predictions_.id_key));
      }
      if (predictions_.path_key != "trajectory") {
        note(path_key, p.id, fmt::format("its key is {}", predictions_.path_key));
      }
      if (p.trajectory.not_finite) note(not_finite, p.id);
    }
  }

  void check_ids() {
    for (const Match& m : matching_.again) {
      note(duplicate_id, inputs_.dataset.items[m.item].id,
           fmt::format("entries {} and {}", matching_.entry_of[m.item], m.entry));
    }
    for (const std::uint32_t e : matching_.unknown) note(unknown_id, predictions_.entries[e].id);
    for (const Match& m : matching_.first) {
      const Item& item = inputs_.dataset.items[m.item];
      if (item.instruction >= scored_instructions) note(not_scored, item.id);
    }
  }

  void check_missing(const std::vector<std::uint32_t>& entry_of) {
    for (std::size_t i = 0; i < entry_of.size(); ++i) {
      const Item& item = inputs_.dataset.items[i];
      if (entry_of[i] == none && item.instruction < scored_instructions) note(missing, item.id);
    }
  }

  void check_walk(const Item& item, const Walk& walk) {
    if (!walk.fault.empty()) return note(malformed, item.id, walk.fault);
    if (walk.places.empty()) return note(empty_path, item.id);
    if (!walk.plain.empty()) note(plain, item.id, walk.plain);
    if (!walk.nested.empty()) note(nested, item.id, walk.nested);
    check_path(item, walk.places);
  }

  // The path that the server reads, which is what the leaderboard's messages speak of.
  void check_path(const Item& item, const std::vector<Place>& places) {
    const auto reference = inputs_.dataset.references[item.reference];
    if (reference.empty()) return note(empty_path, item.id, "the dataset's own path is empty");
    std::vector<std::string_view> names;
    for (const Place& place : places) {
      if (place.first) names.push_back(place.viewpoint);
    }
    const std::string& start = inputs_.viewpoints[reference.front()];
    const std::string& goal = inputs_.viewpoints[reference.back()];
    if (names.front() != start) {
      note(wrong_start, item.id, fmt::format("{} instead of {}", names.front(), start));
    }
    // A path of the test split holds only its start: where its goal lies is not known here.
    const bool moves = std::ranges::any_of(names, [&](auto name) { return name != start; });
    if (reference.size() > 1 && start == goal && !moves) note(spl_undefined, item.id);
    check_nodes(item, names, goal);
    check_steps(item, names);
  }

  void check_nodes(const Item& item, const std::vector<std::string_view>& names,
                   const std::string& goal) {
    Distances& distances = distances_of(item);
    const Scan& scan = distances.scan();
    const std::optional<Node> end = scan.find(goal);
    std::optional<std::size_t> unknown, cut_off;  // the first such
    for (std::size_t k = names.size(); k-- > 0;) {
      const std::optional<Node> node = scan.find(names[k]);
      if (!node) unknown = k;
      else if (end && !reaches(distances, *node, *end)) cut_off = k;
    }
    auto place = [&](std::size_t k) { return fmt::format("trajectory[{}], {}", k, names[k]); };
    if (unknown) {
      note(unknown_viewpoint, item.id, place(*unknown));
    } else if (!end) {
      note(unknown_viewpoint, item.id, "the dataset's goal, " + goal);
    }
    if (cut_off) note(unreachable, item.id, place(*cut_off));
  }

  // The server's graph is made of edges: a viewpoint without any is not even near itself.
  static bool reaches(Distances& distances, Node node, Node goal) {
    return !distances.scan().neighbours(node).empty() &&
           distances.row(goal)[node] < std::numeric_limits<double>::infinity();
  }

  void check_steps(const Item& item, const std::vector<std::string_view>& names) {
    const Scan& scan = distances_of(item).scan();
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

  // Flattened, with the viewpoints of a shortest path between any two that share no edge.
  std::vector<Place> without_gaps(const Item& item, const std::vector<Place>& places) {
    Distances& distances = distances_of(item);
    const Scan& scan = distances.scan();
    std::vector<Place> result;
    for (const Place& place : places) {
      if (!result.empty() && is_gap(scan, result.back().viewpoint, place.viewpoint)) {
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

  static std::string entry_text(const Item& item, const std::vector<Place>& places) {
    std::vector<std::string> moves;
    for (const Place& p : places) {
      const auto [heading, elevation] = p.angles;
      moves.push_back(fmt::format("[{}, {}, {}]", json_string(p.viewpoint), heading, elevation));
    }
    return fmt::format("{{\"instr_id\": {}, \"trajectory\": [{}]}}", json_string(item.id),
                       fmt::join(moves, ", "));
  }

  Distances& distances_of(const Item& item) {
    auto it = distances_.find(item.scan);
    if (it == distances_.end()) {
      const Scan& scan = inputs_.graphs.scan(inputs_.dataset.scans[item.scan]);
      it = distances_.try_emplace(item.scan, scan, Distance::euclid_3d).first;
    }
    if (it->second.bytes() > most_bytes_of_rows) it->second.clear();
    return it->second;
  }

  Inputs& inputs_;
  const Predictions& predictions_;
  const Submission submission_;
  const Matching matching_;
  std::vector<Finding> findings_;  // one for every problem, until `findings`
  std::map<std::uint32_t, Distances> distances_;  // by scan of the dataset
};

}  // namespace

std::vector<Finding> validate(Inputs& inputs, std::size_t agent) {
  return Checker(inputs, agent).check();
}

FixedSubmission fixed_submission(Inputs& inputs, std::size_t agent) {
  return Checker(inputs, agent).fix();
}

}  // namespace warpath
