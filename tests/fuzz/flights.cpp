// Annotations and results of drone benchmarks, and what an evaluation makes of them.

#include <algorithm>
#include <cmath>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/position_predictions.hpp"
#include "host/tasks/tasks.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {
namespace {

constexpr std::string_view flight_presets[] = {"aerialvln", "citynav", "citynav-vlnce",
                                               "openfly",   "openuav", "indooruav"};
constexpr std::string_view forms[] = {"openuav", "indooruav"};

void check_flights(const formats::Dataset& dataset) {
  const formats::EpisodeData& data = *dataset.episodes;
  const std::size_t items = dataset.items.size();
  require(data.is_z_up && data.has_poses, "flights have the height last");
  require(data.references.size() == items && data.starts.size() == items &&
              data.goals.size() == items && data.ends.size() == items,
          "a flight's data are not there");
  for (const formats::Item& item : dataset.items) {
    require(item.scan < dataset.scans.size(), "a flight's scan is not there");
  }
}

// Reads an item's own file of annotations that are a folder.
void read_item(const tasks::Task& task, const std::string& path) {
  const formats::JsonFile document(path, max_bytes);
  formats::Dataset dataset;
  dataset.task = &task;
  const auto reader = task.make_reader(dataset, true);
  reader->read(document.root(), {"/f/g/h/item.json"});
  reader->finish();
  check_flights(dataset);
}

void check_flight_scores(const Scores& scores) {
  for (std::size_t k = 0; k < scores.size(); ++k) {
    for (const Metric m : {Metric::SR, Metric::OSR, Metric::nDTW, Metric::SDTW}) {
      const double value = scores.at(m, k);
      require(std::isnan(value) || (value >= 0.0 && value <= 1.0), "a fraction is beyond 0 to 1");
    }
    require(!(scores.at(Metric::SPL, k) < 0.0), "SPL is below 0");
    require(scores.at(Metric::SPL, k) > 1.0 ? scores.status[k] != Status::ok : true,
            "an SPL above 1 is not noted");
  }
}

void evaluate(const EvalFiles& files, std::string_view preset) {
  auto inputs = std::make_unique<evaluation::Inputs>(files, evaluation::Kept{},
                                                     evaluation::EpisodeUse::taken);
  Evaluator evaluator(std::move(inputs));
  Convention convention = find_preset(preset).convention;
  convention.invalid = Invalid::skip;
  const auto runs = evaluator.evaluate(convention, {.backend = Backend::reference});
  check_flight_scores(runs.front().scores);
}

}  // namespace

// The first byte chooses the preset, and whether the annotations, before an empty line, are an
// item's own file. Behind it are results.
void fuzz_flights(Bytes input) {
  constexpr std::size_t kinds = std::size(flight_presets) + std::size(forms);
  const std::size_t choice = take_choice(input, kinds);
  const std::string_view text = text_of(input);
  const std::size_t end = std::min(text.find("\n\n"), text.size());
  const MemoryFile annotations(text.substr(0, end)), results(text.substr(end));
  if (choice >= std::size(flight_presets)) {
    const tasks::Task& task = *tasks::find_task(forms[choice - std::size(flight_presets)]);
    return read_or_refuse([&] { read_item(task, annotations.path()); });
  }
  check_chunks([&](const io::Reading& reading, formats::StringTable&) {
    return formats::read_position_predictions(results.path(), {}, reading, false, true);
  });
  EvalFiles files;
  files.dataset = annotations.path();
  files.predictions = {results.path()};
  files.max_input_bytes = max_bytes;
  read_or_refuse([&] { evaluate(files, flight_presets[choice]); });
}

}  // namespace warpath::fuzz
