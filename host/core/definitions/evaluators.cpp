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
     "Zhang et al., arXiv 2509.12618",
     "arvillion/ActiveVLN 63984f3",
     "eval/vlnce/analyze_results.py",
     {},
     "activevln",
     "its bootstraps (best@k, worst@k) are left out"},
    {"AirVLN", "AerialVLN", "Liu et al., ICCV 2023, arXiv 2308.06735", "AirVLN/AirVLN 1c2fb6f",
     "src/vlnce_src/env.py 656-741", "aerialvln"},
    {"ALFRED",
     "ALFRED",
     "Shridhar et al., CVPR 2020, arXiv 1912.01734",
     "askforalfred/alfred f91f4c0",
     "models/eval/eval_task.py",
     {},
     "alfred"},
    {"BEVBert", "R2R", "An et al., ICCV 2023, arXiv 2212.04385", "MarSaKi/VLN-BEVBert ee40002",
     "r2r/env.py 329-338", "duet"},
    {"BEVBert",
     "VLN-CE",
     "An et al., ICCV 2023, arXiv 2212.04385",
     "MarSaKi/VLN-BEVBert ee40002",
     {},
     "dcvln"},
    {"citynav",
     "CityNav",
     "Lee et al., arXiv 2406.14240",
     "water-cookie/citynav 372ecbd",
     "gsamllavanav/evaluate.py 42-87",
     "citynav",
     {},
     "vlnce/evaluate.py 39-63, its other evaluator, is citynav-vlnce"},
    {"CLIP-ViL", "R2R", "Shen et al., arXiv 2107.06383", "clip-vil/CLIP-ViL", "r2r_src/eval.py",
     "envdrop"},
    {"CVDN", "NDH", "Thomason et al., arXiv 1907.04957", "mmurray/cvdn 97a4ae9",
     "tasks/NDH/eval.py", "ndh"},
    {"Discrete-Continuous-VLN", "VLN-CE", "Hong et al., CVPR 2022, arXiv 2203.02764",
     "YicongHong/Discrete-Continuous-VLN", "common/base_il_trainer.py", "dcvln"},
    {"ETP-R1",
     "VLN-CE",
     "Ye et al., arXiv 2512.20940",
     "ETP-R1 a94b5c8",
     {},
     "etpnav",
     {},
     "its evaluation; its rewards are etp-r1-r2r and etp-r1-rxr"},
    {"ETPNav",
     "VLN-CE",
     "An et al., TPAMI 2024, arXiv 2304.03047, Tables 2 and 3",
     "MarSaKi/ETPNav",
     "ss_trainer_ETP.py",
     "etpnav",
     {},
     "paths are cut to 500 steps, and the last one counts as a stop"},
    {"g3D-LF",
     "VLN-CE",
     "Wang et al., CVPR 2025, arXiv 2411.17030, Tables 1 and 2",
     "g3D-LF 9338aa5",
     {},
     "dcvln"},
    {"GOAT-Bench",
     "GOAT-Bench",
     "Khanna et al., CVPR 2024, arXiv 2404.06609",
     "Ram81/goat-bench 74c41d1",
     "goat_bench/measurements/nav.py",
     {},
     "goat"},
    {"GridMM", "R2R", "Wang et al., ICCV 2023, arXiv 2307.12907", "MrZihan/GridMM 713139f",
     "r2r/env.py 662", "duet"},
    {"GridMM", "VLN-CE", "Wang et al., ICCV 2023, arXiv 2307.12907", "MrZihan/GridMM 713139f",
     "base_il_trainer.py 596-610", "dcvln"},
    {"GSA-VLN",
     "R2R",
     "Hong et al., ICLR 2025, arXiv 2501.17403",
     "honghd16/GSA-VLN b67547d",
     {},
     "duet",
     {},
     "its tables are of its own dataset, GSA-R2R; also prints means by scan (--by scan)"},
    {"HA-VLN",
     "VLN-CE",
     "Dong et al., arXiv 2503.14229",
     "F1y1113/HA-VLN 160becd",
     "HASimulator/metric.py",
     {},
     "ha-vln",
     "needs the infos of its episodes, of which it writes only means"},
    {"HAMT", "NDH", "Chen et al., NeurIPS 2021, arXiv 2110.13309", "cshizhe/VLN-HAMT c8b9ee1",
     "cvdn/env.py", "ndh-hamt"},
    {"HAMT", "R2R, R4R, RxR", "Chen et al., NeurIPS 2021, arXiv 2110.13309",
     "cshizhe/VLN-HAMT c8b9ee1", "r2r/env.py", "hamt"},
    {"HAMT", "REVERIE", "Chen et al., NeurIPS 2021, arXiv 2110.13309", "cshizhe/VLN-HAMT c8b9ee1",
     "reverie/env.py", "duet-reverie"},
    {"HNR-VLN",
     "VLN-CE",
     "Wang et al., CVPR 2024, arXiv 2404.01943",
     "MrZihan/HNR-VLN 6c935c1",
     {},
     "dcvln"},
    {"IndoorUAV-Agent", "IndoorUAV", "Liu et al., AAAI 2026, arXiv 2512.19024",
     "valyentinee/IndoorUAV-Agent 4626bbe", "eval_metric/vln_metric.py 48-160", "indooruav"},
    {"IndoorUAV-Agent",
     "IndoorUAV-VLA",
     "Liu et al., AAAI 2026, arXiv 2512.19024",
     "valyentinee/IndoorUAV-Agent 4626bbe",
     "eval_metric/vla_metric.py 55-214",
     {},
     "indooruav-vla"},
    {"InternNav",
     "VLN-CE",
     "Huang et al., arXiv 2512.22342",
     "InternRobotics/InternNav 7a5c624",
     "habitat_dialog_evaluator.py 252-271",
     {},
     "internnav"},
    {"InternNav", "VLN-PE", "Wang et al., ICCV 2025, arXiv 2507.13019",
     "InternRobotics/InternNav 7a5c624", "vln_pe_metrics.py 36-110", "vlnpe", "vlnpe"},
    {"IVLN", "R2R", "Krantz et al., CVPR 2023, arXiv 2210.03087", "Bill1235813/IVLN 65f940e",
     "r2r/main.py, eval_utils.py", "ivln"},
    {"IVLN-CE", "VLN-CE", "Krantz et al., CVPR 2023, arXiv 2210.03087",
     "jacobkrantz/IVLN-CE 14417fc", "habitat_extensions/tour_ndtw.py", "ivlnce"},
    {"JanusVLN",
     "VLN-CE",
     "Zeng et al., arXiv 2509.22548",
     "MIV-XJTU/JanusVLN 266ee05",
     "src/evaluation.py 442-461",
     {},
     "streamvln"},
    {"LH-VLN",
     "LH-VLN",
     "Song et al., CVPR 2025, arXiv 2412.09082",
     "HCPLab-SYSU/LH-VLN 3492080",
     "utils/metrics.py 47-140",
     {},
     "lhvln",
     "needs what return_results() gives, which it writes to no file"},
    {"map2seq_vln", "Touchdown", "Schumann et al., ACL 2022, arXiv 2203.13838",
     "raphael-sch/map2seq_vln f27b05f", "vln/env.py", "touchdown"},
    {"MapGPT", "R2R", "Chen et al., ACL 2024, arXiv 2401.07314, Tables 1 and 2",
     "chen-judge/MapGPT 37ed94b", "vln/env.py 324-334", "duet"},
    {"Matterport3DSimulator",
     "R2R",
     "Anderson et al., CVPR 2018, arXiv 1711.07280",
     "peteanderson80/Matterport3DSimulator 589d091",
     "tasks/R2R/eval.py",
     "r2r",
     {},
     "the class of the R2R test server, too"},
    {"NavCoT", "R2R", "Lin et al., TPAMI 2025, arXiv 2403.07376, Table 1",
     "expectorlin/NavCoT 7e6058d", "finetune_src/r2r/env.py 401-409", "hamt"},
    {"NavGPT",
     "R2R",
     "Zhou et al., AAAI 38, arXiv 2305.16986",
     "GengzeZhou/NavGPT b3fc8a2",
     {},
     "duet"},
    {"NavGPT-2", "R2R", "Zhou et al., ECCV 2024, arXiv 2407.12366", "GengzeZhou/NavGPT-2 1f535cb",
     "map_nav_src/r2r/env.py 280-298", "duet"},
    {"NaVid",
     "VLN-CE",
     "Zhang et al., RSS 2024, arXiv 2402.15852, Tables I to III",
     "NaVid-VLN-CE cf066cc",
     {},
     {},
     "navid",
     "its released model also learned from RxR and has other numbers (its issue 68)"},
    {"NaVILA",
     "VLN-CE",
     "Cheng et al., RSS 2025, arXiv 2412.04453, Tables I and II",
     "NaVILA 76b98f2",
     {},
     {},
     "navila"},
    {"NaviLLM", "NDH", "Zheng et al., CVPR 2024, arXiv 2312.02010", "LaVi-Lab/NaviLLM a221f42",
     "tasks/datasets/cvdn.py", "navillm-ndh"},
    {"NaviLLM",
     "R2R",
     "Zheng et al., CVPR 2024, arXiv 2312.02010",
     "LaVi-Lab/NaviLLM a221f42",
     {},
     "duet",
     {},
     "an unknown instruction ends it"},
    {"OpenFly-Platform", "OpenFly", "Gao et al., ICLR 2026, arXiv 2502.18041",
     "SHAILAB-IPEC/OpenFly-Platform c075075", "train/eval.py 579-631", "openfly"},
    {"OVER-NAV", "R2R", "Zhao et al., CVPR 2024, arXiv 2403.17334", "uitrbn/OVER-NAV-IVLN b4c63f9",
     "r2r/eval_utils.py", "over-nav"},
    {"R2R-EnvDrop", "R2R", "Tan et al., NAACL 2019, arXiv 1904.04195",
     "airsplay/R2R-EnvDrop 6f938ab", "r2r_src/eval.py", "envdrop"},
    {"r4r",
     "R4R",
     "Jain et al., ACL 2019, arXiv 1905.12255",
     "google-research/google-research",
     "r4r/dtw.py, r4r/cls.py",
     "r4r-hops",
     {},
     "its classes count edges unless they are given lengths; with lengths in metres they are r4r"},
    {"Recurrent-VLN-BERT", "R2R", "Hong et al., CVPR 2021, arXiv 2011.13922, Table 1",
     "YicongHong/Recurrent-VLN-BERT ad147f4", "r2r_src/eval.py", "envdrop"},
    {"REVERIE", "REVERIE", "Qi et al., CVPR 2020, arXiv 1904.10151", "YuankaiQi/REVERIE 0fe0955",
     "tasks/REVERIE/eval_release.py", "reverie"},
    {"RxR",
     "RxR",
     "Ku et al., EMNLP 2020, arXiv 2010.07954",
     "google-research-datasets/RxR d22df59",
     "the follower files' metrics",
     "rxr-published",
     {},
     "its graph has other coordinates; rxr has the public graph's"},
    {"RxR-Habitat",
     "VLN-CE",
     {},
     "jacobkrantz/VLN-CE 729d141",
     "habitat_extensions/measures.py",
     "vlnce-fastdtw",
     {},
     "the server is not reachable; these are the formulas of its code"},
    {"ScaleVLN",
     "R2R",
     "Wang et al., ICCV 2023, arXiv 2307.15644",
     "wz0919/ScaleVLN 3bdff0d",
     {},
     "duet"},
    {"ScaleVLN", "REVERIE", "Wang et al., ICCV 2023, arXiv 2307.15644", "wz0919/ScaleVLN 3bdff0d",
     "reverie/env.py", "scalevln-reverie"},
    {"Sim2Real-VLN-3DFF", "VLN-CE", "Wang et al., CoRL 2024, arXiv 2406.09798",
     "MrZihan/Sim2Real-VLN-3DFF 445ecdb", "ss_trainer", "etpnav"},
    {"SOON", "SOON", "Zhu et al., CVPR 2021, arXiv 2103.17138", "SOON-EvalAI-Starters",
     "evaluation_script/main.py", "soon"},
    {"SSM-VLN",
     "R2R",
     "Wang et al., CVPR 2021, arXiv 2103.03454",
     "SSM-VLN",
     {},
     "envdrop",
     {},
     "does not ask for all instructions: --missing skip"},
    {"StreamVLN",
     "VLN-CE",
     "Wei et al., ICRA 2026, arXiv 2507.05240, Table 1",
     "InternRobotics/StreamVLN e48f6ff",
     {},
     {},
     "streamvln"},
    {"TEACh",
     "TEACh",
     "Padmakumar et al., AAAI 2022, arXiv 2110.00534",
     "alexa/teach 903191e",
     "src/teach/eval/compute_metrics.py",
     {},
     "teach"},
    {"TrackVLA",
     "EVT-Bench",
     "Wang et al., CoRL 2025, arXiv 2505.23189",
     "wsakobe/TrackVLA c69f9d9",
     "analyze_results.py",
     {},
     "evt"},
    {"TravelUAV", "OpenUAV", "Wang et al., ICLR 2025, arXiv 2410.07087",
     "prince687028/TravelUAV 5cc26e9", "utils/metric.py 38-145", "openuav"},
    {"UAV-ON",
     "UAV-ON",
     "Xiao et al., ACM MM 2025, arXiv 2508.00288",
     "Kyaren/UAV_ON dac6af0",
     "utils/classify_metric.py",
     {},
     "uavon"},
    {"Uni-NaVid",
     "VLN-CE",
     "Zhang et al., RSS 2025, arXiv 2412.06224, Tables II and III",
     "Uni-NaVid 64444eb",
     {},
     {},
     "navid",
     "its released model has other numbers than the tables (its issue 25)"},
    {"VALAN", "NDH", "Wang et al., arXiv 2003.00443", "google-research/valan 9fc6e38",
     "r2r/ndh_problem.py", "valan-ndh"},
    {"VALAN",
     "R2R, R4R, RxR",
     "Lansing et al., arXiv 1912.03241",
     "google-research/valan 9fc6e38",
     "r2r/eval_metric.py",
     "valan",
     {},
     "its graph has other coordinates, which are not public"},
    {"VELMA", "Touchdown", "Schumann et al., arXiv 2307.06082, Table 2",
     "raphael-sch/VELMA 43c12cc", "vln/evaluate.py", "velma"},
    {"VLN-CE",
     "VLN-CE",
     "Krantz et al., ECCV 2020, arXiv 2004.02857",
     "jacobkrantz/VLN-CE 729d141",
     "habitat_extensions/measures.py",
     "vlnce-fastdtw",
     {},
     "with FDTW: False it is vlnce"},
    {"VLN-DUET",
     "R2R, R4R, RxR",
     "Chen et al., CVPR 2022, arXiv 2202.11742, Table 7",
     "cshizhe/VLN-DUET 93e8b23",
     "r2r/env.py",
     "duet",
     {},
     "its paper has no table of R4R or RxR"},
    {"VLN-DUET", "REVERIE", "Chen et al., CVPR 2022, arXiv 2202.11742, Table 6",
     "cshizhe/VLN-DUET 93e8b23", "reverie/env.py", "duet-reverie"},
    {"VLN-DUET",
     "SOON",
     "Chen et al., CVPR 2022, arXiv 2202.11742, Table 5",
     "cshizhe/VLN-DUET 93e8b23",
     "soon/env.py",
     "duet-soon",
     {},
     "its split is the challenge's, not that of SOON's paper"},
    {"VLN-GOAT", "R2R", "Wang et al., CVPR 2024, arXiv 2404.10241, Table 1",
     "CrystalSixone/VLN-GOAT ff8d73e", "r2r/env.py 472-482", "duet"},
    {"VLN-SIG", "R2R", "Li et al., CVPR 2023, arXiv 2304.04907", "VLN-SIG 603bbd2", {}, "duet"},
    {"VLN-Transformer", "Touchdown", "Zhu et al., EACL 2021, arXiv 2007.00229",
     "VegB/VLN-Transformer da1fa71", "touchdown/env.py", "touchdown"},
};

