#include "warpath/convention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/core/definitions/ended.hpp"
#include "host/core/definitions/path_convention.hpp"
#include "host/core/definitions/setting_text.hpp"

namespace warpath::definitions {

WARPATH_SPELLING(Positions, "any", "given")
WARPATH_SPELLING(Goal, "end", "set", "seen")
WARPATH_SPELLING(Grounding, "alone", "with-success")
WARPATH_SPELLING(Boxes, "first", "last")
WARPATH_SPELLING(Angles, "plain", "wrap")
WARPATH_SPELLING(SplLength, "shortest", "reference", "nearest", "straight")
WARPATH_SPELLING(SplRatio, "capped", "plain")
WARPATH_SPELLING(GoalDistance, "same", "2d", "3d", "3d-oracle-2d")
WARPATH_SPELLING(Outcome, "computed", "recorded")
WARPATH_SPELLING(SplZero, "success-if-unmoved", "zero", "undefined", "zero-if-unmoved")
WARPATH_SPELLING(ClsZero, "ls-one", "cls-one", "undefined")
WARPATH_SPELLING(ClsStep, "shortest", "edge")
WARPATH_SPELLING(Ndtw, "dtw", "gaussian")
WARPATH_SPELLING(NdtwNorm, "nodes", "sqrt-nodes", "reference-length")
WARPATH_SPELLING(DtwNorm, "cost", "reference-length")
WARPATH_SPELLING(ClsLength, "edges", "nodes")
WARPATH_SPELLING(Links, "both", "by-heading")
WARPATH_SPELLING(KpStart, "nodes", "none")
WARPATH_SPELLING(Edit, "levenshtein", "osa")
WARPATH_SPELLING(EditUnit, "edges", "viewpoints")
WARPATH_SPELLING(EditNorm, "longer", "product")
WARPATH_SPELLING(Repeats, "keep", "collapse")
WARPATH_SPELLING(Check, "off", "note", "reject")
WARPATH_SPELLING(Instructions, "all", "first3")
WARPATH_SPELLING(Missing, "error", "skip", "zero")
WARPATH_SPELLING(Invalid, "error", "skip", "zero")
WARPATH_SPELLING(Duplicates, "first", "last", "each")
WARPATH_SPELLING(StartDistance, "episode", "spl", "measured")
WARPATH_SPELLING(Lookup, "each", "changed", "moved")
WARPATH_SPELLING(OracleStop, "best", "own")
WARPATH_SPELLING(OracleStart, "counted", "ignored")
WARPATH_SPELLING(Window, "pinned", "free")
WARPATH_SPELLING(TourWeight, "episodes", "changes")
WARPATH_SPELLING(Infeasible, "error", "zero")

}  // namespace warpath::definitions

