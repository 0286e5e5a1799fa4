// The public repositories whose numbers the presets and rules give.

#include "host/core/definitions/evaluators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "host/core/base/suggest.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"

namespace warpath::definitions {
namespace {

constexpr Evaluator table[] = {
    {"ActiveVLN",
     "VLN-CE",
     "arvillion/ActiveVLN 63984f3",
     "eval/vlnce/analyze_results.py",
     {},
     "activevln",
     "its bootstraps (best@k, worst@k) are left out"},
    {"AirVLN", "AerialVLN", "AirVLN/AirVLN 1c2fb6f", "src/vlnce_src/env.py 656-741", "aerialvln"},
    {"ALFRED", "ALFRED", "askforalfred/alfred f91f4c0", "models/eval/eval_task.py", {}, "alfred"},
    {"BEVBert", "R2R", "MarSaKi/VLN-BEVBert ee40002", "r2r/env.py 329-338", "duet"},
    {"BEVBert", "VLN-CE", "MarSaKi/VLN-BEVBert ee40002", {}, "dcvln"},
    {"citynav",
     "CityNav",
     "water-cookie/citynav 372ecbd",
     "gsamllavanav/evaluate.py 42-87",
     "citynav",
     {},
     "vlnce/evaluate.py 39-63, its other evaluator, is citynav-vlnce"},
    {"CLIP-ViL", "R2R", "clip-vil/CLIP-ViL", "r2r_src/eval.py", "envdrop"},
    {"CVDN", "NDH", "mmurray/cvdn 97a4ae9", "tasks/NDH/eval.py", "ndh"},
    {"Discrete-Continuous-VLN", "VLN-CE", "YicongHong/Discrete-Continuous-VLN",
     "common/base_il_trainer.py", "dcvln"},
    {"ETP-R1",
     "VLN-CE",
     "ETP-R1 a94b5c8",
     {},
     "etpnav",
     {},
     "its evaluation; its rewards are etp-r1-r2r and etp-r1-rxr"},
    {"ETPNav",
     "VLN-CE",
     "MarSaKi/ETPNav",
     "ss_trainer_ETP.py",
     "etpnav",
     {},
     "paths are cut to 500 steps, and the last one counts as a stop"},
    {"g3D-LF", "VLN-CE", "g3D-LF 9338aa5", {}, "dcvln"},
    {"GOAT-Bench",
     "GOAT-Bench",
     "Ram81/goat-bench 74c41d1",
     "goat_bench/measurements/nav.py",
     {},
     "goat"},
    {"GridMM", "R2R", "MrZihan/GridMM 713139f", "r2r/env.py 662", "duet"},
    {"GridMM", "VLN-CE", "MrZihan/GridMM 713139f", "base_il_trainer.py 596-610", "dcvln"},
    {"GSA-VLN",
     "R2R",
     "honghd16/GSA-VLN b67547d",
     {},
     "duet",
     {},
     "also prints means by scan (--by scan)"},
    {"HA-VLN",
     "VLN-CE",
     "F1y1113/HA-VLN 160becd",
     "HASimulator/metric.py",
     {},
     "ha-vln",
     "needs the infos of its episodes, of which it writes only means"},
    {"HAMT", "NDH", "cshizhe/VLN-HAMT c8b9ee1", "cvdn/env.py", "ndh-hamt"},
    {"HAMT", "R2R, R4R, RxR", "cshizhe/VLN-HAMT c8b9ee1", "r2r/env.py", "hamt"},
    {"HAMT", "REVERIE", "cshizhe/VLN-HAMT c8b9ee1", "reverie/env.py", "duet-reverie"},
    {"HNR-VLN", "VLN-CE", "MrZihan/HNR-VLN 6c935c1", {}, "dcvln"},
    {"IndoorUAV-Agent", "IndoorUAV", "valyentinee/IndoorUAV-Agent 4626bbe",
     "eval_metric/vln_metric.py 48-160", "indooruav"},
    {"IndoorUAV-Agent",
     "IndoorUAV-VLA",
     "valyentinee/IndoorUAV-Agent 4626bbe",
     "eval_metric/vla_metric.py 55-214",
     {},
     "indooruav-vla"},
    {"InternNav",
     "VLN-CE",
     "InternRobotics/InternNav 7a5c624",
     "habitat_dialog_evaluator.py 252-271",
     {},
     "internnav"},
    {"InternNav", "VLN-PE", "InternRobotics/InternNav 7a5c624", "vln_pe_metrics.py 36-110", "vlnpe",
     "vlnpe"},
    {"IVLN", "R2R", "Bill1235813/IVLN 65f940e", "r2r/main.py, eval_utils.py", "ivln"},
    {"IVLN-CE", "VLN-CE", "jacobkrantz/IVLN-CE 14417fc", "habitat_extensions/tour_ndtw.py",
     "ivlnce"},
    {"JanusVLN",
     "VLN-CE",
     "MIV-XJTU/JanusVLN 266ee05",
     "src/evaluation.py 442-461",
     {},
     "streamvln"},
    {"LH-VLN",
     "LH-VLN",
     "HCPLab-SYSU/LH-VLN 3492080",
     "utils/metrics.py 47-140",
     {},
     "lhvln",
     "needs what return_results() gives, which it writes to no file"},
    {"map2seq_vln", "Touchdown", "raphael-sch/map2seq_vln f27b05f", "vln/env.py", "touchdown"},
    {"MapGPT", "R2R", "chen-judge/MapGPT 37ed94b", "vln/env.py 324-334", "duet"},
    {"Matterport3DSimulator",
     "R2R",
     "peteanderson80/Matterport3DSimulator 589d091",
     "tasks/R2R/eval.py",
     "r2r",
     {},
     "the class of the R2R test server, too"},
    {"NavCoT", "R2R", "expectorlin/NavCoT 7e6058d", "finetune_src/r2r/env.py 401-409", "hamt"},
    {"NavGPT", "R2R", "GengzeZhou/NavGPT b3fc8a2", {}, "duet"},
    {"NavGPT-2", "R2R", "GengzeZhou/NavGPT-2 1f535cb", "map_nav_src/r2r/env.py 280-298", "duet"},
    {"NaVid", "VLN-CE", "NaVid-VLN-CE cf066cc", {}, {}, "navid"},
    {"NaVILA", "VLN-CE", "NaVILA 76b98f2", {}, {}, "navila"},
    {"NaviLLM", "NDH", "LaVi-Lab/NaviLLM a221f42", "tasks/datasets/cvdn.py", "navillm-ndh"},
    {"NaviLLM",
     "R2R",
     "LaVi-Lab/NaviLLM a221f42",
     {},
     "duet",
     {},
     "an unknown instruction ends it"},
    {"OpenFly-Platform", "OpenFly", "SHAILAB-IPEC/OpenFly-Platform c075075",
     "train/eval.py 579-631", "openfly"},
    {"OVER-NAV", "R2R", "uitrbn/OVER-NAV-IVLN b4c63f9", "r2r/eval_utils.py", "over-nav"},
    {"R2R-EnvDrop", "R2R", "airsplay/R2R-EnvDrop 6f938ab", "r2r_src/eval.py", "envdrop"},
    {"r4r",
     "R4R",
     "google-research/google-research",
     "r4r/dtw.py, r4r/cls.py",
     "r4r-hops",
     {},
     "its classes count edges unless they are given lengths; with lengths in metres they are r4r"},
    {"Recurrent-VLN-BERT", "R2R", "YicongHong/Recurrent-VLN-BERT ad147f4", "r2r_src/eval.py",
     "envdrop"},
    {"REVERIE", "REVERIE", "YuankaiQi/REVERIE 0fe0955", "tasks/REVERIE/eval_release.py", "reverie"},
    {"RxR",
     "RxR",
     "google-research-datasets/RxR d22df59",
     "the follower files' metrics",
     "rxr-published",
     {},
     "its graph has other coordinates; rxr has the public graph's"},
    {"RxR-Habitat",
     "VLN-CE",
     "jacobkrantz/VLN-CE 729d141",
     "habitat_extensions/measures.py",
     "vlnce-fastdtw",
     {},
     "the server is not reachable; these are the formulas of its code"},
    {"ScaleVLN", "R2R", "wz0919/ScaleVLN 3bdff0d", {}, "duet"},
    {"ScaleVLN", "REVERIE", "wz0919/ScaleVLN 3bdff0d", "reverie/env.py", "scalevln-reverie"},
    {"Sim2Real-VLN-3DFF", "VLN-CE", "MrZihan/Sim2Real-VLN-3DFF 445ecdb", "ss_trainer", "etpnav"},
    {"SOON", "SOON", "SOON-EvalAI-Starters", "evaluation_script/main.py", "soon"},
    {"SSM-VLN",
     "R2R",
     "SSM-VLN",
     {},
     "envdrop",
     {},
     "does not ask for all instructions: --missing skip"},
    {"StreamVLN", "VLN-CE", "InternRobotics/StreamVLN e48f6ff", {}, {}, "streamvln"},
    {"TEACh", "TEACh", "alexa/teach 903191e", "src/teach/eval/compute_metrics.py", {}, "teach"},
    {"TrackVLA", "EVT-Bench", "wsakobe/TrackVLA c69f9d9", "analyze_results.py", {}, "evt"},
    {"TravelUAV", "OpenUAV", "prince687028/TravelUAV 5cc26e9", "utils/metric.py 38-145", "openuav"},
    {"UAV-ON", "UAV-ON", "Kyaren/UAV_ON dac6af0", "utils/classify_metric.py", {}, "uavon"},
    {"Uni-NaVid", "VLN-CE", "Uni-NaVid 64444eb", {}, {}, "navid"},
    {"VALAN", "NDH", "google-research/valan 9fc6e38", "r2r/ndh_problem.py", "valan-ndh"},
    {"VALAN",
     "R2R, R4R, RxR",
     "google-research/valan 9fc6e38",
     "r2r/eval_metric.py",
     "valan",
     {},
     "its graph has other coordinates, which are not public"},
    {"VELMA", "Touchdown", "raphael-sch/VELMA 43c12cc", "vln/evaluate.py", "velma"},
    {"VLN-CE",
     "VLN-CE",
     "jacobkrantz/VLN-CE 729d141",
     "habitat_extensions/measures.py",
     "vlnce-fastdtw",
     {},
     "with FDTW: False it is vlnce"},
    {"VLN-DUET", "R2R, R4R, RxR", "cshizhe/VLN-DUET 93e8b23", "r2r/env.py", "duet"},
    {"VLN-DUET", "REVERIE", "cshizhe/VLN-DUET 93e8b23", "reverie/env.py", "duet-reverie"},
    {"VLN-DUET", "SOON", "cshizhe/VLN-DUET 93e8b23", "soon/env.py", "duet-soon"},
    {"VLN-GOAT", "R2R", "CrystalSixone/VLN-GOAT ff8d73e", "r2r/env.py 472-482", "duet"},
    {"VLN-SIG", "R2R", "VLN-SIG 603bbd2", {}, "duet"},
    {"VLN-Transformer", "Touchdown", "VegB/VLN-Transformer da1fa71", "touchdown/env.py",
     "touchdown"},
};

bool is_separator(char c) {
  return c == ' ' || c == '-' || c == '_';
}

std::string without_separators(std::string_view name) {
  std::string letters;
  std::ranges::remove_copy_if(name, std::back_inserter(letters), is_separator);
  return letters;
}

// Finds a project by its name; the names of all are added to `names`.
std::vector<Evaluator> find_project(std::string_view name, std::vector<std::string_view>& names) {
  const std::string wanted = without_separators(name);
  std::vector<Evaluator> found;
  for (const Evaluator& evaluator : table) {
    if (names.empty() || names.back() != evaluator.name) names.push_back(evaluator.name);
    if (base::equal_letters(without_separators(evaluator.name), wanted)) found.push_back(evaluator);
  }
  return found;
}

// Returns a rule of averages by its name; an empty name if there is none.
std::string_view rule_of(std::string_view letters) {
  const auto* const it = std::ranges::find_if(table, [&](const Evaluator& evaluator) {
    return !evaluator.rule.empty() &&
           base::equal_letters(without_separators(evaluator.rule), letters);
  });
  return it == std::end(table) ? std::string_view() : it->rule;
}

}  // namespace

std::span<const Evaluator> evaluators() {
  return table;
}

std::vector<Evaluator> find_evaluators(std::string_view name) {
  if (base::equal_letters(name, "all")) return {std::begin(table), std::end(table)};
  std::vector<std::string_view> names;
  std::vector<Evaluator> found = find_project(name, names);
  if (found.empty()) throw UsageError(base::no_such("project", name, names));
  return found;
}

std::string_view find_preset_of_project(std::string_view name) {
  const std::string letters = without_separators(name);
  for (const Preset& preset : presets()) {
    if (base::equal_letters(preset.convention.preset, letters)) return {};
  }
  std::vector<std::string_view> names;
  const std::vector<Evaluator> found = find_project(name, names);
  const std::string_view preset = found.empty() ? std::string_view() : found.front().preset;
  for (const Evaluator& evaluator : found) {
    if (evaluator.preset != preset) {
      throw UsageError(
          fmt::format("{} scores its tasks by different rules: warpath presets --for {} lists them",
                      evaluator.name, evaluator.name));
    }
  }
  const std::string_view rule = found.empty() ? rule_of(letters) : found.front().rule;
  if (!preset.empty() || rule.empty()) return preset;
  throw UsageError(fmt::format(
      "{} has no preset, but a rule of averages: say warpath aggregate --rules {}", name, rule));
}

}  // namespace warpath::definitions
