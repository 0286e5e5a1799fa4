// The presets: conventions that have a name.

#include "host/core/definitions/presets.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "host/core/base/suggest.hpp"
#include "host/core/definitions/evaluators.hpp"
#include "host/core/definitions/preset_conventions.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

using C = Convention;
namespace conventions = definitions::conventions;

struct Row {
  std::string_view name;
  C convention;
  std::string_view source;
  std::string_view note{};
  std::vector<std::string_view> tasks{};    // that the source evaluates; none: any
  std::vector<std::string_view> aliases{};  // further names
  bool is_of_tours = false;
};

// The presets in the order of reports.
std::vector<Row> make_rows() {
  // Evaluators of R2R are used for these, too.
  const std::vector<std::string_view> of_paths{"R2R", "R4R", "RxR"};
  return {
      {.name = "paper", .convention = C(), .source = "the original papers of the metrics"},
      {.name = "r2r",
       .convention = conventions::r2r(),
       .source = "Matterport3DSimulator tasks/R2R/eval.py",
       .tasks = {"R2R"}},
      {.name = "envdrop",
       .convention = conventions::envdrop(),
       .source = "R2R-EnvDrop, Recurrent-VLN-BERT r2r_src/eval.py",
       .tasks = of_paths},
      {.name = "duet",
       .convention = conventions::duet(),
       .source = "VLN-DUET and VLN-HAMT r2r/env.py",
       .note = "it prints fractions x 100",
       .tasks = of_paths,
       .aliases = {"hamt"}},
      {.name = "r4r",
       .convention = conventions::r4r(),
       .source = "google-research r4r/dtw.py and cls.py, distances in metres",
       .note = "a repeated viewpoint is no edge: CLS needs repeats=collapse",
       .tasks = of_paths},
      {.name = "r4r-hops",
       .convention = conventions::r4r_hops(),
       .source = "the same code with its default edge weight, hops",
       .note = "threshold in edges",
       .tasks = of_paths},
      {.name = "valan",
       .convention = conventions::valan(),
       .source = "google-research valan r2r/eval_metric.py, touchdown/td_problem.py",
       .note = "its formulas on the public graph; its own coordinates are not public",
       .tasks = of_paths},
      {.name = "ndh",
       .convention = conventions::ndh(),
       .source = "CVDN tasks/NDH/eval.py",
       .note = "--reference chooses its path type",
       .tasks = {"NDH"}},
      {.name = "ndh-hamt",
       .convention = conventions::ndh_hamt(),
       .source = "VLN-HAMT cvdn/env.py",
       .note = "it prints fractions x 100",
       .tasks = {"NDH"}},
      {.name = "navillm-ndh",
       .convention = conventions::duet(),
       .source = "NaviLLM tasks/datasets/cvdn.py",
       .note = "it prints fractions x 100; its loader replaces planner's paths that end outside "
               "the region",
       .tasks = {"NDH"}},
      {.name = "valan-ndh",
       .convention = conventions::valan(),
       .source = "google-research valan r2r/ndh_problem.py",
       .note = "it trains on --reference trusted; success is at that path's end",
       .tasks = {"NDH"}},
      {.name = "reverie",
       .convention = conventions::reverie(),
       .source = "REVERIE tasks/REVERIE/eval_release.py",
       .note = "--objects names the boxes; quote their version",
       .tasks = {"REVERIE"}},
      {.name = "duet-reverie",
       .convention = conventions::duet_reverie(),
       .source = "VLN-DUET and VLN-HAMT reverie/env.py",
       .note = "as reverie; it prints fractions x 100",
       .tasks = {"REVERIE"}},
      {.name = "scalevln-reverie",
       .convention = conventions::scalevln_reverie(),
       .source = "ScaleVLN reverie/env.py",
       .note = "as duet-reverie",
       .tasks = {"REVERIE"}},
      {.name = "soon",
       .convention = conventions::soon(),
       .source = "SOON-EvalAI-Starters evaluation_script/main.py",
       .note = "--angles wrap compares headings modulo a full turn, which it does not",
       .tasks = {"SOON"}},
      {.name = "duet-soon",
       .convention = conventions::duet_soon(),
       .source = "VLN-DUET soon/env.py",
       .note = "it prints fractions x 100",
       .tasks = {"SOON"}},
      {.name = "rxr",
       .convention = conventions::rxr(),
       .source = "the metrics of RxR's follower files, on the public graph",
       .note = "every demonstration of an instruction is scored",
       .tasks = {"RxR"}},
      {.name = "rxr-published",
       .convention = conventions::rxr_published(),
       .source = "the metrics of RxR's follower files, as published",
       .note = "needs --coordinates, the panorama centres of the .house files",
       .tasks = {"RxR"}},
      {.name = "vlnce",
       .convention = conventions::vlnce(),
       .source = "VLN-CE habitat_extensions/measures.py, habitat-lab v0.1.7, exact DTW",
       .note = "without --navmesh or --distances those to the goal are Euclidean, not geodesic",
       .tasks = {"VLN-CE"}},
      {.name = "vlnce-fastdtw",
       .convention = conventions::vlnce_fastdtw(),
       .source = "the same with FDTW: True, its default",
       .note = "fastdtw 0.3.4 in pure Python",
       .tasks = {"VLN-CE"}},
      {.name = "dcvln",
       .convention = conventions::dcvln(),
       .source = "Discrete-Continuous-VLN common/base_il_trainer.py",
       .note = "fastdtw 0.3.4 in pure Python",
       .tasks = {"VLN-CE"}},
      {.name = "etpnav",
       .convention = conventions::etpnav(),
       .source = "ETPNav ss_trainer_ETP.py",
       .note = "success needs no stop; fastdtw 0.3.4 in pure Python",
       .tasks = {"VLN-CE"}},
      {.name = "vlnpe",
       .convention = conventions::vlnpe(),
       .source = "InternNav VLN-PE vln_pe_metrics.py",
       .note = "horizontal distances to the end of the reference; its nDTW is a mean of "
               "Gaussians, no DTW",
       .tasks = {"VLN-CE"}},
      {.name = "touchdown",
       .convention = conventions::touchdown(),
       .source = "map2seq_vln vln/env.py and VLN-Transformer touchdown/env.py",
       .note = "TC is SR, SPD is NE",
       .tasks = {"Touchdown"},
       .aliases = {"map2seq", "vln-transformer"}},
      {.name = "velma",
       .convention = conventions::velma(),
       .source = "VELMA vln/evaluate.py",
       .note = "TC is SR, SPD is NE",
       .tasks = {"Touchdown"}},
      {.name = "aerialvln",
       .convention = conventions::aerialvln(),
       .source = "AirVLN src/vlnce_src/env.py",
       .note = "NE ignores height",
       .tasks = {"AerialVLN"}},
      {.name = "openuav",
       .convention = conventions::openuav(),
       .source = "TravelUAV utils/metric.py",
       .tasks = {"OpenUAV"}},
      {.name = "citynav",
       .convention = conventions::citynav(),
       .source = "citynav gsamllavanav/evaluate.py",
       .tasks = {"CityNav"}},
      {.name = "citynav-vlnce",
       .convention = conventions::citynav_vlnce(),
       .source = "citynav vlnce/evaluate.py",
       .tasks = {"CityNav"}},
      {.name = "openfly",
       .convention = conventions::openfly(),
       .source = "OpenFly-Platform train/eval.py",
       .note = "SPL has no maximum",
       .tasks = {"OpenFly"}},
      {.name = "indooruav",
       .convention = conventions::indooruav(),
       .source = "IndoorUAV-Agent eval_metric/vln_metric.py",
       .tasks = {"IndoorUAV"}},
      {.name = "ivln",
       .convention = conventions::ivln(),
       .source = "IVLN r2r/main.py, eval_utils.py",
       .note = "--tours names the tours",
       .tasks = of_paths,
       .is_of_tours = true},
      {.name = "over-nav",
       .convention = conventions::over_nav(),
       .source = "OVER-NAV-IVLN r2r/eval_utils.py",
       .note = "as ivln, 0 without an alignment",
       .tasks = of_paths,
       .is_of_tours = true},
      {.name = "ivlnce",
       .convention = conventions::ivlnce(),
       .source = "IVLN-CE habitat_extensions/tour_ndtw.py",
       .note = "tours weigh as their changes of episode",
       .tasks = {"VLN-CE"},
       .is_of_tours = true},
  };
}

