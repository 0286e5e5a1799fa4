// Predictions of positions and distances to the goal, and what an evaluation makes of them.

#include "host/files/formats/positions.hpp"

#include <algorithm>
#include <cmath>

#include "host/files/evaluation/inputs.hpp"
#include "host/files/formats/position_predictions.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {
namespace {

constexpr std::string_view episodes = R"({"episodes": [
{"episode_id": 1, "trajectory_id": 0, "scene_id": "mp3d/h/h.glb", "start_position": [0, 0, 0],
 "goals": [{"position": [2, 0, 2]}, {"position": [2.5, 0, 2]}], "info": {"geodesic_distance": 4},
 "reference_path": [[0, 0, 0], [1, 0, 0], [1, 0.5, 1], [2, 0, 2]],
 "instruction": {"instruction_id": 501, "language": "en-US"}},
{"episode_id": 2, "trajectory_id": 0, "scene_id": "mp3d/h/h.glb", "start_position": [0, 0, 0],
 "goals": [{"position": [0, 0, 0]}], "reference_path": [[0, 0, 0]],
 "instruction": {"instruction_id": 502}},
{"episode_id": "x", "trajectory_id": 1, "scene_id": "t", "start_position": [-9, 1, 4],
 "goals": [{"position": [-9, 1, 40]}], "info": {"geodesic_distance": 36},
 "reference_path": [[-9, 1, 4], [-9, 1, 4], [-9, 1, 20], [-9, 1, 30], [-9, 1, 40]],
 "instruction": {"instruction_id": 503}}]})";

constexpr std::string_view conventions[] = {"vlnce",  "vlnce-fastdtw", "dcvln",
                                            "etpnav", "vlnpe",         "paper"};

// Every path has its flags, and distances for each position or for none.
void check_positions(const formats::Predictions& predictions) {
  require(predictions.positions.has_value(), "predictions of positions have none");
  const formats::PositionData& data = *predictions.positions;
  require(data.paths.size() == data.points.size() && data.distances.size() == data.points.size(),
          "a path has no flags or distances");
  for (const formats::Prediction& p : predictions.entries) {
    const std::uint32_t path = p.trajectory.path;
    require(path < data.points.size(), "a prediction's path is not there");
    require(p.trajectory.malformed != data.paths[path].fault.empty(),
            "a malformed path does not say what is wrong");
    if (p.trajectory.malformed) continue;
    const std::size_t given = data.distances.size_of(path);
    require(given == 0 || given == data.points.size_of(path), "a position has no distance");
    for (const formats::Point& point : data.points[path]) {
      require(std::ranges::all_of(point, [](double c) { return std::abs(c) <= 1e7; }),
              "a position is not finite");
    }
  }
}

void check_scores(const Scores& scores) {
  for (const MetricInfo& m : metric_table()) {
    for (const double value : scores.column[m.metric]) {
      if (std::isnan(value)) continue;
      const bool is_rate = m.unit == Unit::fraction && m.metric != Metric::CR;
      require(std::isfinite(value) || m.metric == Metric::CR, "a score is infinite");
      require(!is_rate || (value >= 0.0 && value <= 1.0), "a fraction is beyond 0 to 1");
      require(m.metric == Metric::GP || value >= 0.0, "a length or count is negative");
    }
  }
}

void check_fast_dtw(const Scores& fast, const Scores& exact) {
  for (std::size_t k = 0; k < fast.size(); ++k) {
    const double a = fast.at(Metric::DTW, k), b = exact.at(Metric::DTW, k);
    require(a >= b * (1 - 1e-12), "FastDTW is below exact DTW");
  }
}

// Tours have weights that add up to 1, unless no episode of any counts.
void check_weights(const AgentResult& run) {
  double weights = 0.0;
  bool have_episodes = run.tours.empty();
  for (const TourRow& tour : run.tours) {
    weights += tour.weight;
    have_episodes = have_episodes || tour.episodes > 0;
    require(tour.episodes == 0 || tour.dtw >= 0.0, "a tour's DTW is negative");
  }
  require(run.tours.empty() || !have_episodes || std::abs(weights - 1.0) < 1e-9,
          "the weights of tours do not add up to 1");
}

Scores score(Evaluator& evaluator, const Convention& convention) {
  AgentResult run = evaluator.evaluate(convention, {.backend = Backend::reference}).front();
  check_weights(run);
  return std::move(run.scores);
}

}  // namespace

// The first byte chooses the convention. Behind an empty line may be a file of distances, which may
// be empty, and behind another one tours of the episodes.
void fuzz_positions(Bytes input) {
  const std::size_t choice = take_choice(input, std::size(conventions));
  const std::string_view text = text_of(input);
  const std::size_t end = std::min(text.find("\n\n"), text.size());
  const std::string_view rest = text.substr(end);
  const std::size_t split = std::min(rest.find("\n\n", 2), rest.size());
  const MemoryFile dataset(episodes), agent(text.substr(0, end)), distances(rest.substr(0, split)),
      tours(rest.substr(split));
  EvalFiles files;
  files.dataset = dataset.path();
  files.predictions = {agent.path()};
  const bool has_distances = rest.substr(0, split).find_first_not_of('\n') != rest.npos;
  if (has_distances) files.distances = {distances.path()};
  if (split < rest.size()) files.tours = tours.path();
  files.max_input_bytes = max_bytes;
  check_chunks([&](const io::Reading& reading, formats::StringTable&) {
    return formats::read_position_predictions(agent.path(), {}, reading);
  });
  read_or_refuse([&] {
    auto inputs = std::make_unique<evaluation::Inputs>(files, evaluation::Kept{},
                                                       evaluation::EpisodeUse::taken);
    check_positions(inputs->agents.front());
    Evaluator evaluator(std::move(inputs));
    Convention convention = find_preset(conventions[choice]).convention;
    convention.missing = Missing::skip;
    convention.invalid = Invalid::skip;
    convention.duplicates = files.tours.empty() ? Duplicates::each : Duplicates::first;
    convention.infeasible = Infeasible::zero;
    const Scores scores = score(evaluator, convention);
    check_scores(scores);
    if (convention.dtw_radius == 0) return;
    convention.dtw_build = FastDtw::compiled;
    const Scores compiled = score(evaluator, convention);
    convention.dtw_radius = 0;
    const Scores exact = score(evaluator, convention);
    check_fast_dtw(scores, exact);
    check_fast_dtw(compiled, exact);
  });
}

}  // namespace warpath::fuzz
