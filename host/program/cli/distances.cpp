#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "host/core/base/clean_text.hpp"
#include "host/files/evaluation/inputs.hpp"
#include "host/files/evaluation/matching.hpp"
#include "host/files/evaluation/refusals.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/json_writer.hpp"
#include "host/program/cli/commands.hpp"
#include "host/program/cli/episode_options.hpp"
#include "host/program/cli/options.hpp"
#include "host/program/cli/text_output.hpp"
#include "warpath/error.hpp"

namespace warpath::cli {
namespace {

// A lab that may not share its meshes shares what they give.
class DistancesCommand {
 public:
  explicit DistancesCommand(Command& command) {
    command
        .add_option("predictions", files_.predictions,
                    "prediction files, shards of one agent; - is standard input")
        .name_value("FILE")
        .require()
        .check(not_empty());
    add_dataset_option(command, files_.dataset).require();
    add_navmesh_options(command, files_).require();
    add_max_input_option(command, files_.max_input_bytes);
    out_.add_to(command, "write {episode: [one distance for each position]}; - is standard output")
        .require();
  }

  void run(Io& io) {
    files_.merge = true;
    check_outputs({out_.option()}, files_);
    out_.check();
    const evaluation::Inputs inputs(files_, {}, evaluation::EpisodeUse::taken);
    const formats::Predictions& predictions = inputs.agents.front();
    evaluation::refuse_test_split(inputs.dataset);
    check(inputs.dataset, predictions);
    out_.write(text_of(predictions), io);
    std::ostream& report = out_.beside(io);
    const std::string name = base::clean_text(out_.name());
    report << fmt::format("{}: {}, geodesic, {}\n", name,
                          io::counted(predictions.entries.size(), "path"),
                          inputs.meshes->description());
    for (const std::string& note : predictions.notes) report << fmt::format("{}: {}\n", name, note);
  }

 private:
  // Refuses paths without a distance, and two of one id: a file has one list for both.
  static void check(const formats::Dataset& dataset, const formats::Predictions& predictions) {
    const evaluation::Matching matching(dataset, predictions);
    for (std::uint32_t e = 0; e < predictions.entries.size(); ++e) {
      const formats::Prediction& prediction = predictions.entries[e];
      const std::uint32_t item = matching.item_of(e);
      if (item == evaluation::Matching::no_item) {
        throw InputError({predictions.file, prediction.id},
                         fmt::format("is not in {}", dataset.file),
                         "name the dataset that the agent was run on");
      }
      if (matching.entries_of(item).size() > 1) {
        throw InputError({predictions.file, prediction.id}, "has several paths", "keep one");
      }
      if (!prediction.trajectory.malformed) continue;
      const formats::PositionPath& path = predictions.positions->paths[prediction.trajectory.path];
      throw InputError({predictions.file, prediction.id, path.fault_at}, path.fault, "repair it");
    }
  }

  // Writes all digits, so that --distances gives what --navmesh does.
  static std::string text_of(const formats::Predictions& predictions) {
    const formats::PositionData& data = *predictions.positions;
    std::string text = "{";
    for (const formats::Prediction& prediction : predictions.entries) {
      text += fmt::format("{}\n{}: [", text.size() > 1 ? "," : "", io::json_string(prediction.id));
      const char* before = "";
      for (const double metres : data.distances[prediction.trajectory.path]) {
        text += before + (std::isinf(metres) ? "Infinity" : io::json_float(metres));
        before = ", ";
      }
      text += "]";
    }
    return text + "\n}\n";
  }

  EvalFiles files_;
  TextOutput out_;
};

}  // namespace

void add_distances(Command& program, Io& io) {
  Command& command = program.add_command(
      "distances",
      "Measure the distances of VLN-CE's positions to the goal over navigation meshes");
  auto options = std::make_shared<DistancesCommand>(command);
  command.run = [options, &io] { options->run(io); };
}

}  // namespace warpath::cli
