#include "host/files/evaluation/describe_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "host/files/evaluation/matching.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::evaluation {
namespace {

// Lists scans, each with its number of viewpoints, the first ones by name.
struct ScanList {
  std::string first;
  std::size_t scans = 0;

  void add(const Scan& scan, std::size_t viewpoints) {
    constexpr std::size_t max_named = 2;
    if (scans < max_named) {
      first += fmt::format("{}{} ({})", scans == 0 ? "" : ", ", scan.id(), viewpoints);
    }
    if (scans++ == max_named) first += ", …";
  }

  std::string text() const {
    return scans < 3 ? first : fmt::format("in {} scans, {}", scans, first);
  }
};

// Collects the viewpoints without any edge that paths name.
class NamedIsolated {
 public:
  NamedIsolated(const Inputs& inputs, IsolatedViewpoints& named)
      : inputs_(inputs),
        named_(named),
        scans_with_(inputs.viewpoints.size()),
        is_isolated_(inputs.viewpoints.size()) {
    std::unordered_map<std::string_view, std::vector<const Scan*>> scans_with;
    for (const Scan* scan : inputs.graphs.scans()) {
      for (const Node n : scan->isolated()) scans_with[scan->viewpoint(n)].push_back(scan);
    }
    for (formats::Token t = 0; t < scans_with_.size() && !scans_with.empty(); ++t) {
      const auto found = scans_with.find(inputs.viewpoints[t]);
      if (found == scans_with.end()) continue;
      scans_with_[t] = found->second;
      is_isolated_[t] = exist_ = true;
    }
  }

  // Tells whether a path can have such a viewpoint.
  bool exist() const { return exist_; }

  void add(std::span<const formats::Token> path, const formats::Item& item) {
    for (const formats::Token t : path) {
      if (!is_isolated_[t]) continue;
      for (const Scan* scan : scans_with_[t]) {
        if (scan->id() == inputs_.dataset.scans[item.scan]) named_[scan].insert(t);
      }
    }
  }

 private:
  const Inputs& inputs_;
  IsolatedViewpoints& named_;
  std::vector<std::vector<const Scan*>> scans_with_;  // by token: those where it has no edge
  std::vector<char> is_isolated_;                     // by token: there is such a scan
  bool exist_ = false;
};

ScanList list_of(const Inputs& inputs, const IsolatedViewpoints& isolated) {
  ScanList list;
  for (const Scan* scan : inputs.graphs.scans()) {
    if (const auto named = isolated.find(scan); named != isolated.end()) {
      list.add(*scan, named->second.size());
    }
  }
  return list;
}

std::vector<std::string> object_notes(const Inputs& inputs, const formats::Predictions& agent) {
  if (inputs.dataset.task->read_objects != nullptr) return agent.object_notes;
  if (agent.object_key.empty()) return {};
  return {fmt::format("object ids ({}) are not scored", agent.object_key)};
}

// Returns how files were read: each sentence once, after the names of the files that it applies to.
std::vector<std::string> reading_notes(const Inputs& inputs) {
  std::vector<std::pair<std::string, std::string>> files_of;  // by sentence
  const auto add = [&](const std::string& file, const std::vector<std::string>& notes) {
    for (const std::string& note : notes) {
      const auto it = std::ranges::find(files_of, note, [](const auto& e) { return e.first; });
      if (it == files_of.end())
        files_of.emplace_back(note, file);
      else
        it->second += ", " + file;
    }
  };
  add(inputs.files.graphs, inputs.graphs.notes());
  add(inputs.dataset.file, inputs.dataset.notes);
  if (inputs.objects) add(inputs.objects->path, inputs.objects->notes);
  for (const formats::Predictions& agent : inputs.agents) {
    add(agent.file, agent.notes);
    add(agent.file, object_notes(inputs, agent));
  }
  for (std::size_t t = 0; t < inputs.task_success.size(); ++t) {
    add(inputs.files.task_success[t], inputs.task_success[t].notes);
  }
  std::vector<std::string> notes;
  for (const auto& [note, files] : files_of) notes.push_back(files + ": " + note);
  return notes;
}

std::string describe_graphs(const formats::Graphs& graphs) {
  if (graphs.scans().empty()) return "not used";
  return fmt::format("{}, {}", graphs.format_description(),
                     io::counted(graphs.scans().size(), "scan"));
}

std::string describe_dataset(const Inputs& inputs) {
  const formats::Dataset& d = inputs.dataset;
  std::string reference;
  if (d.task->has_references) {
    reference = fmt::format(" (reference: {})", inputs.files.ndh_reference);
  } else if (d.episodes && !d.is_pairs && !d.episodes->has_poses) {
    const std::string& file = d.episodes->ground_truth;
    reference = file.empty() ? " (reference: reference_path, sparse)"
                             : fmt::format(" (reference: locations of {}, dense)", file);
  }
  const bool is_of_points = d.is_pairs && inputs.grids;
  return fmt::format("{}{}{}, {} in {}{}", d.task->title, as_lines(d.is_lines), reference,
                     io::counted(inputs.item_count(), "item"), io::counted(d.scans.size(), "scan"),
                     is_of_points ? "; " + inputs.grids->description(0) : "");
}

std::string describe_objects(const formats::ObjectsFile& objects) {
  if (!objects.description.empty()) return objects.description;
  constexpr std::size_t shown_digits = 12;
  return fmt::format("boxes of {}, {} at {} in {}, hash {}…",
                     objects.is_version_1 ? "version 1" : "no known version",
                     io::counted(objects.visible, "visible object"),
                     io::counted(objects.viewpoints, "viewpoint"),
                     io::counted(objects.scans, "scan"), objects.hash.substr(0, shown_digits));
}

std::string describe_tours(const formats::Tours& tours) {
  std::size_t items = 0;
  for (const formats::Tour& tour : tours.tours) items += tour.items.size();
  return fmt::format("{} of {}, split {}", io::counted(tours.tours.size(), "tour"),
                     io::counted(items, "item"), tours.split);
}

}  // namespace

