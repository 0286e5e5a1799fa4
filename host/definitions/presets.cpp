// The presets: conventions that have a name, a function for the evaluators of each task.

#include <stdexcept>
#include <string_view>
#include <vector>

#include "host/definitions/suggest.hpp"
#include "warpath/convention.hpp"
#include "warpath/error.hpp"

namespace warpath {
namespace {

using C = Convention;

// Finds a preset that was added before.
const C& added(const std::vector<Preset>& all, std::string_view name) {
  for (const Preset& p : all) {
    if (p.convention.preset == name) return p.convention;
  }
  throw std::logic_error("a preset builds on one that is not added yet");
}

// Begins a preset with the fields of another one, of paper by default.
C named(std::string_view name, C base = {}) {
  base.preset = name;
  return base;
}

void add_r2r_presets(std::vector<Preset>& all) {
  all.push_back({C(), "the original papers of the metrics", ""});

  C r2r = named("r2r");
  r2r.success = r2r.oracle = Compare::less;
  r2r.spl_zero = SplZero::undefined;
  r2r.start = r2r.adjacency = Check::reject;
  r2r.instructions = Instructions::first3;
  all.push_back({r2r, "Matterport3DSimulator tasks/R2R/eval.py", ""});

  C envdrop = named("envdrop");
  envdrop.success = envdrop.oracle = Compare::less;
  envdrop.spl_min_denominator = 0.01;
  envdrop.start = Check::reject;
  all.push_back({envdrop, "R2R-EnvDrop, Recurrent-VLN-BERT r2r_src/eval.py", ""});

  C duet = named("duet", envdrop);
  duet.spl_length = SplLength::reference;
  duet.cls_zero = ClsZero::undefined;
  duet.missing = Missing::skip;
  duet.duplicates = Duplicates::each;
  all.push_back(
      {duet, "VLN-DUET and VLN-HAMT r2r/env.py", "also named hamt; it prints fractions x 100"});
}

void add_r4r_presets(std::vector<Preset>& all) {
  C r4r = named("r4r");
  r4r.cls_zero = ClsZero::undefined;
  r4r.cls_step = ClsStep::edge;
  all.push_back({r4r, "google-research r4r/dtw.py and cls.py, distances in metres",
                 "a repeated viewpoint is no edge: CLS needs repeats=collapse"});

  C hops = named("r4r-hops", r4r);
  hops.distance = Distance::hops;
  all.push_back({hops, "the same code with its default edge weight, hops", "threshold in edges"});

  C valan = named("valan");
  valan.success = valan.oracle = Compare::less;
  valan.spl_zero = SplZero::zero;
  valan.cls_zero = ClsZero::cls_one;
  valan.dtw_norm = DtwNorm::reference_length;
  valan.edit_unit = EditUnit::viewpoints;
  valan.edit_norm = EditNorm::product;
  valan.missing = Missing::skip;
  valan.duplicates = Duplicates::each;
  all.push_back({valan, "google-research valan r2r/eval_metric.py, touchdown/td_problem.py",
                 "its formulas on the public graph; its own coordinates are not public"});
}

void add_ndh_presets(std::vector<Preset>& all) {
  C ndh = named("ndh");
  ndh.success = ndh.oracle = Compare::less;
  ndh.start = ndh.adjacency = Check::reject;
  all.push_back({ndh, "CVDN tasks/NDH/eval.py", "--reference chooses its path type"});

  C ndh_hamt = named("ndh-hamt", added(all, "duet"));
  ndh_hamt.goal = Goal::set;
  ndh_hamt.spl_length = SplLength::nearest;
  ndh_hamt.start = Check::note;
  all.push_back({ndh_hamt, "VLN-HAMT cvdn/env.py", "it prints fractions x 100"});

  C navillm_ndh = named("navillm-ndh", added(all, "duet"));
  all.push_back({navillm_ndh, "NaviLLM tasks/datasets/cvdn.py",
                 "it prints fractions x 100; its loader replaces planner's paths that end outside "
                 "the region"});

  C valan_ndh = named("valan-ndh", added(all, "valan"));
  all.push_back({valan_ndh, "google-research valan r2r/ndh_problem.py",
                 "it trains on --reference trusted; success is at that path's end"});
}

void add_reverie_presets(std::vector<Preset>& all) {
  C reverie = named("reverie");
  reverie.success = reverie.oracle = Compare::less;
  reverie.goal = Goal::set;
  reverie.spl_zero = SplZero::undefined;
  reverie.start = Check::reject;
  all.push_back({reverie, "REVERIE tasks/REVERIE/eval_release.py",
                 "--objects names the boxes; quote their version"});

  C duet_reverie = named("duet-reverie", added(all, "duet"));
  duet_reverie.goal = Goal::set;
  all.push_back({duet_reverie, "VLN-DUET and VLN-HAMT reverie/env.py",
                 "as reverie; it prints fractions x 100"});

  C scalevln_reverie = named("scalevln-reverie", duet_reverie);
  scalevln_reverie.grounding = Grounding::with_success;
  all.push_back({scalevln_reverie, "ScaleVLN reverie/env.py", "as duet-reverie"});
}

void add_soon_presets(std::vector<Preset>& all) {
  C soon = named("soon");
  soon.success = soon.oracle = Compare::less;
  soon.goal = Goal::seen;
  soon.spl_min_denominator = 0.01;
  soon.start = Check::reject;
  soon.missing = Missing::skip;
  soon.duplicates = Duplicates::each;
  all.push_back({soon, "SOON-EvalAI-Starters evaluation_script/main.py",
                 "--angles wrap compares headings modulo a full turn, which it does not"});

  C duet_soon = named("duet-soon", soon);
  duet_soon.boxes = Boxes::last;
  all.push_back({duet_soon, "VLN-DUET soon/env.py", "it prints fractions x 100"});
}

void add_rxr_presets(std::vector<Preset>& all) {
  C rxr = named("rxr", added(all, "valan"));
  rxr.dtw_norm = DtwNorm::cost;
  rxr.missing = Missing::error;
  all.push_back({rxr, "the metrics of RxR's follower files, on the public graph",
                 "every demonstration of an instruction is scored"});

  C rxr_published = named("rxr-published", rxr);
  rxr_published.positions = Positions::given;
  all.push_back({rxr_published, "the metrics of RxR's follower files, as published",
                 "needs --coordinates, the panorama centres of the .house files"});
}

void add_episode_presets(std::vector<Preset>& all) {
  C vlnce = named("vlnce");
  vlnce.success = vlnce.oracle = Compare::less;
  vlnce.lookup = Lookup::moved;
  vlnce.oracle_stop = OracleStop::own;
  vlnce.spl_zero = SplZero::undefined;
  vlnce.repeats = Repeats::collapse;
  all.push_back({vlnce, "VLN-CE habitat_extensions/measures.py, habitat-lab v0.1.7, exact DTW",
                 "without given distances those to the goal are Euclidean, not geodesic"});

  C fast = named("vlnce-fastdtw", vlnce);
  fast.dtw_radius = 1;
  all.push_back({fast, "the same with FDTW: True, its default", "fastdtw 0.3.4 in pure Python"});

  C dcvln = named("dcvln", fast);
  dcvln.success = dcvln.oracle = Compare::less_equal;
  dcvln.lookup = Lookup::changed;
  dcvln.oracle_stop = OracleStop::best;
  all.push_back(
      {dcvln, "Discrete-Continuous-VLN common/base_il_trainer.py", "fastdtw 0.3.4 in pure Python"});

  C etpnav = named("etpnav", dcvln);
  etpnav.stop = Stop::ignored;
  all.push_back(
      {etpnav, "ETPNav ss_trainer_ETP.py", "success needs no stop; fastdtw 0.3.4 in pure Python"});

  C vlnpe = named("vlnpe");
  vlnpe.distance = Distance::euclid_2d;
  vlnpe.success = vlnpe.oracle = Compare::less;
  vlnpe.stop = Stop::ignored;
  vlnpe.spl_zero = SplZero::zero_if_unmoved;
  vlnpe.ndtw = Ndtw::gaussian;
  vlnpe.start_distance = StartDistance::spl;
  vlnpe.oracle_start = OracleStart::ignored;
  all.push_back({vlnpe, "InternNav VLN-PE vln_pe_metrics.py",
                 "horizontal distances to the end of the reference; its nDTW is a mean of "
                 "Gaussians, no DTW"});
}

std::vector<Preset> make_presets() {
  std::vector<Preset> all;
  add_r2r_presets(all);
  add_r4r_presets(all);
  add_ndh_presets(all);
  add_reverie_presets(all);
  add_soon_presets(all);
  add_rxr_presets(all);
  add_episode_presets(all);
  return all;
}

}  // namespace

std::span<const Preset> presets() {
  static const std::vector<Preset> all = make_presets();
  return all;
}

const Preset& find_preset(std::string_view name) {
  const std::string_view wanted = equal_letters(name, "hamt") ? "duet" : name;
  std::vector<std::string_view> names;
  for (const Preset& p : presets()) {
    if (equal_letters(p.convention.preset, wanted)) return p;
    names.push_back(p.convention.preset);
  }
  names.push_back("hamt");
  throw UsageError(no_such("preset", name, names));
}

}  // namespace warpath
