#include "host/tasks/soon/server.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "host/files/evaluation/matching.hpp"
#include "host/files/formats/trajectory_details.hpp"
#include "host/files/submission/graph_checks.hpp"
#include "host/files/submission/submission.hpp"
#include "host/tasks/soon/trajectories.hpp"

namespace warpath::soon {
namespace {

using enum submission::Problem;
using enum submission::Outcome;

constexpr std::string_view form =
    "write [{path: [[viewpoint, heading, elevation], ...], obj_heading: [h], obj_elevation: [e]}]";

const std::array<submission::ProblemInfo, 20> soon_problems{{
    {container, "container", "the file is no list of entries",
     "TypeError, it takes an object's keys for entries; JSONDecodeError for JSON Lines", rejected,
     "write a list of {instr_id, trajectory}"},
    {id_key, "id_key", "the id has another key than instr_id, or there is none",
     "KeyError 'instr_id'", rejected, "name the key instr_id"},
    {id_type, "id_type", "an id is a string where the annotation has an integer, or the reverse",
     "KeyError, \"12\" is not 12", rejected, "write the annotation's instr_id as it is there"},
    {path_key, "path_key", "the trajectories have another key than trajectory",
     "KeyError 'trajectory'", rejected, "name the key trajectory"},
    {unknown_id, submission::as(Status::unknown_id), "the annotation has no such id", "KeyError",
     rejected,
     "write instr_id alone, with a list of trajectories, one for each start; is it this split?"},
    {no_list, "no_list", "the trajectory is one object, as VLN-DUET writes it, not a list of them",
     "TypeError 'string indices must be integers'", rejected, form},
    {objects, "objects", "a trajectory is no object with a path, or a step of it is an object",
     "TypeError or KeyError", rejected, form},
    {plain, "plain", "a viewpoint stands without a list of its own",
     "takes its first letter for the viewpoint: ValueError or KeyError", rejected, form},
    {malformed, submission::as(Status::malformed), "a path is no list of viewpoints",
     "TypeError, IndexError or KeyError", rejected, form},
    {empty_path, submission::as(Status::empty_path), "a path is empty", "IndexError", rejected,
     "write at least the start viewpoint"},
    {direction, "direction", "obj_heading or obj_elevation is missing, or is not one number",
     "KeyError or TypeError", rejected, "write each as a list of one number"},
    {wrong_start, submission::as(Status::wrong_start),
     "the annotation has no path that begins there", "ValueError, the start is not in the list",
     rejected, "put the start viewpoint first"},
    {unknown_viewpoint, submission::as(Status::unknown_viewpoint),
     "the scan's graph has no such viewpoint", "KeyError", rejected,
     "check the ids, and that scan and graphs are those of the dataset"},
    {unreachable, submission::as(Status::unreachable),
     "no path of the graph leads from a viewpoint to the goal", "KeyError", rejected,
     "leave out viewpoints without an edge"},
    {missing, submission::as(Status::missing), "an instruction has no trajectory",
     "does not notice: its means are over the trajectories that the file has", misread,
     "predict it; is the file of this split?"},
    {duplicate_id, submission::as(Status::duplicate_id),
     "there are more trajectories than the annotation has paths", "scores all of them", misread,
     "keep one for each path"},
    {nested, "nested", "an inner list names several viewpoints, as DUET's dumps do",
     "reads only the first of each inner list, so viewpoints are lost", misread,
     "write each viewpoint in a list of its own"},
    {angle_unit, "angle_unit", "obj_elevation is outside [0, 1], so of another unit",
     "takes it as it is: no box is hit", misread, "write heading / 2π and (elevation + π) / 2π"},
    {starts, "starts", "a path of an instruction has no trajectory, but others of it have one",
     "does not notice: its means are over the trajectories that the file has", harmless,
     "give one for each start"},
    {not_finite, submission::as(Status::not_finite), "NaN or Infinity among the angles",
     "reads them, as Python does; such a direction hits no box", harmless, "write numbers"},
}};

class SoonChecker {
 public:
  SoonChecker(const submission::Server& server, evaluation::Inputs& inputs, std::size_t agent)
      : inputs_(inputs),
        predictions_(inputs.agents[agent]),
        matching_(inputs.dataset, predictions_),
        findings_(server.problems),
        graphs_(inputs) {
    for (const formats::Item& item : inputs.dataset.items) ids_.insert(instruction_of(item));
  }

  std::vector<submission::Finding> check() {
    check_container();
    for (std::size_t e = 0; e < predictions_.entries.size();) e += check_entry(e);
    check_counts();
    return findings_.take();
  }

 private:
  // An item is one path of an annotation: the part behind the last _ numbers it.
  static std::string_view instruction_of(const formats::Item& item) {
    return std::string_view(item.id).substr(0, item.id.rfind('_'));
  }

  void note(submission::Problem problem, std::string_view id, std::string_view detail = "") {
    findings_.note(problem, id, detail);
  }

  void check_container() {
    if (!predictions_.document->root().is_array() || predictions_.is_lines) {
      note(container, predictions_.file, predictions_.is_lines ? "it is JSON Lines" : "");
    }
  }

