#include "warpath/scores.hpp"

#include <tbb/parallel_for.h>

#include <limits>

namespace warpath {
namespace {

// Origin of a status: a pair that was scored, or the reading of files.
constexpr bool pair = true, file = false;

constexpr std::array<StatusInfo, status_count> status_table{{
    {"ok", pair, "", ""},
    {"missing", file, "have no prediction", "complete the file, or say --missing skip or zero"},
    {"not_scored", file, "are left out by this preset",
     "--instructions all; of flights: --ended any"},
    {"unknown_id", file, "are predicted but not in the dataset",
     "ignored; check that dataset and predictions are of the same split"},
    {"malformed", file, "have a trajectory of the wrong form", "warpath validate names each"},
    {"empty_path", pair, "have an empty path", "write at least where it starts"},
    {"unknown_viewpoint", file, "name a viewpoint that the scan's graph has not",
     "check the graph folder and the ids; warpath validate names each"},
    {"unreachable", pair, "need a distance where no way leads",
     "no value for these; check the graph, or of episodes the mesh or the distances"},
    {"spl_above_one", file, "have an SPL above 1, as it has no maximum under this preset",
     "--spl-ratio capped"},
    {"wrong_start", file, "do not begin at the reference's start",
     "--start off accepts them silently"},
    {"non_adjacent", file, "move between viewpoints that share no edge",
     "write every viewpoint passed; in R2R's form, warpath validate --fix fills the gaps"},
    {"duplicate_id", file, "are predicted more than once",
     "--duplicates first, last or each chooses"},
    {"not_finite", file, "have a NaN or an infinity in their trajectory",
     "headings and elevations are not scored; in R2R's form, warpath validate --fix writes 0"},
    {"length_undefined", pair, "have a step that is no edge, so no CLS under cls-step=edge",
     "set repeats to collapse, or cls-step to shortest"},
    {"spl_undefined", pair,
     "have SPL 0/0 (start at the goal, no move), where this preset's source fails",
     "set spl-zero to success-if-unmoved or zero"},
    {"cls_undefined", pair, "have CLS 0/0 (no length at all), where this preset's source gets NaN",
     "set cls-zero to ls-one or cls-one"},
    {"dtw_undefined", pair, "have a reference of length 0, by which this preset divides DTW",
     "set dtw-norm to cost"},
    {"no_task_success", pair, "have no usable task success",
     "no SDTW for these; give each id a number in [0, 1]"},
    {"goal_unreachable", file, "have no way to the goal from the start or the end, so no NE or SPL",
     "they are failures without a distance; check the distances"},
    {"other_ending", file, "have an ending that this preset does not score", "--ended any"},
}};

}  // namespace

const StatusInfo& info(Status status) {
  return status_table[static_cast<std::size_t>(status)];
}

Scores::Scores(std::size_t pairs, const MetricSet& metrics) {
  resize(pairs, metrics);
}

// The first write to new memory takes the system longer than scoring takes, so several threads make
// the columns of a large batch.
void Scores::resize(std::size_t pairs, const MetricSet& metrics) {
  constexpr std::size_t large = std::size_t{1} << 16;
  status.resize(pairs, Status::ok);
  zero_rules.resize(pairs, 0);
  const auto resize_column = [&](Metric m) {
    column[m].resize(metrics[m] ? pairs : 0, std::numeric_limits<double>::quiet_NaN());
  };
  if (pairs >= large) {
    const auto& infos = metric_table();
    tbb::parallel_for(std::size_t{0}, infos.size(),
                      [&](std::size_t k) { resize_column(infos[k].metric); });
  } else {
    for (const Metric m : MetricSet::all()) resize_column(m);
  }
}

ScoreColumns<double> columns_of(Scores& scores) {
  ScoreColumns<double> columns{{}, scores.status.data(), scores.zero_rules.data()};
  for (const Metric m : MetricSet::all()) {
    if (!scores.column[m].empty()) columns.column[m] = scores.column[m].data();
  }
  return columns;
}

}  // namespace warpath