void add_isolated(const Inputs& inputs, IsolatedViewpoints& named) {
  const formats::Dataset& dataset = inputs.dataset;
  NamedIsolated isolated(inputs, named);
  if (!isolated.exist()) return;
  for (const formats::Item& item : dataset.items) {
    isolated.add(dataset.references[item.reference], item);
  }
  for (const formats::Predictions& agent : inputs.agents) {
    const Matching matching(dataset, agent);
    for (std::uint32_t e = 0; e < agent.entries.size(); ++e) {
      // A line of a pairs file is an item of its own.
      const std::uint32_t item = dataset.is_pairs ? e : matching.item_of(e);
      if (item == Matching::no_item) continue;
      isolated.add(agent.paths[agent.entries[e].trajectory.path], dataset.items[item]);
    }
  }
}

std::string_view as_lines(bool is_lines) {
  return is_lines ? " (JSON Lines)" : "";
}

namespace {

std::vector<std::string> input_warnings(const Inputs& inputs) {
  std::vector<std::string> warnings = reading_notes(inputs);
  if (inputs.dataset.has_positions()) return warnings;
  IsolatedViewpoints named;
  if (!inputs.windows) add_isolated(inputs, named);
  const ScanList isolated = list_of(inputs, inputs.windows ? inputs.windows->isolated : named);
  if (isolated.scans > 0) {
    warnings.push_back("viewpoints without any edge, which paths name: " + isolated.text());
  }
  return warnings;
}

}  // namespace

InputDescription describe_inputs(const Inputs& inputs) {
  const EvalFiles& files = inputs.files;
  InputDescription description;
  description.is_pairs = !files.pairs.empty();
  description.dataset_file = io::input_name(description.is_pairs ? files.pairs : files.dataset);
  description.dataset_hash = inputs.dataset.hash;
  description.dataset_description = describe_dataset(inputs);
  description.task = inputs.dataset.task->name;
  if (inputs.dataset.task->has_references) description.reference = files.ndh_reference;
  description.sub_instructions = files.sub_instructions;
  description.format = files.dataset_format;
  if (inputs.dataset.tours) description.split = inputs.dataset.tours->split;
  description.graphs_path = files.graphs;
  description.graphs_hash = inputs.graphs.hash();
  description.graphs_detection = describe_graphs(inputs.graphs);
  if (inputs.objects) {
    description.objects_path = io::input_name(files.objects);
    description.objects_hash = inputs.objects->hash;
    description.objects_description = describe_objects(*inputs.objects);
  }
  if (const auto& tours = inputs.dataset.tours) {
    description.tours_file = tours->file;
    description.tours_description = describe_tours(*tours);
  }
  for (const std::string& file : files.task_success) {
    description.task_success_files.push_back(io::input_name(file));
  }
  description.warnings = input_warnings(inputs);
  return description;
}

}  // namespace warpath::evaluation
