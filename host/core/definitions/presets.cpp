// The presets: conventions that have a name.

#include "host/core/definitions/presets.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "host/core/base/suggest.hpp"
#include "host/core/definitions/evaluators.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

using C = Convention;

// The conventions: a function for each that its own preset or others build on. A preset's name is
// in the table below.

C r2r() {
  C c;
  c.success = c.oracle = Compare::less;
  c.spl_zero = SplZero::undefined;
  c.start = c.adjacency = Check::reject;
  c.instructions = Instructions::first3;
  return c;
}

C envdrop() {
  C c;
  c.success = c.oracle = Compare::less;
  c.spl_min_denominator = 0.01;
  c.start = Check::reject;
  return c;
}

C duet() {
  C c = envdrop();
  c.spl_length = SplLength::reference;
  c.cls_zero = ClsZero::undefined;
  c.missing = Missing::skip;
  c.duplicates = Duplicates::each;
  return c;
}

C r4r() {
  C c;
  c.cls_zero = ClsZero::undefined;
  c.cls_step = ClsStep::edge;
  return c;
}

C r4r_hops() {
  C c = r4r();
  c.distance = Distance::hops;
  return c;
}

C valan() {
  C c;
  c.success = c.oracle = Compare::less;
  c.spl_zero = SplZero::zero;
  c.cls_zero = ClsZero::cls_one;
  c.dtw_norm = DtwNorm::reference_length;
  c.edit_unit = EditUnit::viewpoints;
  c.edit_norm = EditNorm::product;
  c.missing = Missing::skip;
  c.duplicates = Duplicates::each;
  return c;
}

C ndh() {
  C c;
  c.success = c.oracle = Compare::less;
  c.start = c.adjacency = Check::reject;
  return c;
}

C ndh_hamt() {
  C c = duet();
  c.goal = Goal::set;
  c.spl_length = SplLength::nearest;
  c.start = Check::note;
  return c;
}

C reverie() {
  C c;
  c.success = c.oracle = Compare::less;
  c.goal = Goal::set;
  c.spl_zero = SplZero::undefined;
  c.start = Check::reject;
  return c;
}

C duet_reverie() {
  C c = duet();
  c.goal = Goal::set;
  return c;
}

C scalevln_reverie() {
  C c = duet_reverie();
  c.grounding = Grounding::with_success;
  return c;
}

C soon() {
  C c;
  c.success = c.oracle = Compare::less;
  c.goal = Goal::seen;
  c.spl_min_denominator = 0.01;
  c.start = Check::reject;
  c.missing = Missing::skip;
  c.duplicates = Duplicates::each;
  return c;
}

C duet_soon() {
  C c = soon();
  c.boxes = Boxes::last;
  return c;
}

C rxr() {
  C c = valan();
  c.dtw_norm = DtwNorm::cost;
  c.missing = Missing::error;
  return c;
}

C rxr_published() {
  C c = rxr();
  c.positions = Positions::given;
  return c;
}

C vlnce() {
  C c;
  c.success = c.oracle = Compare::less;
  c.lookup = Lookup::moved;
  c.oracle_stop = OracleStop::own;
  c.spl_zero = SplZero::undefined;
  c.repeats = Repeats::collapse;
  return c;
}

C vlnce_fastdtw() {
  C c = vlnce();
  c.dtw_radius = 1;
  return c;
}

C dcvln() {
  C c = vlnce_fastdtw();
  c.success = c.oracle = Compare::less_equal;
  c.lookup = Lookup::changed;
  c.oracle_stop = OracleStop::best;
  return c;
}

C etpnav() {
  C c = dcvln();
  c.stop = Stop::ignored;
  return c;
}

C vlnpe() {
  C c;
  c.distance = Distance::euclid_2d;
  c.success = c.oracle = Compare::less;
  c.stop = Stop::ignored;
  c.spl_zero = SplZero::zero_if_unmoved;
  c.ndtw = Ndtw::gaussian;
  c.start_distance = StartDistance::spl;
  c.oracle_start = OracleStart::ignored;
  return c;
}

C ivln() {
  C c = duet();
  c.missing = Missing::error;
  return c;
}

C over_nav() {
  C c = ivln();
  c.infeasible = Infeasible::zero;
  return c;
}

