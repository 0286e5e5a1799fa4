// Readers of what is scored: datasets, pairs files and task success.

#include <cmath>
#include <set>

#include "host/formats/dataset.hpp"
#include "host/formats/task_success.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {
namespace {

// Every list of an episode's data has an element for each item.
void check_episodes(const Dataset& dataset) {
  const std::size_t items = dataset.items.size();
  const EpisodeData& data = *dataset.episodes;
  require(data.references.size() == items && data.starts.size() == items &&
              data.goals.size() == items && data.geodesic_distance.size() == items &&
              data.instruction_ids.size() == items,
          "an episode's data are not there");
  for (const Item& item : dataset.items) {
    require(item.scan < dataset.scans.size(), "an episode's scan is not there");
    require(item.reference < items, "an episode's trajectory has no number");
  }
}

void check_items(const Dataset& dataset, const StringTable& viewpoints) {
  if (dataset.episodes) return check_episodes(dataset);
  check_paths(dataset.references, viewpoints);
  require(dataset.hash.size() == 32, "the hash is no hash");
  for (const Item& item : dataset.items) {
    require(item.scan < dataset.scans.size(), "an item's scan is not there");
    require(item.reference < dataset.references.size(), "an item's reference is not there");
    require(item.instruction >= 0, "an instruction has a negative number");
  }
}

}  // namespace

// The first byte chooses the format: 0 told from the content, 1 to 6 in the order of DatasetFormat;
// then the same with the second and third kind of NDH's references.
void fuzz_dataset(Bytes input) {
  constexpr std::size_t formats = 7, references = 3;
  const std::size_t choice = take_choice(input, formats * references);
  std::optional<DatasetFormat> format;
  if (choice % formats > 0) format = static_cast<DatasetFormat>(choice % formats - 1);
  const MemoryFile file(text_of(input));
  read_or_refuse([&] {
    StringTable viewpoints;
    const Dataset dataset = read_dataset(
        file.path(), format, static_cast<NdhReference>(choice / formats), viewpoints, max_bytes);
    check_items(dataset, viewpoints);
    require(!format || dataset.format == *format, "the format is not the one asked for");
    std::set<std::string> ids;
    for (const Item& item : dataset.items) ids.insert(item.id);
    require(ids.size() == dataset.items.size(), "two items have one id");
  });
}

void fuzz_pairs(Bytes input) {
  const MemoryFile file(text_of(input));
  read_or_refuse([&] {
    StringTable viewpoints;
    const auto [dataset, predictions] = read_pairs(file.path(), viewpoints, max_bytes);
    check_items(dataset, viewpoints);
    check_paths(predictions.paths, viewpoints);
    require(!dataset.items.empty(), "a file without pairs is accepted");
    require(predictions.entries.size() == dataset.items.size(), "a pair lacks one of its paths");
    for (std::size_t k = 0; k < dataset.items.size(); ++k) {
      const Prediction& prediction = predictions.entries[k];
      require(prediction.id == dataset.items[k].id, "a prediction is another pair's");
      require(prediction.trajectory.path == k, "a prediction's path is another pair's");
    }
    require(predictions.paths.size() == dataset.items.size(), "a path belongs to no pair");
  });
}

void fuzz_task_success(Bytes input) {
  const MemoryFile file(text_of(input));
  read_or_refuse([&] {
    const TaskSuccess success = read_task_success(file.path(), max_bytes);
    require(!success.values.empty(), "a file without values is accepted");
    for (const auto& [id, value] : success.values) {
      require(std::isnan(value) || (value >= 0.0 && value <= 1.0), "a value is no fraction");
    }
  });
}

}  // namespace warpath::fuzz
