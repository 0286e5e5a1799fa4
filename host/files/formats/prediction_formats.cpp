#include <algorithm>

#include "host/core/base/suggest.hpp"
#include "host/files/formats/predictions.hpp"

namespace warpath::formats {
namespace {

struct FormatRow {
  PredictionFormat format;
  std::string_view name, title;  // on the command line, in reports
  bool has_positions = false;
};

// In the order of help texts.
constexpr FormatRow prediction_formats[] = {
    {PredictionFormat::evalai, "evalai", "EvalAI submission"},
    {PredictionFormat::viewpoints, "viewpoints", "list of viewpoints"},
    {PredictionFormat::nested, "nested", "nested list of moves (DUET)"},
    {PredictionFormat::speaker_follower, "speaker-follower", "speaker-follower dict"},
    {PredictionFormat::inst_idx, "inst-idx", "NDH submission"},
    {PredictionFormat::instruction_id, "instruction-id", "RxR submission"},
    {PredictionFormat::beams, "beams", "speaker-follower beams"},
    {PredictionFormat::trajectories, "soon", "SOON submission"},
    {PredictionFormat::instances, "velma", "VELMA results"},
    {PredictionFormat::positions, "positions", "VLN-CE submission", true},
    {PredictionFormat::points, "points", "positions by episode", true},
    {PredictionFormat::position_lines, "position-lines", "RxR-Habitat submission", true},
};

const FormatRow& row_of(PredictionFormat format) {
  return *std::ranges::find(prediction_formats, format, &FormatRow::format);
}

}  // namespace

std::string_view name(PredictionFormat format) {
  return row_of(format).name;
}
std::string_view title(PredictionFormat format) {
  return row_of(format).title;
}
bool is_of_positions(PredictionFormat format) {
  return row_of(format).has_positions;
}

std::optional<PredictionFormat> find_prediction_format(std::string_view wanted) {
  for (const FormatRow& row : prediction_formats) {
    if (base::equal_letters(row.name, wanted)) return row.format;
  }
  return std::nullopt;
}

std::vector<std::string_view> prediction_format_names() {
  std::vector<std::string_view> names;
  for (const FormatRow& row : prediction_formats) names.push_back(row.name);
  return names;
}

}  // namespace warpath::formats
