#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpath/export.hpp"

namespace warpath {

/// Chooses the length of an edge of the navigation graph: the Euclidean distance of its ends in 3-D
/// or in 2-D (x, y), in metres; or 1 for each edge (google-research r4r by default).
enum class Distance { euclid_3d, euclid_2d, hops };
/// Chooses which positions of viewpoints an evaluation takes: any, or only those of a file of
/// coordinates, without which the metrics that RxR published are not reproduced.
enum class Positions { any, given };
/// Chooses how an error is compared with the threshold: strictly below it (most evaluators), or at
/// most (original papers, google-research r4r).
enum class Compare { less, less_equal };
/// Chooses where a query succeeds: within the threshold of the reference's end; at a viewpoint of
/// the item's goal set (a region, or where a target is visible), whatever the threshold; or, as in
/// SOON, within the threshold of its own last viewpoint if that is in the goal set, and otherwise
/// of the reference's end. Where a dataset gives an item no goal set, the last two find no success.
enum class Goal { end, set, seen };
/// Chooses what RGS asks for: the right object alone (REVERIE), or success besides (ScaleVLN).
enum class Grounding { alone, with_success };
/// Chooses which of several boxes of one viewpoint counts: the first (SOON), or the last
/// (VLN-DUET).
enum class Boxes { first, last };
/// Chooses whether headings are compared as the numbers that they are (SOON), or as directions, so
/// that a full turn makes no difference.
enum class Angles { plain, wrap };
/// Chooses SPL's length of an ideal path: the shortest path from the query's start to the goal,
/// d(q_1, r_|R|) (Anderson et al. 2018); the reference's own length PL(R) (VLN-HAMT, VLN-DUET); the
/// shortest path to the nearest viewpoint of the goal set (VLN-HAMT for CVDN); or the straight line
/// from the reference's start to its end (OpenFly; of positions).
enum class SplLength { shortest, reference, nearest, straight };
/// Chooses SPL's ratio of an ideal length l to PL: l / max(PL, l) (Anderson et al. 2018), or l /
/// PL, which may exceed 1 (OpenFly).
enum class SplRatio { capped, plain };
/// Chooses the value of SPL if its denominator is 0: SR, because the agent did not move; 0 (VALAN);
/// or no value (Matterport3DSimulator's eval.py divides by zero). VLN-PE's rule is wider: SPL is 0
/// wherever PL(Q) = 0, although the ideal path has a length.
enum class SplZero { success_if_unmoved, zero, undefined, zero_if_unmoved };
/// Chooses the values of LS and CLS if EPL = PL(Q) = 0: LS is 1 and CLS is PC; both are 1 (VALAN);
/// or neither has a value (google-research r4r and VLN-DUET get NaN).
enum class ClsZero { ls_one, cls_one, undefined };
/// Chooses the length of a step of a path inside EPL, LS and CLS: the shortest path between its
/// ends, or the edge itself (google-research r4r). A step that is no edge, such as a repeat, then
/// has no length, and the pair no LS and CLS.
enum class ClsStep { shortest, edge };
/// Chooses what lengths inside EPL, LS and CLS count: steps, whose length `cls_step` says, or the
/// viewpoints of the paths (map2seq, VLN-Transformer).
enum class ClsLength { edges, nodes };
/// Chooses what nDTW is: normalised DTW (Ilharco et al. 2019), or what VLN-PE calls so and is no
/// DTW, the mean over the query of exp(−d(q, R)² / (2 · d_th²)).
enum class Ndtw { dtw, gaussian };
/// Chooses N in nDTW = exp(−DTW / (d_th · N)): |R| (Ilharco et al. 2019), √|R| (VLN-Transformer,
/// map2seq) or PL(R) (IndoorUAV).
enum class NdtwNorm { nodes, sqrt_nodes, reference_length };
/// Chooses what the metric DTW reports: the warping cost itself, or the cost divided by PL(R)
/// (VALAN). nDTW does not depend on it.
enum class DtwNorm { cost, reference_length };
/// Chooses the FastDTW of a radius: that of the package fastdtw 0.3.4 in pure Python, or that of
/// its compiled build, which takes another window and breaks ties otherwise.
enum class FastDtw { pure, compiled };
/// Chooses the graph of Touchdown's links: each leads both ways (map2seq, VLN-Transformer); or each
/// leads one way, and of a viewpoint's links with one heading the last counts (VELMA). Success then
/// counts the way back from the reference's end, too.
enum class Links { both, by_heading };
/// Chooses whether a path's first two viewpoints are key points of KPA beside its pairs, as VELMA
/// has it, or not.
enum class KpStart { nodes, none };
/// Chooses the edit distance: Levenshtein's, or optimal string alignment, in which the swap of two
/// neighbours counts 1, too (restricted Damerau-Levenshtein; map2seq, VLN-Transformer).
enum class Edit { levenshtein, osa };
/// Chooses what the edit distance compares: edges (p_i, p_i+1), or viewpoints (VALAN).
enum class EditUnit { edges, viewpoints };
/// Chooses what SED divides the edit distance by: the longer of the two sequences (Chen et al.
/// 2019), or the product of their lengths (VALAN).
enum class EditNorm { longer, product };
/// Chooses whether immediate repeats of a viewpoint in the query are kept, or collapsed to one.
enum class Repeats { keep, collapse };
/// Chooses the outcome of a check of the query: the check is off, a failure is noted in the item's
/// status, or the item is rejected and gets no value.
enum class Check { off, note, reject };
/// Chooses in which plane distances to the goal are measured: that of PL and DTW; horizontally; in
/// 3-D; or in 3-D, but horizontally for ONE and OSR (CityNav's vlnce). Of positions.
enum class GoalDistance { same, euclid_2d, euclid_3d, euclid_3d_oracle_2d };
/// Chooses whether success is computed, or taken as the results record it (OpenUAV, whose folders'
/// names say it). Of positions.
enum class Outcome { computed, recorded };
/// Chooses which instructions of a path are scored: all, or those numbered 0, 1 and 2
/// (Matterport3DSimulator's eval.py).
enum class Instructions { all, first3 };
/// Chooses how to treat items without a prediction, and in SDTW of those without a task success: an
/// evaluation is refused, they are left out, or they count as failures (0 in every fraction).
enum class Missing { error, skip, zero };
/// Chooses the same for items whose prediction gets no value: an unknown or unreachable viewpoint,
/// an empty or malformed path, or a check that rejects it.
enum class Invalid { error, skip, zero };
/// Chooses which of several predictions for one item is scored: the first, the last, or each.
enum class Duplicates { first, last, each };
/// Chooses whether an episode succeeds only where the agent stops (VLN-CE), or wherever its path
/// ends (ETPNav). Predictions without stops end with one.
enum class Stop { required, ignored };
/// Chooses the use of the distance to the goal that the dataset has for an episode's start
/// (VLN-CE: geodesic_distance): as the distance there; as SPL's length alone, so that the distance
/// is measured as everywhere else (VLN-PE); or none.
enum class StartDistance { episode, spl, measured };
/// Chooses where an episode's distance to the goal is looked up: at each entry; where the position
/// differs from the one before (Discrete-Continuous-VLN, ETPNav); or where np.allclose with the
/// atol `lookup_tolerance` finds that the agent moved since the last time (habitat-lab: 1e-4;
/// AerialVLN: 1, in metres).
enum class Lookup { each, changed, moved };
/// Chooses the stop in OracleSPL: the best one, or the agent's own (VLN-CE), so that it is SPL.
enum class OracleStop { best, own };
/// Chooses whether ONE and OSR count the start of an episode, or only where its actions ended
/// (VLN-PE). The stop is an action, so the last position always counts.
enum class OracleStart { counted, ignored };
/// Chooses how a tour's path is aligned with its reference: the last viewpoint of an episode's
/// reference, and the first of the next one's, with the same of the query alone (IVLN); or freely.
enum class Window { pinned, free };
/// Chooses what the weight of a tour is proportional to: its episodes (IVLN), or the changes from
/// one to the next, so that a tour of one episode weighs nothing (IVLN-CE).
enum class TourWeight { episodes, changes };
/// Chooses the outcome of a tour without a value: its window leaves no alignment, or weights of
/// episodes are divided by 0. The evaluation is refused, or the value is 0 (OVER-NAV).
enum class Infeasible { error, zero };

/// Every choice in which public evaluators differ. The defaults are the preset `paper`, which
/// follows the original papers of the metrics. A convention is a plain value: copy it and change
/// fields, or use `Setting` to change them by name.
struct Convention {
  std::string preset = "paper";  ///< the preset that the other fields began as
  Distance distance = Distance::euclid_3d;
  Positions positions = Positions::any;
  double threshold = 3.0;                 ///< d_th > 0, in metres, or in edges under hops
  double oracle_threshold = 0.0;          ///< of OSR, of positions in files; 0: d_th
  Compare success = Compare::less_equal;  ///< of SR, and so of SPL, SED and SDTW
  Compare oracle = Compare::less_equal;   ///< of OSR
  Goal goal = Goal::end;
  Grounding grounding = Grounding::alone;
  Boxes boxes = Boxes::first;
  Angles angles = Angles::plain;
  SplLength spl_length = SplLength::shortest;
  double spl_min_denominator = 0.0;  ///< lower bound of SPL's denominator, metres, >= 0
  double spl_offset = 0.0;           ///< taken from SPL's ideal length, but not below 0, metres
  double spl_walked_offset = 0.0;    ///< added to PL in SPL, metres
  SplRatio spl_ratio = SplRatio::capped;  ///< these three of positions in files
  SplZero spl_zero = SplZero::success_if_unmoved;
  ClsZero cls_zero = ClsZero::ls_one;
  ClsStep cls_step = ClsStep::shortest;
  Ndtw ndtw = Ndtw::dtw;  ///< gaussian: for evaluations of files
  NdtwNorm ndtw_norm = NdtwNorm::nodes;
  DtwNorm dtw_norm = DtwNorm::cost;
  unsigned dtw_radius = 0;            ///< of FastDTW, for evaluations of files; 0: exact
  FastDtw dtw_build = FastDtw::pure;  ///< of FastDTW; pure where DTW is exact
  ClsLength cls_length = ClsLength::edges;
  double ndtw_threshold = 0.0;  ///< in place of d_th in nDTW, >= 0; 0: d_th
  Links links = Links::both;    ///< for evaluations of files
  KpStart kp_start = KpStart::nodes;
  Edit edit = Edit::levenshtein;  ///< osa: for evaluations of files
  EditUnit edit_unit = EditUnit::edges;
  EditNorm edit_norm = EditNorm::longer;
  Repeats repeats = Repeats::keep;
  Check start = Check::note;      ///< whether the query begins at the reference's start
  Check adjacency = Check::note;  ///< whether each move of the query is an edge
  Instructions instructions = Instructions::all;
  Missing missing = Missing::error;
  Invalid invalid = Invalid::error;
  Duplicates duplicates = Duplicates::first;
  Stop stop = Stop::required;  ///< from here on: for episodes of positions in files
  StartDistance start_distance = StartDistance::episode;
  Lookup lookup = Lookup::each;
  double lookup_tolerance = 1e-4;  ///< of Lookup::moved, metres, > 0
  OracleStop oracle_stop = OracleStop::best;
  OracleStart oracle_start = OracleStart::counted;
  GoalDistance goal_distance = GoalDistance::same;
  Outcome outcome = Outcome::computed;
  /// Names of the endings that are scored, with commas between them, then what becomes of episodes
  /// with another: ":skip" (left out), ":zero" (failures) or ":error". "any": all are scored.
  std::string ended = "any";
  Window window = Window::pinned;  ///< from here on: for tours
  TourWeight tour_weight = TourWeight::episodes;
  Infeasible infeasible = Infeasible::error;