// Holds the presets; use k is of preset k.
struct PresetTable {
  std::vector<Preset> presets;
  std::vector<definitions::PresetUse> uses;
};

PresetTable make_table() {
  PresetTable all;
  for (Row& row : make_rows()) {
    row.convention.preset = row.name;
    all.presets.push_back({row.convention, row.source, row.note});
    all.uses.push_back({row.name, row.tasks, row.aliases, row.is_of_tours});
  }
  return all;
}

const PresetTable& preset_table() {
  static const PresetTable all = make_table();
  return all;
}

// Returns the presets again under their further names, which reports then show.
std::vector<Preset> make_aliases() {
  std::vector<Preset> aliases;
  for (std::size_t k = 0; k < preset_table().uses.size(); ++k) {
    for (const std::string_view alias : preset_table().uses[k].aliases) {
      aliases.push_back(preset_table().presets[k]);
      aliases.back().convention.preset = alias;
    }
  }
  return aliases;
}

}  // namespace

std::span<const Preset> presets() {
  return preset_table().presets;
}

const Preset& find_preset(std::string_view name) {
  static const std::vector<Preset> aliases = make_aliases();
  std::vector<std::string_view> names;
  for (const std::span<const Preset> all : {presets(), std::span<const Preset>(aliases)}) {
    for (const Preset& p : all) {
      if (base::equal_letters(p.convention.preset, name)) return p;
      names.push_back(p.convention.preset);
    }
  }
  const std::string_view of_project = definitions::find_preset_of_project(name);
  if (!of_project.empty()) return find_preset(of_project);
  throw UsageError(base::no_such("preset", name, names));
}

std::span<const definitions::PresetUse> definitions::preset_uses() {
  return preset_table().uses;
}

const definitions::PresetUse& definitions::find_preset_use(std::string_view name) {
  const std::string_view found = find_preset(name).convention.preset;
  return *std::ranges::find_if(preset_table().uses, [&](const definitions::PresetUse& use) {
    return use.preset == found || std::ranges::find(use.aliases, found) != use.aliases.end();
  });
}

}  // namespace warpath
