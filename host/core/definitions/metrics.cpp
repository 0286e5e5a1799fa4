#include "warpath/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/core/base/suggest.hpp"
#include "host/core/definitions/metric_traits.hpp"
#include "host/core/definitions/path_convention.hpp"
#include "kernels/metrics/flags.hpp"
#include "kernels/sweep/quantities.hpp"

namespace warpath {
namespace {

using namespace kernels;
using enum Metric;
using enum Better;
using C = Convention;
constexpr Unit fraction = Unit::fraction, length = Unit::length, count = Unit::count,
               angle = Unit::angle;

// Formulas that depend on the convention.

std::string success_formula(std::string_view error, Compare compare, double threshold = 0.0) {
  const char* than = compare == Compare::less ? "<" : "≤";
  return threshold > 0.0 ? fmt::format("1[{} {} {}]", error, than, threshold)
                         : fmt::format("1[{} {} d_th]", error, than);
}

// Says how a distance to the goal is measured, where it is not as lengths are.
std::string goal_formula(const C& c, std::string_view formula, bool of_oracle) {
  if (c.goal_distance == GoalDistance::same) return std::string(formula);
  const bool is_flat = definitions::goal_distance(c, of_oracle) == Distance::euclid_2d;
  return fmt::format("{}, {}", formula, is_flat ? "horizontally" : "in 3-D");
}

// Under SOON's rule the goal g is q_|Q| if the target is seen from there, and otherwise r_|R|.

std::string ne_formula(const C& c) {
  return c.goal == Goal::seen ? "0 if q_|Q| ∈ goals, else d(q_|Q|, r_|R|)"
                              : goal_formula(c, "d(q_|Q|, r_|R|)", false);
}

std::string one_formula(const C& c) {
  if (c.goal == Goal::seen) return "d(argmin_q d(q, r_|R|), g), g = q_|Q| if ∈ goals, else r_|R|";
  return goal_formula(c, "min_q d(q, r_|R|)", true);
}

std::string gp_formula(const C& c) {
  if (c.goal == Goal::seen) return "d(r_1, g) − NE, g = q_|Q| if ∈ goals, else r_|R|";
  return goal_formula(c, "d(r_1, r_|R|) − d(q_|Q|, r_|R|)", false);
}

std::string sp_formula(const C& c) {
  return c.goal == Goal::seen ? "d(q_1, g), g = q_|Q| if ∈ goals, else r_|R|"
                              : goal_formula(c, "d(q_1, r_|R|)", false);
}

// Names the way back, which is another where links lead one way.
std::string with_way_back(std::string_view way, Compare compare) {
  return fmt::format(", or {} {} d_th", way, compare == Compare::less ? "<" : "≤");
}

std::string sr_formula(const C& c) {
  if (c.goal == Goal::set) return "1[q_|Q| ∈ goals]";
  if (c.outcome == Outcome::recorded) return "as recorded";
  const std::string formula = success_formula("NE", c.success);
  return c.links == Links::by_heading ? formula + with_way_back("d(r_|R|, q_|Q|)", c.success)
                                      : formula;
}

std::string osr_formula(const C& c) {
  if (c.goal == Goal::set) return "1[some q ∈ goals]";
  if (c.outcome == Outcome::recorded) return "as recorded";
  const std::string formula = success_formula("ONE", c.oracle, c.oracle_threshold);
  return c.links == Links::by_heading ? formula + with_way_back("d(r_|R|, some q)", c.oracle)
                                      : formula;
}

std::string spl_formula(const C& c) {
  std::string wanted = c.spl_length == SplLength::reference     ? "PLR"
                       : c.spl_length == SplLength::nearest     ? "min_g d(q_1, g)"
                       : c.spl_length == SplLength::straight    ? "d(r_1, r_|R|)"
                       : c.start_distance == StartDistance::spl ? "geodesic_distance"
                                                                : "SP";
  if (c.spl_offset > 0) wanted = fmt::format("max(0, {} − {})", wanted, c.spl_offset);
  const std::string walked =
      c.spl_walked_offset > 0 ? fmt::format("PL + {}", c.spl_walked_offset) : "PL";
  const std::string bound =
      c.spl_min_denominator > 0 ? fmt::format(", {}", c.spl_min_denominator) : "";
  const char* unmoved = c.spl_zero == SplZero::zero_if_unmoved ? ", 0 if PL = 0" : "";
  const std::string divisor = c.spl_ratio == SplRatio::capped
                                  ? fmt::format("max({}, {}{})", walked, wanted, bound)
                              : bound.empty() ? fmt::format("({})", walked)
                                              : fmt::format("max({}{})", walked, bound);
  return fmt::format("SR · {} / {}{}", wanted, divisor, unmoved);
}

std::string rgs_formula(const C& c) {
  const bool needs_success = c.grounding == Grounding::with_success;
  return needs_success ? "SR · 1[object = target, or direction in its box]"
                       : "1[object = target, or direction in its box]";
}

std::string rgspl_formula(const C& c) {
  return "RGS" + spl_formula(c).substr(2);
}

std::string he_formula(const C& c) {
  const char* turns = c.angles == Angles::wrap ? ", modulo a turn" : "";
  return fmt::format("|heading − heading of the box's centre|{}", turns);
}

std::string opsr_formula(const C& c) {
  return success_formula("OPE", c.oracle);
}

std::string sed_formula(const C& c) {
  const bool edges = c.edit_unit == EditUnit::edges;
  const char* norm = c.edit_norm == EditNorm::longer
                         ? (edges ? "max(|R| − 1, |Q| − 1)" : "max(|R|, |Q|)")
                         : (edges ? "((|R| − 1) · (|Q| − 1))" : "(|R| · |Q|)");
  return fmt::format("SR · (1 − ED / {})", norm);
}

std::string ed_formula(const C& c) {
  return fmt::format("{}({})", c.edit == Edit::osa ? "OSA" : "Levenshtein",
                     c.edit_unit == EditUnit::edges ? "edges of R, edges of Q" : "R, Q");
}

std::string ls_formula(const C& c) {
  return c.cls_length == ClsLength::nodes ? "EPL / (EPL + |EPL − |Q||)"
                                          : "EPL / (EPL + |EPL − PL|)";
}

std::string epl_formula(const C& c) {
  return c.cls_length == ClsLength::nodes ? "PC · |R|" : "PC · PL(R)";
}

std::string kpa_formula(const C& c) {
  const char* what = c.kp_start == KpStart::nodes ? "" : ", K of moves alone";
  return fmt::format("(|K(Q) ∩ K(R)| + TC) / (|K(R)| + 1){}", what);
}

std::string dtw_formula(const C& c) {
  const std::string cost =
      c.dtw_radius == 0
          ? "min over warpings Σ d(q_j, r_i)"
          : fmt::format("Σ d(q_j, r_i) over FastDTW's warping, radius {}, {} build", c.dtw_radius,
                        c.dtw_build == FastDtw::pure ? "pure" : "compiled");
  return c.dtw_norm == DtwNorm::cost ? cost : cost + " / PL(R)";
}

std::string ndtw_threshold_text(const C& c) {
  return c.ndtw_threshold > 0.0 ? fmt::format("{}", c.ndtw_threshold) : "d_th";
}

std::string ndtw_formula(const C& c) {
  const std::string threshold =
      c.ndtw_threshold > 0.0 ? fmt::format("{}", c.ndtw_threshold) : "d_th";
  if (c.ndtw == Ndtw::gaussian) {
    return fmt::format("mean_q exp(−d(q, R)² / (2 · {}²))", threshold);
  }
  const char* cost = c.dtw_norm == DtwNorm::cost ? "DTW" : "DTW · PL(R)";
  const char* norm = c.ndtw_norm == NdtwNorm::nodes        ? "|R|"
                     : c.ndtw_norm == NdtwNorm::sqrt_nodes ? "√|R|"
                                                           : "PL(R)";
  return fmt::format("exp(−{} / ({} · {}))", cost, norm, threshold);
}

std::string tour_ndtw_formula(const C& c) {
  return c.window == Window::pinned
             ? fmt::format("exp(−Σ_k DTW_k / ({} · Σ_k |R_k|)), R_k's ends held by the query's",
                           ndtw_threshold_text(c))
             : fmt::format("exp(−DTW / ({} · |R|)) of all episodes in a row",
                           ndtw_threshold_text(c));
}

// Quantities that depend on the convention.

unsigned dtw_quantities(const C& c, bool) {
  return quantity_dtw | (c.dtw_norm == DtwNorm::reference_length ? quantity_reference : 0u);
}

unsigned ndtw_quantities(const C& c, bool) {
  return quantity_dtw | (c.ndtw_norm == NdtwNorm::reference_length ? quantity_reference : 0u);
}

unsigned sdtw_quantities(const C& c, bool given_success) {
  return ndtw_quantities(c, given_success) | (given_success ? 0u : quantity_goal);
}

struct Definition {
  MetricInfo info;
  definitions::MetricTraits traits;
};

constexpr unsigned length_score_quantities =
    quantity_coverage | quantity_length | quantity_reference;
constexpr unsigned length_score_flags = flag_zero_ls | flag_cls_undefined | flag_length_undefined;

// One row per metric. A metric that kernels compute has quantities, a metric that is counted has
// `count`, and a metric of tasks has neither.
constexpr std::array<Definition, metric_count> all_definitions{{
    {{PL, "PL", "path length, also TL", length, neither, "Anderson et al. 2018 (R2R)", true},
     {.formula = "Σ d(q_i, q_i+1)",
      .quantities = quantity_length,
      .rounding = definitions::Rounding::length}},
    {{NE, "NE", "navigation error, also SPD", length, lower, "Anderson et al. 2018 (R2R)", true},
     {.formula = ne_formula,
      .quantities = quantity_goal,
      .rounding = definitions::Rounding::length}},
    {{ONE, "ONE", "oracle navigation error", length, lower, "Anderson et al. 2018 (R2R)", true},
     {.formula = one_formula,
      .quantities = quantity_goal,
      .rounding = definitions::Rounding::length}},
    {{SR, "SR", "success rate, also TC", fraction, higher, "Anderson et al. 2018 (R2R)", true},
     {.formula = sr_formula, .quantities = quantity_goal}},
    {{OSR, "OSR", "oracle success rate", fraction, higher, "Anderson et al. 2018 (R2R)", true},
     {.formula = osr_formula, .quantities = quantity_goal}},
    {{AD, "AD", "average deviation", length, lower,
      "the original papers; no public evaluator has it", true},
     {.formula = "mean_q d(q, R)",
      .quantities = quantity_deviation,
      .rounding = definitions::Rounding::deviation}},
    {{MD, "MD", "maximum deviation", length, lower,
      "the original papers; no public evaluator has it", true},
     {.formula = "max_q d(q, R)",
      .quantities = quantity_deviation,
      .rounding = definitions::Rounding::deviation}},
    {{SPL, "SPL", "success weighted by path length", fraction, higher,
      "Anderson et al. 2018 (On Evaluation of Embodied Navigation Agents)", true},
     {.formula = spl_formula,
      .quantities = quantity_goal | quantity_length | quantity_reference,
      .flags = flag_zero_spl | flag_spl_undefined,
      .rounding = definitions::Rounding::fraction}},
    {{SED, "SED", "success weighted by edit distance", fraction, higher,
      "Chen et al. 2019 (Touchdown)", true},
     {.formula = sed_formula,
      .quantities = quantity_goal | quantity_edits,
      .flags = flag_zero_sed,
      .rounding = definitions::Rounding::fraction}},
    {{PC, "PC", "path coverage", fraction, higher, "Jain et al. 2019, eq. 2", true},
     {.formula = "mean_r exp(−d(Q, r) / d_th)",
      .quantities = quantity_coverage,
      .rounding = definitions::Rounding::coverage}},
    {{LS, "LS", "length score", fraction, higher, "Jain et al. 2019, eq. 4", true},
     {.formula = ls_formula,
      .quantities = length_score_quantities,
      .flags = length_score_flags,
      .rounding = definitions::Rounding::length_score}},
    {{CLS, "CLS", "coverage weighted by length score", fraction, higher,
      "Jain et al. 2019, eq. 1; google-research r4r/cls.py", true},
     {.formula = "PC · LS",
      .quantities = length_score_quantities,
      .flags = length_score_flags,
      .rounding = definitions::Rounding::length_score}},
    {{DTW, "DTW", "dynamic time warping cost", length, lower,
      "Ilharco et al. 2019; google-research r4r/dtw.py", true},
     {.formula = dtw_formula,
      .quantities = dtw_quantities,
      .flags = flag_dtw_undefined,
      .rounding = definitions::Rounding::warping_cost}},
    {{nDTW, "nDTW", "normalised DTW", fraction, higher,
      "Ilharco et al. 2019; google-research r4r/dtw.py", true},
     {.formula = ndtw_formula,
      .quantities = ndtw_quantities,
      .rounding = definitions::Rounding::warping_score}},
    {{SDTW, "SDTW", "success weighted by nDTW", fraction, higher,
      "Ilharco et al. 2019; google-research r4r/dtw.py", true},
     {.formula = "SR · nDTW",
      .quantities = sdtw_quantities,
      .flags = flag_no_task_success,
      .rounding = definitions::Rounding::warping_score}},
    {{GP, "GP", "goal progress", length, higher, "Thomason et al. 2019 (CVDN)", false},
     {.formula = gp_formula,
      .quantities = quantity_goal,
      .rounding = definitions::Rounding::progress}},
    {{ED, "ED", "edit distance", count, lower, "Levenshtein 1966", false},
     {.formula = ed_formula, .quantities = quantity_edits}},
    {{EPL, "EPL", "expected path length", length, neither, "Jain et al. 2019, eq. 3", false},
     {.formula = epl_formula,
      .quantities = quantity_coverage | quantity_reference,
      .rounding = definitions::Rounding::expected_length}},
    {{SP, "SP", "shortest path", length, neither, "Anderson et al. 2018 (R2R)", false},
     {.formula = sp_formula,
      .quantities = quantity_goal,
      .rounding = definitions::Rounding::length}},
    {{PLR, "PLR", "reference length", length, neither, "Jain et al. 2019", false},
     {.formula = "PL(R)",
      .quantities = quantity_reference,
      .rounding = definitions::Rounding::length}},
    {{steps, "steps", "moves of the query", count, neither, "", false},
     {.formula = "|Q| − 1", .count = &definitions::PathSizes::moves}},
    {{n_query, "n_query", "viewpoints of the query", count, neither, "", false},
     {.formula = "|Q|", .count = &definitions::PathSizes::query}},
    {{n_query_raw, "n_query_raw", "the same before repeats are collapsed", count, neither, "",
      false},
     {.count = &definitions::PathSizes::query_raw}},
    {{n_ref, "n_ref", "viewpoints of the reference", count, neither, "", false},
     {.formula = "|R|", .count = &definitions::PathSizes::reference}},
    {{RGS, "RGS", "remote grounding success", fraction, higher, "Qi et al. 2020 (REVERIE)", true},
     {.formula = rgs_formula}},
    {{RGSPL, "RGSPL", "RGS weighted by path length", fraction, higher, "Qi et al. 2020 (REVERIE)",
      true},
     {.formula = rgspl_formula}},
    {{SFPL, "SFPL", "success in finding the target, weighted by path length", fraction, higher,
      "Zhu et al. 2021 (SOON)", true},
     {.formula = "RGS · SPL"}},
    {{HE, "HE", "heading error", angle, lower, "Zhu et al. 2021 (SOON)", false},
     {.formula = he_formula}},
    {{EE, "EE", "elevation error", angle, lower, "Zhu et al. 2021 (SOON)", false},
     {.formula = "|elevation − elevation of the box's centre|"}},
    {{PE, "PE", "point error", angle, lower, "Zhu et al. 2021 (SOON)", false},
     {.formula = "√(HE² + EE²) where RGS is 1"}},
    {{OGP, "OGP", "oracle goal progress", length, higher, "as GP; no public evaluator has it",
      false},
     {.formula = "d(r_1, goal) − min_q d(q, goal)"}},
    {{OPE, "OPE", "oracle plan error", length, lower, "Thomason et al. 2019 (CVDN)", false},
     {.formula = "min_q d(q, planner's goal)"}},
    {{OPSR, "OPSR", "oracle plan success rate", fraction, higher, "Thomason et al. 2019 (CVDN)",
      false},
     {.formula = opsr_formula}},
    {{SoftSPL, "SoftSPL", "SPL with soft success", fraction, higher,
      "Datta et al. 2020; habitat-lab", false},
     {.formula = "max(0, 1 − NE / SP) · SP / max(PL, SP)"}},
    {{OracleSPL, "OracleSPL", "SPL with the best stop", fraction, higher,
      "VLN-CE, which stops first", false},
     {.formula = "max over prefixes of SPL"}},
    {{collisions, "collisions", "moves that ended in a collision", count, lower, "habitat-lab",
      false},
     {}},
    {{CR, "CR", "collision rate", fraction, lower, "Discrete-Continuous-VLN", false},
     {.formula = "collisions / moves"}},
    {{KPA, "KPA", "key point accuracy", fraction, higher, "Schumann et al. 2024 (VELMA)", true},
     {.formula = kpa_formula}},
    {{tour_nDTW, "t-nDTW", "nDTW of a tour", fraction, higher, "Krantz et al. 2023 (IVLN)", true},
     {.formula = tour_ndtw_formula}},
    {{tour_SR, "t-SR", "success rate of a tour", fraction, higher, "IVLN r2r/main.py", true},
     {.formula = "Σ_k w_k · SR_k, w_k ∝ max(L_k, PL_k) / L_k, L_k = d(r_1, r_|R|)"}},
    {{tour_SPL, "t-SPL", "SPL of a tour", fraction, higher, "IVLN r2r/main.py", true},
     {.formula = "Σ_k w_k · SPL_k, w_k as in t-SR"}},
    {{tour_SDTW, "t-SDTW", "SDTW of a tour", fraction, higher, "OVER-NAV-IVLN", true},
     {.formula = "t-nDTW · mean_k SR_k"}},
}};

constexpr auto metric_rows = [] {
  std::array<MetricInfo, metric_count> infos{};
  std::ranges::transform(all_definitions, infos.begin(), &Definition::info);
  return infos;
}();

static_assert([] {
  for (const Metric m : MetricSet::all()) {
    const auto& [info, traits] = all_definitions[index_of(m)];
    if (info.metric != m) return false;
    const bool is_measured = !traits.quantities.is_empty(), is_counted = traits.count != nullptr;
    if (is_measured && is_counted) return false;
    if (is_of_paths(m) != (is_measured || is_counted)) return false;
  }
  return true;
}());

struct StatusFlag {
  Status status;
  std::uint32_t flag;
};

// Statuses and their flags, in order of severity.
constexpr StatusFlag status_flags[] = {{Status::empty_path, flag_invalid},
                                       {Status::unreachable, flag_unreachable},
                                       {Status::length_undefined, flag_length_undefined},
                                       {Status::spl_undefined, flag_spl_undefined},
                                       {Status::cls_undefined, flag_cls_undefined},
                                       {Status::dtw_undefined, flag_dtw_undefined},
                                       {Status::no_task_success, flag_no_task_success}};
static_assert(std::ranges::is_sorted(status_flags, {}, &StatusFlag::status));

}  // namespace

std::span<const MetricInfo> metric_table() {
  return metric_rows;
}

const definitions::MetricTraits& definitions::traits(Metric metric) {
  return all_definitions[index_of(metric)].traits;
}

std::string formula(Metric metric, const Convention& convention) {
  return definitions::traits(metric).formula(convention);
}

std::optional<Metric> find_metric(std::string_view name) {
  // Names in half of the papers (trajectory length), and in those on streets.
  constexpr std::pair<std::string_view, Metric> others[] = {{"TL", PL}, {"TC", SR}, {"SPD", NE}};
  for (const auto& [other, metric] : others) {
    if (base::equal_letters(other, name)) return metric;
  }
  for (const MetricInfo& m : metric_rows) {
    if (base::equal_letters(m.name, name)) return m.metric;
  }
  return std::nullopt;
}

unsigned definitions::quantities_of(const MetricSet& metrics, const Convention& convention,
                                    bool given_success) {
  unsigned quantities = 0;
  for (const Metric m : metrics)
    quantities |= definitions::traits(m).quantities(convention, given_success);
  return quantities;
}

std::uint32_t definitions::flags_of(const MetricSet& metrics) {
  std::uint32_t flags = flag_unreachable | flag_invalid;
  for (const Metric m : metrics) flags |= definitions::traits(m).flags;
  return flags;
}

std::uint32_t definitions::flag_of(Status status) {
  const auto it = std::ranges::find(status_flags, status, &StatusFlag::status);
  return it == std::end(status_flags) ? 0 : it->flag;
}

Status definitions::status_of(std::uint32_t flags) {
  if ((flags & ~zero_rule_flags) == 0) return Status::ok;  // the common case
  const auto it = std::ranges::find_if(
      status_flags, [&](const StatusFlag& known) { return (flags & known.flag) != 0; });
  return it == std::end(status_flags) ? Status::ok : it->status;
}

}  // namespace warpath
