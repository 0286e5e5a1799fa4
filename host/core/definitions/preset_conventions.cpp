#include "host/core/definitions/preset_conventions.hpp"

namespace warpath::definitions::conventions {

using C = Convention;

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

C touchdown() {
  C c;
  c.distance = Distance::hops;
  c.threshold = 1.0;
  c.ndtw_norm = NdtwNorm::sqrt_nodes;
  c.cls_length = ClsLength::nodes;
  c.ndtw_threshold = 2.0;
  c.edit = Edit::osa;
  c.edit_unit = EditUnit::viewpoints;
  return c;
}

C velma() {
  C c = touchdown();
  c.links = Links::by_heading;
  return c;
}

C aerialvln() {
  C c = vlnce();
  c.threshold = 20.0;
  c.success = c.oracle = Compare::less_equal;
  c.goal_distance = GoalDistance::euclid_2d;
  c.lookup_tolerance = 1.0;
  c.start_distance = StartDistance::measured;
  c.dtw_radius = 1;
  c.dtw_build = FastDtw::compiled;
  c.missing = Missing::skip;
  return c;
}

// The evaluators below look every distance up, and go through the results.
static C flights(double threshold) {
  C c = vlnce();
  c.threshold = threshold;
  c.success = c.oracle = Compare::less_equal;
  c.lookup = Lookup::each;
  c.stop = Stop::ignored;
  c.start_distance = StartDistance::measured;
  c.missing = Missing::skip;
  return c;
}

C openuav() {
  C c = flights(20.0);
  c.goal_distance = GoalDistance::euclid_3d;
  c.outcome = Outcome::recorded;
  c.spl_length = SplLength::reference;
  c.spl_offset = 20.0;
  c.duplicates = Duplicates::each;  // every folder counts
  c.spl_zero = SplZero::zero;
  return c;
}

C citynav() {
  C c = flights(20.0);
  c.distance = Distance::euclid_2d;
  return c;
}

C citynav_vlnce() {
  C c = citynav();
  c.goal_distance = GoalDistance::euclid_3d_oracle_2d;
  c.success = Compare::less;
  return c;
}

C openfly() {
  C c = flights(20.0);
  c.success = c.oracle = Compare::less;
  c.oracle_start = OracleStart::ignored;
  c.spl_length = SplLength::straight;
  c.spl_ratio = SplRatio::plain;
  c.spl_walked_offset = 0.001;
  return c;
}

C indooruav() {
  C c = flights(2.0);
  c.ended = "no_more_instructions";
  c.dtw_radius = 1;
  c.dtw_build = FastDtw::compiled;
  c.ndtw_threshold = 10.0;
  c.ndtw_norm = NdtwNorm::reference_length;
  c.repeats = Repeats::keep;
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

}  // namespace warpath::definitions::conventions