C ivlnce() {
  C c = vlnce();
  c.tour_weight = TourWeight::changes;
  return c;
}

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
       .convention = r2r(),
       .source = "Matterport3DSimulator tasks/R2R/eval.py",
       .tasks = {"R2R"}},
      {.name = "envdrop",
       .convention = envdrop(),
       .source = "R2R-EnvDrop, Recurrent-VLN-BERT r2r_src/eval.py",
       .tasks = of_paths},
      {.name = "duet",
       .convention = duet(),
       .source = "VLN-DUET and VLN-HAMT r2r/env.py",
       .note = "it prints fractions x 100",
       .tasks = of_paths,
       .aliases = {"hamt"}},
      {.name = "r4r",
       .convention = r4r(),
       .source = "google-research r4r/dtw.py and cls.py, distances in metres",
       .note = "a repeated viewpoint is no edge: CLS needs repeats=collapse",
       .tasks = of_paths},
      {.name = "r4r-hops",
       .convention = r4r_hops(),
       .source = "the same code with its default edge weight, hops",
       .note = "threshold in edges",
       .tasks = of_paths},
      {.name = "valan",
       .convention = valan(),
       .source = "google-research valan r2r/eval_metric.py, touchdown/td_problem.py",
       .note = "its formulas on the public graph; its own coordinates are not public",
       .tasks = of_paths},
      {.name = "ndh",
       .convention = ndh(),
       .source = "CVDN tasks/NDH/eval.py",
       .note = "--reference chooses its path type",
       .tasks = {"NDH"}},
      {.name = "ndh-hamt",
       .convention = ndh_hamt(),
       .source = "VLN-HAMT cvdn/env.py",
       .note = "it prints fractions x 100",
       .tasks = {"NDH"}},
      {.name = "navillm-ndh",
       .convention = duet(),
       .source = "NaviLLM tasks/datasets/cvdn.py",
       .note = "it prints fractions x 100; its loader replaces planner's paths that end outside "
               "the region",
       .tasks = {"NDH"}},
      {.name = "valan-ndh",
       .convention = valan(),
       .source = "google-research valan r2r/ndh_problem.py",
       .note = "it trains on --reference trusted; success is at that path's end",
       .tasks = {"NDH"}},
      {.name = "reverie",
       .convention = reverie(),
       .source = "REVERIE tasks/REVERIE/eval_release.py",
       .note = "--objects names the boxes; quote their version",
       .tasks = {"REVERIE"}},
      {.name = "duet-reverie",
       .convention = duet_reverie(),
       .source = "VLN-DUET and VLN-HAMT reverie/env.py",
       .note = "as reverie; it prints fractions x 100",
       .tasks = {"REVERIE"}},
      {.name = "scalevln-reverie",
       .convention = scalevln_reverie(),
       .source = "ScaleVLN reverie/env.py",
       .note = "as duet-reverie",
       .tasks = {"REVERIE"}},
      {.name = "soon",
       .convention = soon(),
       .source = "SOON-EvalAI-Starters evaluation_script/main.py",
       .note = "--angles wrap compares headings modulo a full turn, which it does not",
       .tasks = {"SOON"}},
      {.name = "duet-soon",
       .convention = duet_soon(),
       .source = "VLN-DUET soon/env.py",
       .note = "it prints fractions x 100",
       .tasks = {"SOON"}},
      {.name = "rxr",
       .convention = rxr(),
       .source = "the metrics of RxR's follower files, on the public graph",
       .note = "every demonstration of an instruction is scored",
       .tasks = {"RxR"}},
      {.name = "rxr-published",
       .convention = rxr_published(),
       .source = "the metrics of RxR's follower files, as published",
       .note = "needs --coordinates, the panorama centres of the .house files",
       .tasks = {"RxR"}},
      {.name = "vlnce",
       .convention = vlnce(),
       .source = "VLN-CE habitat_extensions/measures.py, habitat-lab v0.1.7, exact DTW",
       .note = "without --navmesh or --distances those to the goal are Euclidean, not geodesic",
       .tasks = {"VLN-CE"}},
      {.name = "vlnce-fastdtw",
       .convention = vlnce_fastdtw(),
       .source = "the same with FDTW: True, its default",
       .note = "fastdtw 0.3.4 in pure Python",
       .tasks = {"VLN-CE"}},
      {.name = "dcvln",
       .convention = dcvln(),
       .source = "Discrete-Continuous-VLN common/base_il_trainer.py",
       .note = "fastdtw 0.3.4 in pure Python",
       .tasks = {"VLN-CE"}},
      {.name = "etpnav",
       .convention = etpnav(),
       .source = "ETPNav ss_trainer_ETP.py",
       .note = "success needs no stop; fastdtw 0.3.4 in pure Python",
       .tasks = {"VLN-CE"}},
      {.name = "vlnpe",
       .convention = vlnpe(),
       .source = "InternNav VLN-PE vln_pe_metrics.py",
       .note = "horizontal distances to the end of the reference; its nDTW is a mean of "
               "Gaussians, no DTW",
       .tasks = {"VLN-CE"}},
      {.name = "ivln",
       .convention = ivln(),
       .source = "IVLN r2r/main.py, eval_utils.py",
       .note = "--tours names the tours",
       .tasks = of_paths,
       .is_of_tours = true},
      {.name = "over-nav",
       .convention = over_nav(),
       .source = "OVER-NAV-IVLN r2r/eval_utils.py",
       .note = "as ivln, 0 without an alignment",
       .tasks = of_paths,
       .is_of_tours = true},
      {.name = "ivlnce",
       .convention = ivlnce(),
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