namespace warpath {
namespace {

template <auto field>
std::string get_number(const Convention& c) {
  return fmt::format("{}", c.*field);
}

// A threshold is a divisor and must not be 0; a lower bound of 0 has no effect.
template <auto field>
constexpr std::string_view numbers() {
  return field == &Convention::threshold ? "the numbers above 0" : "the numbers from 0 up";
}

template <auto field>
bool is_number(const Convention& c) {
  const double number = c.*field;
  return std::isfinite(number) && (field == &Convention::threshold ? number > 0.0 : number >= 0.0);
}

template <auto field>
void set_number(Convention& c, std::string_view value) {
  Convention changed;
  if (const auto number = definitions::read_number(value)) {
    changed.*field = *number;
    if (is_number<field>(changed)) return void(c.*field = *number);
  }
  definitions::reject(value, numbers<field>());
}

template <auto field>
Setting word_setting(std::string_view name, std::string_view help) {
  return definitions::make_word_setting<Setting, field>(name, help);
}

template <auto field>
Setting number_setting(std::string_view name, std::string_view help) {
  return {name,
          "NUMBER",
          numbers<field>(),
          help,
          get_number<field>,
          set_number<field>,
          is_number<field>};
}

constexpr unsigned max_dtw_radius = 1'000'000;
constexpr std::string_view accepted_dtw = "exact|fast:R|fast-compiled:R, R from 1 to 1000000";
constexpr std::string_view fast_pure = "fast:", fast_compiled = "fast-compiled:";

std::string get_dtw(const Convention& c) {
  if (c.dtw_radius == 0) return "exact";
  return fmt::format("{}{}", c.dtw_build == FastDtw::pure ? fast_pure : fast_compiled,
                     c.dtw_radius);
}

void set_dtw(Convention& c, std::string_view value) {
  if (base::equal_letters(value, "exact")) {
    c.dtw_radius = 0;
    c.dtw_build = FastDtw::pure;
    return;
  }
  const auto begins_with = [&](std::string_view word) {
    return base::equal_letters(value.substr(0, word.size()), word);
  };
  const std::string_view word = begins_with(fast_compiled) ? fast_compiled : fast_pure;
  const std::string_view digits = begins_with(word) ? value.substr(word.size()) : "";
  unsigned radius = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, radius);
  if (error != std::errc{} || end != last || radius == 0 || radius > max_dtw_radius) {
    definitions::reject(value, accepted_dtw);
  }
  c.dtw_radius = radius;
  c.dtw_build = word == fast_compiled ? FastDtw::compiled : FastDtw::pure;
}

bool is_valid_dtw(const Convention& c) {
  const bool is_build = c.dtw_build == FastDtw::pure || c.dtw_build == FastDtw::compiled;
  return c.dtw_radius <= max_dtw_radius && is_build;
}

Setting dtw_setting() {
  return {"dtw",        "exact|fast:1|fast-compiled:1",
          accepted_dtw, "DTW, nDTW and SDTW: exactly, or by a build of FastDTW with a radius R",
          get_dtw,      set_dtw,
          is_valid_dtw};
}

constexpr std::string_view accepted_lookup = "each|changed|moved|moved:T, T above 0, in metres";
constexpr std::string_view moved_by = "moved:";
constexpr double usual_tolerance = 1e-4;

std::string get_lookup(const Convention& c) {
  const bool is_usual = c.lookup != Lookup::moved || c.lookup_tolerance == usual_tolerance;
  return is_usual ? definitions::WordField<&Convention::lookup>::get(c)
                  : fmt::format("{}{}", moved_by, c.lookup_tolerance);
}

bool is_valid_lookup(const Convention& c) {
  return definitions::WordField<&Convention::lookup>::is_valid(c) &&
         std::isfinite(c.lookup_tolerance) && c.lookup_tolerance > 0.0;
}

void set_lookup(Convention& c, std::string_view value) {
  Convention changed;
  if (base::equal_letters(value.substr(0, moved_by.size()), moved_by)) {
    const auto tolerance = definitions::read_number(value.substr(moved_by.size()));
    changed.lookup = Lookup::moved;
    changed.lookup_tolerance = tolerance.value_or(0.0);
    if (!is_valid_lookup(changed)) definitions::reject(value, accepted_lookup);
  } else {
    const auto words = std::span(definitions::Spelling<Lookup>::words);
    changed.lookup = static_cast<Lookup>(definitions::find_word(value, words));
  }
  c.lookup = changed.lookup;
  c.lookup_tolerance = changed.lookup_tolerance;
}

Setting lookup_setting() {
  return {"lookup",
          "each|changed|moved|moved:1",
          accepted_lookup,
          "distances of each entry, of changed positions, or where it moved by more than T",
          get_lookup,
          set_lookup,
          is_valid_lookup};
}

constexpr std::string_view accepted_ended =
    "any|NAMES|NAMES:zero|NAMES:error, NAMES of endings with commas between them";

void set_ended(Convention& c, std::string_view value) {
  const auto ended = definitions::read_ended(value);
  if (!ended) definitions::reject(value, accepted_ended);
  c.ended = ended->text();
}

Setting ended_setting() {
  return {"ended",
          "any|NAMES|NAMES:zero|NAMES:error",
          accepted_ended,
          "endings that are scored; episodes with others are left out, failures, or refused",
          [](const Convention& c) { return c.ended; },
          set_ended,
          [](const Convention& c) { return definitions::read_ended(c.ended).has_value(); }};
}

using C = Convention;

constexpr std::string_view spl_help =
    "where SPL is 0/0: SR, 0 or no value; VLN-PE: 0 wherever PL is 0 (zero-if-unmoved)";

}  // namespace

