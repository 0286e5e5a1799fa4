// Readers of what is scored: datasets, pairs files and task success.

#include <cmath>
#include <set>

#include "host/files/formats/dataset.hpp"
#include "host/files/formats/task_success.hpp"
#include "host/tasks/reverie/objects.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {
namespace {

// Every list of an episode's data has an element for each item.
void check_episodes(const formats::Dataset& dataset) {
  const std::size_t items = dataset.items.size();
  const formats::EpisodeData& data = *dataset.episodes;
  require(data.references.size() == items && data.starts.size() == items &&
              data.goals.size() == items && data.geodesic_distance.size() == items &&
              data.instruction_ids.size() == items,
          "an episode's data are not there");
  for (const formats::Item& item : dataset.items) {
    require(item.scan < dataset.scans.size(), "an episode's scan is not there");
    require(item.reference < items, "an episode's trajectory has no number");
  }
}

void check_items(const formats::Dataset& dataset, const formats::StringTable& viewpoints) {
  if (dataset.episodes) return check_episodes(dataset);
  check_paths(dataset.references, viewpoints);
  require(dataset.hash.size() == 32, "the hash is no hash");
  for (const formats::Item& item : dataset.items) {
    require(item.scan < dataset.scans.size(), "an item's scan is not there");
    require(item.reference < dataset.references.size(), "an item's reference is not there");
    require(item.instruction >= 0, "an instruction has a negative number");
    require(!item.goals || *item.goals < dataset.goals.size(), "an item's goals are not there");
  }
}

// Every goal of a SOON dataset has a box, whose corners are directions.
void check_boxes(const formats::Dataset& dataset) {
  if (dataset.boxes.empty()) return;
  require(dataset.boxes.size() == dataset.goals.size(), "a goal set has no list of boxes");
  for (std::uint32_t set = 0; set < dataset.boxes.size(); ++set) {
    require(dataset.boxes[set].size() == dataset.goals.size_of(set), "a goal has no box");
    for (const formats::TargetBox& box : dataset.boxes[set]) {
      for (const formats::Direction& corner : box.corners) {
        require(std::isfinite(corner.heading) && std::isfinite(corner.elevation),
                "a corner is not finite");
      }
    }
  }
}

// Every start of a SOON dataset is found again by a trajectory that has it.
void check_starts(const formats::Dataset& dataset) {
  if (dataset.boxes.empty()) return;
  formats::Predictions references;
  references.paths = dataset.references;
  for (const formats::Item& item : dataset.items) {
    formats::Prediction& entry = references.entries.emplace_back();
    entry.id = item.id.substr(0, item.id.rfind('_'));
    entry.trajectory.path = item.reference;
  }
  dataset.task->match(dataset, references);
  require(references.entries.size() == dataset.items.size(), "a trajectory is lost");
  for (std::size_t i = 0; i < dataset.items.size(); ++i) {
    require(references.entries[i].id == dataset.items[i].id, "a path has another one's trajectory");
  }
}

}  // namespace

// The first byte chooses the format: 0 told from the content, 1 to 7 in the order of tasks(); then
// the same with the second, the third and all kinds of references, and with
// sub-instructions as items.
void fuzz_dataset(Bytes input) {
  constexpr std::size_t formats = 8, references = 4;
  const std::size_t choice = take_choice(input, formats * (references + 1));
  const bool has_parts = choice / formats == references;
  const auto reference = has_parts ? formats::ReferenceChoice::path
                                   : static_cast<formats::ReferenceChoice>(choice / formats);
  const tasks::Task* task = choice % formats > 0 ? tasks::list()[choice % formats - 1] : nullptr;
  const MemoryFile file(text_of(input));
  read_or_refuse([&] {
    formats::StringTable viewpoints;
    formats::Dataset dataset =
        formats::read_dataset(file.path(), task, {reference, has_parts}, viewpoints, max_bytes);
    check_items(dataset, viewpoints);
    check_boxes(dataset);
    check_starts(dataset);
    if (!dataset.all_references.empty()) {
      dataset.refer_to(formats::ReferenceChoice::trusted);
      check_items(dataset, viewpoints);
    }
    require(task == nullptr || dataset.task == task, "the task is not the one asked for");
    std::set<std::string> ids;
    for (const formats::Item& item : dataset.items) ids.insert(item.id);
    require(ids.size() == dataset.items.size(), "two items have one id");
  });
  check_chunks([&](const io::Reading& reading, formats::StringTable& table) {
    return formats::read_dataset(file.path(), task, {reference, has_parts, true}, table, reading);
  });
}

void fuzz_pairs(Bytes input) {
  const MemoryFile file(text_of(input));
  read_or_refuse([&] {
    formats::StringTable viewpoints;
    const auto [dataset, predictions] = formats::read_pairs(file.path(), viewpoints, max_bytes);
    check_items(dataset, viewpoints);
    check_paths(predictions.paths, viewpoints);
    require(!dataset.items.empty(), "a file without pairs is accepted");
    require(predictions.entries.size() == dataset.items.size(), "a pair lacks one of its paths");
    for (std::size_t k = 0; k < dataset.items.size(); ++k) {
      const formats::Prediction& prediction = predictions.entries[k];
      require(prediction.id == dataset.items[k].id, "a prediction is another pair's");
      require(prediction.trajectory.path == k, "a prediction's path is another pair's");
    }
    require(predictions.paths.size() == dataset.items.size(), "a path belongs to no pair");
  });
  check_chunks([&](const io::Reading& reading, formats::StringTable& table) {
    return formats::read_pairs(file.path(), table, reading);
  });
}

// The boxes of a dataset with the scans s and t_1, in each of which object 5 is a target.
void fuzz_objects(Bytes input) {
  const MemoryFile file(text_of(input));
  read_or_refuse([&] {
    formats::StringTable viewpoints;
    formats::Dataset dataset;
    dataset.scans = {"s", "t_1"};
    dataset.references.elements = {viewpoints.intern("a")};
    dataset.references.end_path();
    for (std::uint32_t scan = 0; scan < 2; ++scan) {
      formats::Item item{scan == 0 ? "1_5_0" : "2_5_0", scan, 0};
      item.object = "5";
      dataset.items.push_back(item);
    }
    const formats::ObjectsFile objects =
        reverie::read_objects(file.path(), dataset, viewpoints, max_bytes);
    check_paths(dataset.goals, viewpoints);
    std::size_t goals = 0;
    for (const formats::Item& item : dataset.items) {
      require(item.goals && *item.goals < dataset.goals.size(), "an item has no goal set");
      goals += dataset.goals[*item.goals].size();
    }
    require(goals > 0 && goals <= objects.visible, "goals are not among the visible objects");
    require(objects.scans > 0 && objects.scans <= objects.viewpoints, "a scan has no viewpoint");
  });
}

void fuzz_task_success(Bytes input) {
  const MemoryFile file(text_of(input));
  read_or_refuse([&] {
    const formats::TaskSuccess success = formats::read_task_success(file.path(), max_bytes);
    require(!success.values.empty(), "a file without values is accepted");
    for (const auto& [id, value] : success.values) {
      require(std::isnan(value) || (value >= 0.0 && value <= 1.0), "a value is no fraction");
    }
  });
}

}  // namespace warpath::fuzz
