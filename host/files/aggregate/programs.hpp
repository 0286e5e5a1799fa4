#pragma once

#include "host/files/aggregate/rules.hpp"

// The programs that read files of their own: how their files are told and read, and their means.
// See the field names of AggregateRule. Each rule fails on files of other programs.

namespace warpath::aggregate {

/// ActiveVLN: a file per run of an episode, log/stats_<episode>_<run>.json.
formats::ResultDump read_activevln(const DumpRequest& request);
RuleResult apply_activevln(const formats::ResultDump& dump, const OursOptions& options);

/// LH-VLN: what return_results() gives for each task, as a list or lines.
bool recognizes_lhvln(const DumpRequest& request);
formats::ResultDump read_lhvln(const DumpRequest& request);
RuleResult apply_lhvln(const formats::ResultDump& dump, const OursOptions& options);

/// GOAT-Bench: episode_metrics.json. `ours` has sums over subtasks besides.
bool recognizes_goat(const DumpRequest& request);
formats::ResultDump read_goat(const DumpRequest& request);
RuleResult apply_goat(const formats::ResultDump& dump, const OursOptions& options);

/// HA-VLN: the infos of its episodes, and the baseline of collisions.
bool recognizes_ha_vln(const DumpRequest& request);
formats::ResultDump read_ha_vln(const DumpRequest& request);
RuleResult apply_ha_vln(const formats::ResultDump& dump, const OursOptions& options);

/// EVT-Bench: a folder of <scene>/<id>.json, with track_episode_step/ in or beside it.
bool recognizes_evt(const DumpRequest& request);
formats::ResultDump read_evt(const DumpRequest& request);
RuleResult apply_evt(const formats::ResultDump& dump, const OursOptions& options);

/// IndoorUAV's short flights: a folder of a file per flight, beside the dataset.
bool recognizes_indooruav_vla(const DumpRequest& request);
formats::ResultDump read_indooruav_vla(const DumpRequest& request);
RuleResult apply_indooruav_vla(const formats::ResultDump& dump, const OursOptions& options);

/// UAV-ON: a folder of <scene>/[success_|oracle_]<scene>.json/task_<number>/.
bool recognizes_uavon(const DumpRequest& request);
formats::ResultDump read_uavon(const DumpRequest& request);
RuleResult apply_uavon(const formats::ResultDump& dump, const OursOptions& options);

/// Path-length-weighted rates: ALFRED's task_results_*.json, TEACh's metrics file, or either.
bool recognizes_alfred(const DumpRequest& request);
bool recognizes_teach(const DumpRequest& request);
formats::ResultDump read_alfred(const DumpRequest& request);
formats::ResultDump read_teach(const DumpRequest& request);
formats::ResultDump read_plw(const DumpRequest& request);
RuleResult apply_alfred(const formats::ResultDump& dump, const OursOptions& options);
RuleResult apply_teach(const formats::ResultDump& dump, const OursOptions& options);
RuleResult apply_plw(const formats::ResultDump& dump, const OursOptions& options);

}  // namespace warpath::aggregate