std::span<const Setting> settings() {
  static const std::vector<Setting> all{
      word_setting<&C::distance>("distance", "length of an edge: 3-D or 2-D metres, or 1"),
      word_setting<&C::positions>("positions",
                                  "of viewpoints: any, or only those that --coordinates gives"),
      number_setting<&C::threshold>("threshold", "d_th in metres (in edges with distance=hops)"),
      number_setting<&C::oracle_threshold>("oracle-threshold", "d_th of OSR; 0: the threshold"),
      word_setting<&C::success>("success", "SR and SDTW: error below, or at most, the threshold"),
      word_setting<&C::oracle>("oracle", "the same for OSR"),
      word_setting<&C::goal>("goal",
                             "success: at the reference's end, in the item's goal set, or SOON's"),
      word_setting<&C::grounding>("grounding", "RGS: the right object, alone or with success"),
      word_setting<&C::boxes>("boxes", "which of several boxes of a viewpoint counts (SOON)"),
      word_setting<&C::angles>("angles", "headings as plain numbers, or modulo a full turn (SOON)"),
      word_setting<&C::spl_length>("spl-length",
                                   "SPL's length: d(q_1, goal), PL(R), to the nearest goal, or "
                                   "d(r_1, r_|R|) (positions)"),
      number_setting<&C::spl_min_denominator>("spl-min-denominator",
                                              "lower bound of SPL's denominator, metres"),
      number_setting<&C::spl_offset>("spl-offset", "taken from SPL's length, metres (positions)"),
      number_setting<&C::spl_walked_offset>("spl-walked-offset",
                                            "added to PL in SPL, metres (positions)"),
      word_setting<&C::spl_ratio>("spl-ratio",
                                  "SPL's length by the longer of it and PL, or by PL (positions)"),
      word_setting<&C::spl_zero>("spl-zero", spl_help),
      word_setting<&C::cls_zero>("cls-zero", "where EPL = PL = 0: LS is 1, CLS is 1, or no value"),
      word_setting<&C::cls_step>("cls-step",
                                 "a step's length inside CLS: shortest path, or the edge"),
      word_setting<&C::ndtw>("ndtw", "nDTW: of DTW, or VLN-PE's mean of Gaussians of d(q, R)"),
      word_setting<&C::ndtw_norm>("ndtw-norm",
                                  "nDTW divides by d_th times |R|, its root, or PL(R)"),
      word_setting<&C::dtw_norm>("dtw-norm", "the DTW column: the cost, or the cost / PL(R)"),
      dtw_setting(),
      word_setting<&C::cls_length>("cls-length",
                                   "lengths inside CLS: of steps (cls-step), or in viewpoints"),
      number_setting<&C::ndtw_threshold>("ndtw-threshold", "d_th of nDTW alone; 0: threshold"),
      word_setting<&C::links>("links", "Touchdown's links lead both ways, or one (VELMA)"),
      word_setting<&C::kp_start>("kp-start", "KPA: with a path's first two viewpoints, or not"),
      word_setting<&C::edit>("edit", "ED and SED: Levenshtein, or swaps besides (OSA)"),
      word_setting<&C::edit_unit>("edit-unit", "what the edit distance compares"),
      word_setting<&C::edit_norm>("edit-norm",
                                  "ED is divided by the longer sequence, or the product"),
      word_setting<&C::repeats>("repeats", "immediate repeats of a viewpoint in the query"),
      word_setting<&C::start>("start",
                              "query not at the reference's start: ignore, note, no value"),
      word_setting<&C::adjacency>("adjacency", "a move that is no edge: ignore, note, no value"),
      word_setting<&C::instructions>("instructions", "instructions scored per path"),
      word_setting<&C::missing>(
          "missing", "item without a prediction: refuse the run, leave it out, count a failure"),
      word_setting<&C::invalid>(
          "invalid", "prediction without any value: refuse the run, leave it out, count a failure"),
      word_setting<&C::duplicates>("duplicates",
                                   "which of several predictions for one item is scored"),
      word_setting<&C::stop>("stop", "VLN-CE: success asks for a stop, or not"),
      word_setting<&C::start_distance>("start-distance",
                                       "VLN-CE: geodesic_distance is the distance at the start, or "
                                       "SPL's length alone, or unused"),
      lookup_setting(),
      word_setting<&C::oracle_stop>("oracle-stop", "OracleSPL: with the best stop, or the agent's"),
      word_setting<&C::oracle_start>("oracle-start",
                                     "VLN-CE: ONE and OSR count the start, or only actions' ends"),
      word_setting<&C::goal_distance>("goal-distance",
                                      "distances to the goal: as PL's, or in another plane"),
      word_setting<&C::outcome>("outcome", "SR and OSR: computed, or as the results record them"),
      ended_setting(),
      word_setting<&C::window>("window",
                               "tours: episodes' ends are aligned with each other, or not"),
      word_setting<&C::tour_weight>("tour-weight",
                                    "tours: the mean weighs them by episodes, or by changes of it"),
      word_setting<&C::infeasible>("infeasible", "tour without a value: refuse the run, or 0"),
  };
  return all;
}