bool is_separator(char c) {
  return c == ' ' || c == '-' || c == '_';
}

std::string without_separators(std::string_view name) {
  std::string letters;
  std::ranges::remove_copy_if(name, std::back_inserter(letters), is_separator);
  return letters;
}

bool is_called(std::string_view name, std::string_view letters) {
  return !name.empty() && base::equal_letters(without_separators(name), letters);
}

std::vector<Evaluator> find_where(auto&& is_meant) {
  std::vector<Evaluator> found;
  std::ranges::copy_if(table, std::back_inserter(found), is_meant);
  return found;
}

bool has_letters(std::string_view name, std::string_view letters) {
  const std::string whole = without_separators(name);
  for (std::size_t at = 0; at + letters.size() <= whole.size(); ++at) {
    if (base::equal_letters(std::string_view(whole).substr(at, letters.size()), letters))
      return true;
  }
  return false;
}

std::vector<std::string_view> names_of_projects() {
  std::vector<std::string_view> names;
  for (const Evaluator& e : table) names.push_back(e.name);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Returns a rule of averages by its name; an empty name if there is none.
std::string_view rule_of(std::string_view letters) {
  const auto* const it =
      std::ranges::find_if(table, [&](const Evaluator& e) { return is_called(e.rule, letters); });
  return it == std::end(table) ? std::string_view() : it->rule;
}

}  // namespace

std::span<const Evaluator> evaluators() {
  return table;
}

std::vector<Evaluator> find_evaluators(std::string_view name) {
  if (base::equal_letters(name, "all")) return {std::begin(table), std::end(table)};
  const std::string letters = without_separators(name);
  std::vector<Evaluator> found = find_where([&](const Evaluator& e) {
    return is_called(e.name, letters) || is_called(e.preset, letters) || is_called(e.rule, letters);
  });
  if (found.empty() && !letters.empty())
    found = find_where([&](const Evaluator& e) { return has_letters(e.name, letters); });
  if (found.empty()) throw UsageError(base::no_such("project", name, names_of_projects()));
  return found;
}

std::string_view find_preset_of_project(std::string_view name) {
  const std::string letters = without_separators(name);
  for (const Preset& preset : presets()) {
    if (base::equal_letters(preset.convention.preset, letters)) return {};
  }
  const auto found = find_where([&](const Evaluator& e) { return is_called(e.name, letters); });
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
