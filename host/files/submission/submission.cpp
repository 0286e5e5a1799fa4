#include "host/files/submission/submission.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "host/files/formats/object_ids.hpp"
#include "host/files/formats/prediction_shapes.hpp"
#include "host/files/formats/trajectory_details.hpp"
#include "host/files/io/json_writer.hpp"

namespace warpath::submission {
namespace {

constexpr std::string_view r2r_id_key = "instr_id", r2r_path_key = "trajectory";

std::string json_list(const std::vector<formats::TrajectoryStep>& places) {
  std::vector<std::string> moves;
  for (const formats::TrajectoryStep& p : places) {
    const auto [heading, elevation] = p.angles;
    moves.push_back(fmt::format("[{}, {}, {}]", io::json_string(p.viewpoint), heading, elevation));
  }
  return fmt::format("[{}]", fmt::join(moves, ", "));
}

// Tells whether the entries are values of their ids, without an id of their own.
bool is_dict(const formats::Predictions& predictions) {
  return predictions.document->root().is_object() &&
         (predictions.format == formats::PredictionFormat::speaker_follower ||
          predictions.format == formats::PredictionFormat::beams ||
          predictions.format == formats::PredictionFormat::instances);
}

// Returns the key of an entry's trajectory; in a dict each entry has its own, but in VELMA's.
std::string_view path_key_in(json::Object entry, const formats::Predictions& predictions) {
  const bool has_own =
      is_dict(predictions) && predictions.format != formats::PredictionFormat::instances;
  const auto own =
      has_own ? formats::first_key(entry, formats::prediction_path_keys) : std::nullopt;
  return own.value_or(predictions.path_key);
}

// Holds the fields of one object. As in Python, the last value of a repeated key takes its first
// place.
class Fields {
 public:
  bool has(std::string_view key) const { return std::ranges::find(keys_, key) != keys_.end(); }
  void set(std::string_view key, std::string value) {
    const auto at = static_cast<std::size_t>(std::ranges::find(keys_, key) - keys_.begin());
    if (at == keys_.size()) {
      keys_.emplace_back(key);
      values_.emplace_back();
    }
    values_[at] = std::move(value);
  }
  std::string text() const {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      parts.push_back(fmt::format("{}: {}", io::json_string(keys_[k]), values_[k]));
    }
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }

 private:
  std::vector<std::string> keys_, values_;
};

}  // namespace

struct SubmissionWriter::Edit {
  std::string id{};          // as JSON; empty: unchanged
  std::string trajectory{};  // the same
  std::optional<json::Object> holder{};
};

json::Value trajectory_in(const formats::Predictions& predictions,
                          const formats::Prediction& prediction) {
  const auto object = formats::object_in(*prediction.entry);
  return object ? formats::find_key(*object, path_key_in(*object, predictions)).value
                : *prediction.entry;
}

// Writes JSON as Python does, with a space behind commas and colons.
std::string SubmissionWriter::json_of(json::Value value) {
  if (formats::is_not_finite(value)) return ++nulls_, "null";
  if (const auto digits = formats::long_integer_in(value)) return std::string(*digits);
  std::vector<std::string> parts;
  json::Array list;
  json::Object object;
  if (value.get(list)) {
    for (const json::Value element : list) parts.push_back(json_of(element));
    return fmt::format("[{}]", fmt::join(parts, ", "));
  }
  if (value.get(object)) {
    for (const auto field : object) {
      parts.push_back(fmt::format("{}: {}", io::json_string(field.key), json_of(field.value)));
    }
    return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  std::string_view text;
  if (value.get(text)) return io::json_string(text);
  return json::minify(value);
}

void SubmissionWriter::write(const formats::Prediction& prediction, const Edit& edit) {
  Fields fields;
  const bool is_in_dict = is_dict(predictions_);
  if (is_in_dict) fields.set(r2r_id_key, io::json_string(prediction.id));
  const auto set_trajectory = [&](json::Value old) {
    fields.set(r2r_path_key, edit.trajectory.empty() ? json_of(old) : edit.trajectory);
  };
  if (const auto object = formats::object_in(*prediction.entry)) {
    const std::string_view old_path_key = path_key_in(*object, predictions_);
    const std::string_view new_id_key = keeps_id_key_ ? predictions_.id_key : r2r_id_key;
    const bool renames_object =
        renames_object_ && !formats::has_key(*object, formats::object_keys[0]);
    for (const auto& [key, value] : *object) {
      if (!is_in_dict && key == predictions_.id_key) {
        fields.set(new_id_key, edit.id.empty() ? json_of(value) : edit.id);
      } else if (key == old_path_key) {
        set_trajectory(value);
      } else if (renames_object && key == formats::object_keys[1]) {
        fields.set(formats::object_keys[0], json_of(value));
      } else if (key != new_id_key && key != r2r_path_key) {  // those names are used already
        fields.set(key, json_of(value));
      }
    }
  } else {
    set_trajectory(*prediction.entry);
  }
  if (edit.holder) {
    for (const auto& [key, value] : *edit.holder) {
      if (!fields.has(key) && key != "path") fields.set(key, json_of(value));
    }
  }
  lines_.push_back(fields.text());
}

void SubmissionWriter::add_unknown(const formats::Prediction& prediction) {
  write(prediction, {});
}

void SubmissionWriter::add(const formats::Prediction& prediction, std::string_view id) {
  write(prediction, {keeps_id_key_ ? "" : io::json_string(id)});
}

void SubmissionWriter::add(const formats::Prediction& prediction, std::string_view id,
                           const formats::TrajectoryDetails& details,
                           const std::vector<formats::TrajectoryStep>& places) {
  write(prediction, {keeps_id_key_ ? "" : io::json_string(id), json_list(places), details.holder});
}

std::string SubmissionWriter::text() const {
  return fmt::format("[\n{}\n]\n", fmt::join(lines_, ",\n"));
}

}  // namespace warpath::submission