void check(const Convention& convention) {
  for (const Setting& setting : settings()) {
    if (setting.is_valid(convention)) continue;
    std::string field(setting.name);
    std::ranges::replace(field, '-', '_');
    throw InputError({"convention", convention.preset, field}, "the value is out of range",
                     fmt::format("set it to one of {}", setting.accepted));
  }
}

void check_of_paths(const Convention& convention) {
  check(convention);
  const auto refuse = [&](const char* field, const char* problem, const char* remedy) {
    throw InputError({"convention", convention.preset, field}, problem, remedy);
  };
  if (convention.dtw_radius > 0) {
    refuse("dtw_radius", "asks for FastDTW, which only evaluations of files have",
           "score files by an evaluation, or set it to 0, exact DTW");
  }
  if (convention.ndtw != Ndtw::dtw) {
    refuse("ndtw", "asks for the mean of Gaussians, which only evaluations of files have",
           "score files by an evaluation, or set it to dtw");
  }
  if (definitions::needs_own_spl_zero(convention)) {
    refuse("spl_zero", "asks for VLN-PE's SPL of 0, which only evaluations of files have",
           "score files by an evaluation, or set it to zero");
  }
  if (convention.links != Links::both) {
    refuse("links", "asks for links by heading, which only evaluations of files have",
           "score files by an evaluation, or set it to both");
  }
  if (definitions::needs_own_edits(convention)) {
    refuse("edit", "asks for optimal string alignment, which only evaluations of files have",
           "score files by an evaluation, or set it to levenshtein");
  }
  if (const std::string_view name = definitions::setting_of_positions(convention); !name.empty()) {
    std::string field(name);
    std::ranges::replace(field, '-', '_');
    refuse(field.c_str(), "asks for what only evaluations of positions in files have",
           "score files by an evaluation, or leave it at its default");
  }
  if (!definitions::needs_goal_sets(convention)) return;
  refuse(convention.goal != Goal::end ? "goal" : "spl_length",
         "asks for goal sets, which only the items of a dataset have",
         "score a dataset, or set goal to end and spl_length to shortest");
}

}  // namespace warpath
