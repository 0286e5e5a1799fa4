#include "warpath/metrics.hpp"

#include <array>

#include "host/definitions/suggest.hpp"

namespace warpath {
namespace {

using enum Metric;
using enum Better;
constexpr Unit fraction = Unit::fraction, length = Unit::length, count = Unit::count;

constexpr std::array<MetricInfo, metric_count> table{{
    {PL, "PL", "path length, also TL", length, neither, "Σ d(q_i, q_i+1)",
     "Anderson et al. 2018 (R2R)", true},
    {NE, "NE", "navigation error", length, lower, "d(q_|Q|, r_|R|)", "Anderson et al. 2018 (R2R)",
     true},
    {ONE, "ONE", "oracle navigation error", length, lower, "min_q d(q, r_|R|)",
     "Anderson et al. 2018 (R2R)", true},
    {SR, "SR", "success rate", fraction, higher, "1[NE ≤ d_th]", "Anderson et al. 2018 (R2R)",
     true},
    {OSR, "OSR", "oracle success rate", fraction, higher, "1[ONE ≤ d_th]",
     "Anderson et al. 2018 (R2R)", true},
    {AD, "AD", "average deviation", length, lower, "mean_q d(q, R)",
     "the original papers; no public evaluator has it", true},
    {MD, "MD", "maximum deviation", length, lower, "max_q d(q, R)",
     "the original papers; no public evaluator has it", true},
    {SPL, "SPL", "success weighted by path length", fraction, higher, "SR · SP / max(PL, SP)",
     "Anderson et al. 2018 (On Evaluation of Embodied Navigation Agents)", true},
    {SED, "SED", "success weighted by edit distance", fraction, higher,
     "SR · (1 − ED / max(|A_R|, |A_Q|)), A the edges", "Chen et al. 2019 (Touchdown)", true},
    {PC, "PC", "path coverage", fraction, higher, "mean_r exp(−d(r, Q) / d_th)",
     "Jain et al. 2019, eq. 2", true},
    {LS, "LS", "length score", fraction, higher, "EPL / (EPL + |EPL − PL|)",
     "Jain et al. 2019, eq. 4", true},
    {CLS, "CLS", "coverage weighted by length score", fraction, higher, "PC · LS",
     "Jain et al. 2019, eq. 1; google-research r4r/cls.py", true},
    {DTW, "DTW", "dynamic time warping cost", length, lower, "min over warpings Σ d(r_i, q_j)",
     "Ilharco et al. 2019; google-research r4r/dtw.py", true},
    {nDTW, "nDTW", "normalised DTW", fraction, higher, "exp(−DTW / (|R| · d_th))",
     "Ilharco et al. 2019; google-research r4r/dtw.py", true},
    {SDTW, "SDTW", "success weighted by nDTW", fraction, higher, "SR · nDTW",
     "Ilharco et al. 2019; google-research r4r/dtw.py", true},
    {GP, "GP", "goal progress", length, higher, "d(r_1, r_|R|) − d(q_|Q|, r_|R|)",
     "Thomason et al. 2019 (CVDN)", false},
    {ED, "ED", "edit distance", count, lower, "Levenshtein(A_R, A_Q), A the edges",
     "Levenshtein 1966", false},
    {EPL, "EPL", "expected path length", length, neither, "PC · PL(R)", "Jain et al. 2019, eq. 3",
     false},
    {SP, "SP", "shortest path", length, neither, "d(q_1, r_|R|)", "Anderson et al. 2018 (R2R)",
     false},
    {PLR, "PLR", "reference length", length, neither, "PL(R)", "Jain et al. 2019", false},
    {steps, "steps", "moves of the query", count, neither, "|Q| − 1", "", false},
    {n_query, "n_query", "viewpoints of the query", count, neither, "|Q|", "", false},
    {n_query_raw, "n_query_raw", "the same before repeats are collapsed", count, neither, "", "",
     false},
    {n_ref, "n_ref", "viewpoints of the reference", count, neither, "|R|", "", false},
}};

static_assert([] {
  for (const Metric m : MetricSet::all()) {
    if (table[index_of(m)].metric != m) return false;
  }
  return true;
}());

}  // namespace

std::span<const MetricInfo> metric_table() {
  return table;
}

std::optional<Metric> find_metric(std::string_view name) {
  if (equal_letters(name, "TL")) return PL;  // trajectory length, in half of the papers
  for (const MetricInfo& m : table) {
    if (equal_letters(m.name, name)) return m.metric;
  }
  return std::nullopt;
}

}  // namespace warpath
