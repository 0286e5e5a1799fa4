// Tours of items, and those of continuous episodes with what an agent recorded of them.

#include "host/files/formats/tours.hpp"

#include <algorithm>
#include <cmath>

#include "host/files/evaluation/inputs.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {
namespace {

constexpr std::string_view items = R"([
{"scan": "s", "path_id": 1, "path": ["a", "b"], "instructions": ["", "", ""]},
{"scan": "s", "path_id": 2, "path": ["b", "c"], "instructions": ["", "", ""]},
{"scan": "t", "path_id": 3, "path": ["d"], "instructions": ["", "", ""]}])";

// Every episode of a tour is an item of the tour's scan, and none is there twice.
void check_tours(const formats::Dataset& dataset) {
  require(dataset.tours.has_value() && !dataset.tours->tours.empty(), "there are no tours");
  std::vector<bool> is_taken(dataset.items.size());
  for (const formats::Tour& tour : dataset.tours->tours) {
    require(!tour.items.empty(), "a tour has no episode");
    for (const std::uint32_t item : tour.items) {
      require(item < dataset.items.size(), "an episode of a tour is not there");
      require(dataset.items[item].scan == dataset.items[tour.items.front()].scan,
              "a tour has two scans");
      require(!is_taken[item], "an episode is in the tours twice");
      is_taken[item] = true;
    }
  }
}

// Weights add up to 1, and what a tour has lies in 0 to 1.
void check_results(const AgentResult& run) {
  double weights = 0.0;
  for (const TourRow& tour : run.tours) {
    weights += tour.weight;
    const double ndtw = tour.values[Metric::tour_nDTW];
    require(std::isnan(ndtw) || (ndtw >= 0.0 && ndtw <= 1.0), "a tour's nDTW is beyond 0 to 1");
    require(tour.dtw >= 0.0 || tour.episodes == 0, "a tour's DTW is negative");
  }
  require(std::abs(weights - 1.0) < 1e-9, "the weights of tours do not add up to 1");
}

void read_of_items(std::string_view text) {
  const MemoryFile file(items), tours(text);
  read_or_refuse([&] {
    formats::StringTable viewpoints;
    formats::Dataset dataset = formats::read_dataset(
        file.path(), nullptr, formats::ReferenceChoice::path, viewpoints, max_bytes);
    formats::read_tours(tours.path(), "", dataset, max_bytes);
    check_tours(dataset);
  });
}

void score_of_episodes(std::string_view text) {
  const std::size_t end = std::min(text.find("\n\n"), text.size());
  const MemoryFile truth(text.substr(0, end)), agent(text.substr(end));
  EvalFiles files;
  files.dataset = truth.path();
  files.predictions = {agent.path()};
  files.max_input_bytes = max_bytes;
  read_or_refuse([&] {
    auto inputs = std::make_unique<evaluation::Inputs>(files, evaluation::Kept{},
                                                       evaluation::EpisodeUse::taken);
    if (!inputs->dataset.tours) return;
    check_tours(inputs->dataset);
    Evaluator evaluator(std::move(inputs));
    Convention convention = find_preset("ivlnce").convention;
    convention.missing = Missing::zero;
    convention.invalid = Invalid::zero;
    convention.infeasible = Infeasible::zero;
    check_results(evaluator.evaluate(convention, {.backend = Backend::reference}).front());
  });
}

}  // namespace

// The first byte chooses: '0' tours of made-up items, '1' a ground truth of continuous tours, an
// empty line and what an agent recorded.
void fuzz_tours(Bytes input) {
  const bool is_continuous = take_choice(input, 2) == 1;
  if (is_continuous)
    score_of_episodes(text_of(input));
  else
    read_of_items(text_of(input));
}

}  // namespace warpath::fuzz
