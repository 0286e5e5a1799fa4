#include "host/files/evaluation/published_scores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "host/files/io/counted.hpp"

namespace warpath::evaluation {
namespace {

// Holds the largest difference of one metric, and the prediction that has it.
struct Largest {
  double difference = 0.0;
  std::uint32_t entry = 0;
};

// Tells whether two values are equal but for rounding in single precision. DTW adds up many.
bool are_equal(double given, double ours) {
  return std::abs(given - ours) <= 1e-5 * std::max(1.0, std::abs(given));
}

}  // namespace

std::string compare_published(const formats::Predictions& predictions, const PackedRun& run,
                              const Scores& scores) {
  if (predictions.published.empty()) return "";
  std::array<Largest, formats::published_names.size()> largest;
  std::size_t compared = 0, different = 0;
  for (std::size_t pair = 0; pair < scores.size(); ++pair) {
    const std::uint32_t entry = run.sources[pair].entry;
    bool is_compared = false, differs = false;
    for (std::size_t k = 0; k < formats::published_names.size(); ++k) {
      const double given = predictions.published[entry][k];
      if (scores.column[formats::published_names[k].metric].empty()) continue;
      const double ours = scores.at(formats::published_names[k].metric, pair);
      const double difference = std::abs(given - ours);
      if (std::isnan(difference)) continue;
      is_compared = true;
      differs |= !are_equal(given, ours);
      if (difference > largest[k].difference) largest[k] = {difference, entry};
    }
    compared += is_compared;
    different += differs;
  }
  if (compared == 0) return "";
  if (different == 0) {
    return fmt::format("the metrics in the file equal these ({})",
                       io::counted(compared, "prediction"));
  }
  std::string text;
  for (std::size_t k = 0; k < largest.size(); ++k) {
    if (largest[k].difference == 0.0) continue;
    text +=
        fmt::format("{}{} {:.2g} ({})", text.empty() ? "" : ", ", formats::published_names[k].key,
                    largest[k].difference, predictions.entries[largest[k].entry].id);
  }
  const bool are_instances = predictions.format == formats::PredictionFormat::instances;
  return fmt::format("the metrics in the file differ from these in {} of {}, at most by {}; see {}",
                     different, io::counted(compared, "prediction"), text,
                     are_instances ? "preset velma" : "presets rxr and rxr-published");
}

}  // namespace warpath::evaluation
