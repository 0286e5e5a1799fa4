#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/export.hpp"

namespace warpath {

/// Length of an edge of the navigation graph: 3-D or 2-D (x, y) Euclid in metres, or 1 per edge.
enum class Distance { euclid_3d, euclid_2d, hops };
/// How an error is compared with the threshold: strictly below, or at most.
enum class Compare { less, less_equal };
/// The length that SPL divides by: d(q_1, r_|R|), or the reference's own length.
enum class SplLength { shortest, reference };
/// SPL when its denominator is 0: SR where the agent did not move (paper); 0; or no value (the
/// source divides by zero).
enum class SplZero { success_if_unmoved, zero, undefined };
/// CLS when EPL = PL(Q) = 0: LS is 1 (paper); CLS is 1 (VALAN); or no value (the source gets NaN).
enum class ClsZero { ls_one, cls_one, undefined };
/// Length of a step u→v inside EPL, LS and CLS: the shortest path between the two, or the edge
/// itself (a step that is no edge, a repeat too, then has no length).
enum class ClsStep { shortest, edge };
/// nDTW = exp(−DTW / (threshold · N)): N = |R|, √|R| or PL(R).
enum class NdtwNorm { nodes, sqrt_nodes, reference_length };
/// The DTW column: the warping cost itself, or divided by PL(R) (VALAN).
enum class DtwNorm { cost, reference_length };
/// Symbols of the edit distance: edges (p_i, p_i+1), or viewpoints.
enum class EditUnit { edges, viewpoints };
/// ED is divided by the longer of the two sequences, or by the product of their lengths (VALAN).
enum class EditNorm { longer, product };
/// Immediate repeats of a viewpoint in the query: as they are, or collapsed to one.
enum class Repeats { keep, collapse };
/// A check of the query: not made, noted in the item's status, or the item gets no value.
enum class Check { off, note, reject };
/// Which instructions of a path are scored: all, or those numbered 0, 1, 2.
enum class Instructions { all, first3 };
/// Items without a prediction or without a task success: the run is refused, they are left out, or
/// they count as failures: 0 in every fraction.
enum class Missing { error, skip, zero };
/// Items with a prediction that gets no value (an unknown or unreachable viewpoint, an empty or
/// malformed path, a check that says `reject`): likewise.
enum class Invalid { error, skip, zero };
/// Of several predictions for one item: score the first, the last, or each.
enum class Duplicates { first, last, each };

/// Every choice on which public evaluators differ. The defaults are the preset `paper`: the
/// metrics' own papers.
struct Convention {
  std::string preset = "paper";
  Distance distance = Distance::euclid_3d;
  double threshold = 3.0;  ///< d_th in metres, or in edges where distance is hops
  Compare success = Compare::less_equal;
  Compare oracle = Compare::less_equal;
  SplLength spl_length = SplLength::shortest;
  double spl_min_denominator = 0.0;  ///< lower bound of SPL's denominator, metres
  SplZero spl_zero = SplZero::success_if_unmoved;
  ClsZero cls_zero = ClsZero::ls_one;
  ClsStep cls_step = ClsStep::shortest;
  NdtwNorm ndtw_norm = NdtwNorm::nodes;
  DtwNorm dtw_norm = DtwNorm::cost;
  EditUnit edit_unit = EditUnit::edges;
  EditNorm edit_norm = EditNorm::longer;
  Repeats repeats = Repeats::keep;
  Check start = Check::note;
  Check adjacency = Check::note;
  Instructions instructions = Instructions::all;
  Missing missing = Missing::error;
  Invalid invalid = Invalid::error;
  Duplicates duplicates = Duplicates::first;

  bool operator==(const Convention&) const = default;
};

struct Preset {
  Convention convention;
  std::string_view source;  ///< the evaluator it reproduces
  std::string_view note;    ///< what a reader of its numbers must know; may be empty
};

/// All presets, `paper` first.
WARPATH_EXPORT std::span<const Preset> presets();

/// The preset of that name (`hamt` is another name of `duet`).
/// @throws UsageError that lists the names there are.
WARPATH_EXPORT const Preset& find_preset(std::string_view name);

/// One field of a Convention, by name: what the command line, `warpath presets` and the reports
/// read, so that a new setting needs no change there.
struct Setting {
  std::string_view name;    ///< spelled as the command-line option, without the dashes
  std::string_view values;  ///< what it accepts, for help and errors
  std::string_view help;
  std::string (*get)(const Convention&);
  /// @throws UsageError where the value is none of `values`.
  void (*set)(Convention&, std::string_view value);
};

WARPATH_EXPORT std::span<const Setting> settings();

/// True where `error` counts as a success against the threshold. Decided in double precision.
inline bool within(double error, Compare compare, double threshold) {
  return compare == Compare::less ? error < threshold : error <= threshold;
}

}  // namespace warpath
