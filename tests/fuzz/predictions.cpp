// The reader of predictions in all forms, and what `warpath validate --fix` and `convert` write of
// them.

#include "host/files/formats/predictions.hpp"

#include <algorithm>

#include "host/files/formats/trajectory_details.hpp"
#include "host/files/submission/server.hpp"
#include "host/files/submission/submission.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {
namespace {

// The second reader of trajectories has to see what the first has seen.
void check_details(const formats::Predictions& predictions,
                   const formats::StringTable& viewpoints) {
  for (const formats::Prediction& p : predictions.entries) {
    const formats::TrajectoryDetails details =
        formats::read_trajectory_details(submission::trajectory_in(predictions, p));
    const formats::Trajectory &form = details.form, &read = p.trajectory;
    require(form.malformed == read.malformed && form.not_finite == read.not_finite &&
                form.nested == read.nested && form.plain == read.plain &&
                form.has_headings == read.has_headings && form.has_objects == read.has_objects &&
                form.candidates == read.candidates,
            "the readers of trajectories disagree on the form");
    const auto path = predictions.paths[read.path];
    require(read.malformed || std::ranges::equal(
                                  path, details.places, {},
                                  [&](formats::Token t) { return std::string_view(viewpoints[t]); },
                                  &formats::TrajectoryStep::viewpoint),
            "the readers of trajectories disagree on the viewpoints");
  }
}

// A text has the ids and paths of the predictions that it was written from.
void check_text(const std::string& text, const formats::Predictions& predictions,
                formats::StringTable& viewpoints) {
  const MemoryFile file(text);
  const formats::Predictions written =
      formats::read_predictions(file.path(), std::nullopt, viewpoints, false, max_bytes);
  require(written.entries.size() == predictions.entries.size(), "an entry is not written");
  for (std::size_t k = 0; k < written.entries.size(); ++k) {
    const formats::Prediction &before = predictions.entries[k], &after = written.entries[k];
    require(before.id == after.id, "an id is written as another one");
    require(std::ranges::equal(predictions.paths[before.trajectory.path],
                               written.paths[after.trajectory.path]),
            "a path is written as another one");
  }
}

// What is written from an entry, as it stands or with its trajectory in the server's form, is JSON
// and has the entry's id and path.
void check_written(const formats::Predictions& predictions, formats::StringTable& viewpoints,
                   bool is_in_form) {
  if (predictions.entries.empty()) return;
  submission::SubmissionWriter writer(predictions, false, false);
  for (const formats::Prediction& p : predictions.entries) {
    if (is_in_form && !p.trajectory.malformed) {
      const formats::TrajectoryDetails details =
          formats::read_trajectory_details(submission::trajectory_in(predictions, p));
      writer.add(p, p.id, details, details.places);
    } else {
      writer.add(p, p.id);
    }
  }
  check_text(writer.text(), predictions, viewpoints);
}

// Conversion keeps ids and paths, or refuses the predictions.
void check_converted(const formats::Predictions& predictions, const submission::Server& server,
                     formats::StringTable& viewpoints) {
  if (predictions.entries.empty()) return;
  std::optional<submission::Conversion> made;
  read_or_refuse(
      [&] { made = submission::convert_viewpoints(server, predictions, nullptr, false); });
  if (made) check_text(made->text, predictions, viewpoints);
}

void check_append(const formats::Predictions& predictions, const formats::StringTable& viewpoints) {
  formats::Predictions twice = predictions;
  twice.append(predictions);
  check_paths(twice.paths, viewpoints);
  require(twice.entries.size() == 2 * predictions.entries.size(), "a shard loses entries");
  for (const formats::Prediction& p : twice.entries) {
    require(p.trajectory.path < twice.paths.size(), "a shard's path is not there");
  }
}

}  // namespace

// The first byte chooses the format: 0 told from the content, 1 to 8 in the order of
// PredictionFormat.
void fuzz_predictions(Bytes input) {
  const std::size_t choice = take_choice(input, 9);
  std::optional<formats::PredictionFormat> format;
  if (choice > 0)
    format = formats::find_prediction_format(formats::prediction_format_names()[choice - 1]);
  const MemoryFile file(text_of(input));
  formats::StringTable viewpoints;
  formats::Predictions predictions;
  read_or_refuse([&] {
    predictions = formats::read_predictions(file.path(), format, viewpoints, true, max_bytes);
  });
  check_paths(predictions.paths, viewpoints);
  for (const formats::Prediction& p : predictions.entries) {
    require(p.trajectory.path < predictions.paths.size(), "a prediction's path is not there");
  }
  check_append(predictions, viewpoints);
  check_chunks([&](const io::Reading& reading, formats::StringTable& table) {
    return formats::read_predictions(file.path(), format, table, false, reading);
  });
  if (format) return;  // which may leave out viewpoints
  check_details(predictions, viewpoints);
  for (const bool is_in_form : {false, true}) check_written(predictions, viewpoints, is_in_form);
  for (const submission::Server* server : submission::servers_with_form()) {
    if (!server->takes_positions) check_converted(predictions, *server, viewpoints);
  }
}

}  // namespace warpath::fuzz