  bool operator==(const Convention&) const = default;
};

/// A convention that reproduces a public evaluator.
struct Preset {
  Convention convention;    ///< its member `preset` is the name
  std::string_view source;  ///< the evaluator that it reproduces
  std::string_view note;    ///< what readers of its numbers should know; may be empty
};

/// Returns all presets, `paper` first. Any thread may call it.
WARPATH_EXPORT std::span<const Preset> presets();

/// Finds a preset by its name, letter case aside, or by that of a public repository, such as
/// NavGPT-2. `hamt` is another name of `duet`.
/// @throws UsageError that lists the names, or says that the repository has several presets
WARPATH_EXPORT const Preset& find_preset(std::string_view name);

/// Describes one field of a Convention by name, with functions that read and change it as text. The
/// command line, `warpath presets` and the reports go through settings, so a new one appears there
/// by itself.
struct Setting {
  std::string_view name;      ///< name of the command-line option, without the dashes
  std::string_view values;    ///< the accepted words separated by `|`, or NUMBER
  std::string_view accepted;  ///< the same for errors, which read "none of …"
  std::string_view help;      ///< what it means, in one line
  /// Returns the field's value as text that `set` accepts.
  std::string (*get)(const Convention&);
  /// Changes the field. @throws UsageError if the value is none of `values`.
  void (*set)(Convention&, std::string_view value);
  /// Tells whether the field has one of `values`. A program may have assigned any other value.
  bool (*is_valid)(const Convention&);
};

/// Returns all settings, in the order of Convention's fields. Any thread may call it.
WARPATH_EXPORT std::span<const Setting> settings();

/// Checks a convention whose fields a program has set. Every call that scores does so.
/// @throws InputError that names the first field whose value is none of its setting's `values`.
WARPATH_EXPORT void check(const Convention& convention);

/// Checks a convention, and that back ends can score all of it from two paths: no goal sets,
/// FastDTW, mean of Gaussians or optimal string alignment, which evaluations of files have, and
/// nothing that only paths of positions in files have. Every call that scores without a dataset
/// does so.
/// @throws InputError as `check`, and for `goal`, `spl_length`, `dtw_radius`, `ndtw`, `links`,
/// `edit`
///   and those of positions in files.
WARPATH_EXPORT void check_of_paths(const Convention& convention);

/// Tells whether an error (NE, ONE) counts as a success against the threshold, in double precision.
inline bool within(double error, Compare compare, double threshold) {
  return compare == Compare::less ? error < threshold : error <= threshold;
}

}  // namespace warpath
