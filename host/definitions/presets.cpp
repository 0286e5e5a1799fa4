// The presets: conventions that have a name, a function for the evaluators of each task.

#include "host/definitions/presets.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "host/definitions/suggest.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

using C = Convention;
using Names = std::vector<std::string_view>;

// Holds the presets; use k is of preset k.
struct Table {
  std::vector<Preset> presets;
  std::vector<PresetUse> uses;

  // Adds a preset of some tasks; of none: of any.
  void add(const C& convention, std::string_view source, std::string_view note, const Names& tasks,
           const Names& aliases = {}) {
    presets.push_back({convention, source, note});
    uses.push_back({{}, tasks, aliases});
  }

  // Finds a preset that was added before.
  const C& added(std::string_view name) const {
    for (const Preset& p : presets) {
      if (p.convention.preset == name) return p.convention;
    }
    throw std::logic_error("a preset builds on one that is not added yet");
  }
};

// Evaluators of R2R are used for these, too.
Names tasks_of_paths() {
  return {"R2R", "R4R", "RxR"};
}

// Begins a preset with the fields of another one, of paper by default.
C named(std::string_view name, C base = {}) {
  base.preset = name;
  return base;
}

void add_r2r_presets(Table& all) {
  all.add(C(), "the original papers of the metrics", "", {});

  C r2r = named("r2r");
  r2r.success = r2r.oracle = Compare::less;
  r2r.spl_zero = SplZero::undefined;
  r2r.start = r2r.adjacency = Check::reject;
  r2r.instructions = Instructions::first3;
  all.add(r2r, "Matterport3DSimulator tasks/R2R/eval.py", "", {"R2R"});

  C envdrop = named("envdrop");
  envdrop.success = envdrop.oracle = Compare::less;
  envdrop.spl_min_denominator = 0.01;
  envdrop.start = Check::reject;
  all.add(envdrop, "R2R-EnvDrop, Recurrent-VLN-BERT r2r_src/eval.py", "", tasks_of_paths());

  C duet = named("duet", envdrop);
  duet.spl_length = SplLength::reference;
  duet.cls_zero = ClsZero::undefined;
  duet.missing = Missing::skip;
  duet.duplicates = Duplicates::each;
  all.add(duet, "VLN-DUET and VLN-HAMT r2r/env.py", "it prints fractions x 100", tasks_of_paths(),
          {"hamt"});
}

void add_r4r_presets(Table& all) {
  C r4r = named("r4r");
  r4r.cls_zero = ClsZero::undefined;
  r4r.cls_step = ClsStep::edge;
  all.add(r4r, "google-research r4r/dtw.py and cls.py, distances in metres",
          "a repeated viewpoint is no edge: CLS needs repeats=collapse", tasks_of_paths());

  C hops = named("r4r-hops", r4r);
  hops.distance = Distance::hops;
  all.add(hops, "the same code with its default edge weight, hops", "threshold in edges",
          tasks_of_paths());

  C valan = named("valan");
  valan.success = valan.oracle = Compare::less;
  valan.spl_zero = SplZero::zero;
  valan.cls_zero = ClsZero::cls_one;
  valan.dtw_norm = DtwNorm::reference_length;
  valan.edit_unit = EditUnit::viewpoints;
  valan.edit_norm = EditNorm::product;
  valan.missing = Missing::skip;
  valan.duplicates = Duplicates::each;
  all.add(valan, "google-research valan r2r/eval_metric.py, touchdown/td_problem.py",
          "its formulas on the public graph; its own coordinates are not public", tasks_of_paths());
}

void add_ndh_presets(Table& all) {
  C ndh = named("ndh");
  ndh.success = ndh.oracle = Compare::less;
  ndh.start = ndh.adjacency = Check::reject;
  all.add(ndh, "CVDN tasks/NDH/eval.py", "--reference chooses its path type", {"NDH"});

  C ndh_hamt = named("ndh-hamt", all.added("duet"));
  ndh_hamt.goal = Goal::set;
  ndh_hamt.spl_length = SplLength::nearest;
  ndh_hamt.start = Check::note;
  all.add(ndh_hamt, "VLN-HAMT cvdn/env.py", "it prints fractions x 100", {"NDH"});

  C navillm_ndh = named("navillm-ndh", all.added("duet"));
  all.add(navillm_ndh, "NaviLLM tasks/datasets/cvdn.py",
          "it prints fractions x 100; its loader replaces planner's paths that end outside "
          "the region",
          {"NDH"});

  C valan_ndh = named("valan-ndh", all.added("valan"));
  all.add(valan_ndh, "google-research valan r2r/ndh_problem.py",
          "it trains on --reference trusted; success is at that path's end", {"NDH"});
}

