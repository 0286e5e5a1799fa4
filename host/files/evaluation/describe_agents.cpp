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

// Says where the distances to the goal of an agent's positions come from.
std::string distances_of(const Inputs& inputs, const formats::Predictions& predictions) {
  const formats::PositionData& data = *predictions.positions;
  if (!inputs.files.distances.empty()) return "; distances to the goal: --distances";
  if (inputs.meshes) {
    const bool are_all = inputs.meshes->which() == OverMeshes::all;
    return fmt::format("; {}: geodesic, {}", are_all ? "all distances" : "distances to the goal",
                       inputs.meshes->description());
  }
  std::size_t given = 0;
  for (std::size_t p = 0; p < data.paths.size(); ++p) given += data.distances.size_of(p) > 0;
  if (given == 0) return "; distances to the goal: Euclidean";
  if (given == data.paths.size()) return "; distances to the goal: as predictions give them";
  return fmt::format("; distances to the goal: as {} of {} predictions give them, else Euclidean",
                     given, data.paths.size());
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
  if (inputs.dataset.is_pairs) return run;
  if (inputs.grids)
    run.format_description += "; " + inputs.grids->description(agent);
  else if (predictions.positions)
    run.format_description += distances_of(inputs, predictions);
  return run;
}

}  // namespace warpath::evaluation