  // Checks the trajectories of one entry of the file, which follow each other in the predictions.
  // Returns their number.
  std::size_t check_entry(std::size_t first) {
    const std::vector<formats::Prediction>& all = predictions_.entries;
    std::size_t count = 1;
    while (first + count < all.size() && all[first + count].part > 0) ++count;
    if (!check_id(all[first])) return count;
    const json::Value value = submission::trajectory_in(predictions_, all[first]);
    const std::vector<json::Value> trajectories = soon_trajectories_in(value);
    const std::string id(instruction_of(item_of(first)));
    if (value.is_object()) note(no_list, id);
    for (std::size_t k = 0; k < count; ++k) {
      check_trajectory(first + k, trajectories[k], fmt::format("{}, trajectory {}", id, k));
    }
    return count;
  }

  // Checks the id of an entry; returns false if the annotation does not have it.
  bool check_id(const formats::Prediction& p) {
    const auto entry = formats::object_in(*p.entry);
    const formats::KeyValue own =
        entry ? formats::find_key(*entry, predictions_.id_key) : formats::KeyValue{};
    const bool is_in_list =
        own.count > 0 && predictions_.format != formats::PredictionFormat::beams;
    const std::string id =
        is_in_list ? formats::id_text(own.value, {predictions_.file, p.id}) : p.id;
    if (predictions_.id_key != "instr_id") {
      note(id_key, id, fmt::format("its key is {}", predictions_.id_key));
    }
    if (predictions_.path_key != "trajectory") {
      note(path_key, id, fmt::format("its key is {}", predictions_.path_key));
    }
    if (!ids_.contains(id)) return note(unknown_id, id), false;
    const bool is_integer = is_in_list && !own.value.is_string();
    if (is_integer != inputs_.dataset.has_integer_ids) {
      note(id_type, id, is_integer ? "it is an integer" : "it is a string");
    }
    return true;
  }

  const formats::Item& item_of(std::size_t entry) const {
    return inputs_.dataset.items[matching_.item_of(entry)];
  }

  void check_trajectory(std::size_t entry, json::Value value, const std::string& id) {
    const formats::Prediction& p = predictions_.entries[entry];
    const auto holder = formats::object_in(value);
    if (!holder || !formats::has_key(*holder, "path")) return note(objects, id);
    const formats::TrajectoryDetails details =
        formats::read_trajectory_details(formats::find_key(*holder, "path").value);
    check_direction(p, *holder, id);
    if (details.form.not_finite || (p.trajectory.not_finite && p.direction)) note(not_finite, id);
    if (!details.fault.empty()) return note(malformed, id, details.fault);
    if (details.places.empty()) return note(empty_path, id);
    if (!details.object.empty()) note(objects, id, details.object);
    if (!details.plain.empty()) note(plain, id, details.plain);
    if (!details.nested.empty()) note(nested, id, details.nested);
    check_path(item_of(entry), details.places, id);
  }

  void check_direction(const formats::Prediction& p, json::Object holder, const std::string& id) {
    if (!p.direction) {
      const bool is_there =
          formats::has_key(holder, "obj_heading") && formats::has_key(holder, "obj_elevation");
      return note(direction, id, is_there ? "" : formats::found_keys(holder));
    }
    const double elevation = p.direction->elevation;
    if (elevation < 0.0 || elevation > 1.0) {
      note(angle_unit, id, fmt::format("obj_elevation is {}", elevation));
    }
  }

  // Checks what the script reads of a path: the first viewpoint of each inner list.
  void check_path(const formats::Item& item, const std::vector<formats::TrajectoryStep>& places,
                  const std::string& id) {
    std::vector<std::string_view> names;
    for (const formats::TrajectoryStep& place : places) {
      if (place.first) names.push_back(place.viewpoint);
    }
    const auto reference = inputs_.dataset.references[item.reference];
    if (names.front() != inputs_.viewpoints[reference.front()]) {
      note(wrong_start, id, fmt::format("it begins at {}", names.front()));
    }
    graphs_.check_nodes(item, names, inputs_.viewpoints[reference.back()], findings_);
  }

  void check_counts() {
    const std::vector<formats::Item>& items = inputs_.dataset.items;
    std::unordered_set<std::string_view> predicted;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const std::size_t count = matching_.entries_of(i).size();
      if (count > 0) predicted.insert(instruction_of(items[i]));
      if (count > 1) note(duplicate_id, items[i].id);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (!matching_.entries_of(i).empty()) continue;
      const std::string_view instruction = instruction_of(items[i]);
      const bool is_first = i == 0 || instruction_of(items[i - 1]) != instruction;
      if (predicted.contains(instruction)) {
        note(starts, items[i].id);
      } else if (is_first) {
        note(missing, instruction);
      }
    }
  }

  evaluation::Inputs& inputs_;
  const formats::Predictions& predictions_;
  const evaluation::Matching matching_;
  std::unordered_set<std::string_view> ids_;  // of annotations
  submission::FindingList findings_;
  submission::GraphChecks graphs_;
};

std::vector<submission::Finding> check_soon(const submission::Server& server,
                                            evaluation::Inputs& inputs, std::size_t agent) {
  return SoonChecker(server, inputs, agent).check();
}

}  // namespace

const submission::Server soon_server{
    .problems = soon_problems,
    .note =
        "the rules of SOON-EvalAI-Starters' main.py, which scores every trajectory that there "
        "is and allows jumps",
    .check = check_soon,
    .cannot_fix = "--fix repairs submissions of R2R and REVERIE, not of SOON"};

}  // namespace warpath::soon