void add_reverie_presets(Table& all) {
  C reverie = named("reverie");
  reverie.success = reverie.oracle = Compare::less;
  reverie.goal = Goal::set;
  reverie.spl_zero = SplZero::undefined;
  reverie.start = Check::reject;
  all.add(reverie, "REVERIE tasks/REVERIE/eval_release.py",
          "--objects names the boxes; quote their version", {"REVERIE"});

  C duet_reverie = named("duet-reverie", all.added("duet"));
  duet_reverie.goal = Goal::set;
  all.add(duet_reverie, "VLN-DUET and VLN-HAMT reverie/env.py",
          "as reverie; it prints fractions x 100", {"REVERIE"});

  C scalevln_reverie = named("scalevln-reverie", duet_reverie);
  scalevln_reverie.grounding = Grounding::with_success;
  all.add(scalevln_reverie, "ScaleVLN reverie/env.py", "as duet-reverie", {"REVERIE"});
}

void add_soon_presets(Table& all) {
  C soon = named("soon");
  soon.success = soon.oracle = Compare::less;
  soon.goal = Goal::seen;
  soon.spl_min_denominator = 0.01;
  soon.start = Check::reject;
  soon.missing = Missing::skip;
  soon.duplicates = Duplicates::each;
  all.add(soon, "SOON-EvalAI-Starters evaluation_script/main.py",
          "--angles wrap compares headings modulo a full turn, which it does not", {"SOON"});

  C duet_soon = named("duet-soon", soon);
  duet_soon.boxes = Boxes::last;
  all.add(duet_soon, "VLN-DUET soon/env.py", "it prints fractions x 100", {"SOON"});
}

void add_rxr_presets(Table& all) {
  C rxr = named("rxr", all.added("valan"));
  rxr.dtw_norm = DtwNorm::cost;
  rxr.missing = Missing::error;
  all.add(rxr, "the metrics of RxR's follower files, on the public graph",
          "every demonstration of an instruction is scored", {"RxR"});

  C rxr_published = named("rxr-published", rxr);
  rxr_published.positions = Positions::given;
  all.add(rxr_published, "the metrics of RxR's follower files, as published",
          "needs --coordinates, the panorama centres of the .house files", {"RxR"});
}

void add_episode_presets(Table& all) {
  C vlnce = named("vlnce");
  vlnce.success = vlnce.oracle = Compare::less;
  vlnce.lookup = Lookup::moved;
  vlnce.oracle_stop = OracleStop::own;
  vlnce.spl_zero = SplZero::undefined;
  vlnce.repeats = Repeats::collapse;
  all.add(vlnce, "VLN-CE habitat_extensions/measures.py, habitat-lab v0.1.7, exact DTW",
          "without given distances those to the goal are Euclidean, not geodesic", {"VLN-CE"});

  C fast = named("vlnce-fastdtw", vlnce);
  fast.dtw_radius = 1;
  all.add(fast, "the same with FDTW: True, its default", "fastdtw 0.3.4 in pure Python",
          {"VLN-CE"});

  C dcvln = named("dcvln", fast);
  dcvln.success = dcvln.oracle = Compare::less_equal;
  dcvln.lookup = Lookup::changed;
  dcvln.oracle_stop = OracleStop::best;
  all.add(dcvln, "Discrete-Continuous-VLN common/base_il_trainer.py",
          "fastdtw 0.3.4 in pure Python", {"VLN-CE"});

  C etpnav = named("etpnav", dcvln);
  etpnav.stop = Stop::ignored;
  all.add(etpnav, "ETPNav ss_trainer_ETP.py", "success needs no stop; fastdtw 0.3.4 in pure Python",
          {"VLN-CE"});

  C vlnpe = named("vlnpe");
  vlnpe.distance = Distance::euclid_2d;
  vlnpe.success = vlnpe.oracle = Compare::less;
  vlnpe.stop = Stop::ignored;
  vlnpe.spl_zero = SplZero::zero_if_unmoved;
  vlnpe.ndtw = Ndtw::gaussian;
  vlnpe.start_distance = StartDistance::spl;
  vlnpe.oracle_start = OracleStart::ignored;
  all.add(vlnpe, "InternNav VLN-PE vln_pe_metrics.py",
          "horizontal distances to the end of the reference; its nDTW is a mean of "
          "Gaussians, no DTW",
          {"VLN-CE"});
}

Table make_table() {
  Table all;
  add_r2r_presets(all);
  add_r4r_presets(all);
  add_ndh_presets(all);
  add_reverie_presets(all);
  add_soon_presets(all);
  add_rxr_presets(all);
  add_episode_presets(all);
  for (std::size_t k = 0; k < all.uses.size(); ++k) {
    all.uses[k].preset = all.presets[k].convention.preset;
  }
  return all;
}

const Table& preset_table() {
  static const Table all = make_table();
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
      if (equal_letters(p.convention.preset, name)) return p;
      names.push_back(p.convention.preset);
    }
  }
  throw UsageError(no_such("preset", name, names));
}

std::span<const PresetUse> preset_uses() {
  return preset_table().uses;
}

const PresetUse& find_preset_use(std::string_view name) {
  const std::string_view found = find_preset(name).convention.preset;
  return *std::ranges::find_if(preset_table().uses, [&](const PresetUse& use) {
    return use.preset == found || std::ranges::find(use.aliases, found) != use.aliases.end();
  });
}

}  // namespace warpath
