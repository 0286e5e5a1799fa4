#include "host/files/evaluation/describe_agents.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "host/files/evaluation/describe_inputs.hpp"
#include "host/files/io/counted.hpp"

namespace warpath::evaluation {
namespace {

// Returns the name of a file without its folder and endings: "folder/agent.json.gz" → "agent".
std::string stem(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending : {".gz", ".json", ".jsonl"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.resize(name.size() - ending.size());
    }
  }
  return name;
}

// Returns how many paths have the distances that their entry or a file gives.
std::size_t count_given(const formats::PositionData& data) {
  std::size_t given = 0;
  for (std::size_t p = 0; p < data.paths.size(); ++p) given += data.distances.size_of(p) > 0;
  return given;
}

// Says where the distances to the goal of an agent's positions come from.
PositionDistances distances_of(const Inputs& inputs, std::size_t agent) {
  if (inputs.grids) return inputs.grids->distances(agent);
  if (inputs.meshes) return inputs.meshes->measured(agent);
  const formats::PositionData& data = *inputs.agents[agent].positions;
  const std::size_t given = count_given(data);
  const char* source = !inputs.files.distances.empty() ? "file"
                       : given == 0                    ? "euclidean"
                       : given == data.paths.size()    ? "predictions"
                                                       : "predictions-or-euclidean";
  return {.source = source, .of = "goal", .files = 0, .hash = data.distances_hash};
}

std::string text_of(const PositionDistances& distances, const Inputs& inputs, std::size_t agent) {
  if (inputs.grids) return "; " + inputs.grids->description(agent);
  if (inputs.meshes) {
    return fmt::format("; {}: geodesic, {}",
                       distances.of == "all" ? "all distances" : "distances to the goal",
                       inputs.meshes->description());
  }
  const std::string to_goal = "; distances to the goal: ";
  if (distances.source == "file") return to_goal + "--distances";
  if (distances.source == "euclidean") return to_goal + "Euclidean";
  if (distances.source == "predictions") return to_goal + "as predictions give them";
  const formats::PositionData& data = *inputs.agents[agent].positions;
  return fmt::format("{}as {} of {} predictions give them, else Euclidean", to_goal,
                     count_given(data), data.paths.size());
}

std::string shards(const EvalFiles& files) {
  return files.merge ? fmt::format(" in {} shards", files.predictions.size()) : "";
}

}  // namespace

void name_agents(std::vector<AgentResult>& runs, const std::vector<std::string>& names,
                 std::size_t per_agent) {
  const auto is_given = [&](std::size_t r) {
    return r / per_agent < names.size() && !names[r / per_agent].empty();
  };
  std::map<std::string, std::size_t> uses;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    runs[r].name = is_given(r) ? names[r / per_agent] : stem(runs[r].file);
    ++uses[runs[r].name];
  }
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!is_given(r) && uses[runs[r].name] > per_agent) runs[r].name = runs[r].file;
    if (!runs[r].reference.empty()) runs[r].name += fmt::format(" [{}]", runs[r].reference);
  }
}

AgentResult describe_agent(const Inputs& inputs, std::size_t agent) {
  const formats::Predictions& predictions = inputs.agents[agent];
  AgentResult run;
  run.file = predictions.file;
  run.hash = predictions.hash;
  run.format = formats::name(predictions.format);
  if (const formats::TaskSuccess* success = inputs.success_of(agent))
    run.task_success_hash = success->hash;
  run.format_description = inputs.dataset.is_pairs
                               ? fmt::format("pairs, {}", inputs.item_count())
                               : fmt::format("{}{}, {}{}", formats::title(predictions.format),
                                             as_lines(predictions.is_lines),
                                             io::counted(predictions.entries.size(), "prediction"),
                                             shards(inputs.files));
  if (!predictions.positions) return run;
  run.distances = distances_of(inputs, agent);
  if (!inputs.dataset.is_pairs) run.format_description += text_of(*run.distances, inputs, agent);
  return run;
}

}  // namespace warpath::evaluation
