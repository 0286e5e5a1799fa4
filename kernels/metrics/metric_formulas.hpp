#pragma once

#include <cstdint>

#include "kernels/metrics/flags.hpp"
#include "kernels/sweep/exp.hpp"
#include "kernels/sweep/sweep.hpp"
#include "kernels/views/rules.hpp"
#include "warpath/convention.hpp"
#include "warpath/metrics.hpp"

// Computes every metric under every convention from the results of a sweep. All fast back ends use
// this code.

namespace warpath::kernels {

/// Removes the smallest normal float, by which tables keep distinct viewpoints at distance 0 apart.
/// No real length is that short.
template <class L>
WARPATH_HD typename L::F settled(typename L::F x) {
  return L::select(x < L::real(1e-30f), L::real(0.0f), x);
}

/// Returns SPL of a success, 1 or 0. @param wanted length of an ideal path
/// @param length PL(Q) @param note(where, flag) is told where the convention decided 0/0
template <class L, class Note>
WARPATH_HD typename L::F spl_value(typename L::F sr, typename L::F wanted, typename L::F length,
                                   const Rules& rules, const Note& note) {
  using F = typename L::F;
  const F zero = L::real(0.0f);
  const F denominator = L::max(L::max(wanted, length), L::real(rules.spl_min_denominator));
  const F ratio = sr * wanted / denominator;
  const auto is_zero = denominator == zero;
  const auto decided = is_zero & (sr == L::real(1.0f));
  F value = L::select(is_zero, zero, ratio);
  if (rules.spl_zero == SplZero::undefined) {
    note(decided, flag_spl_undefined);
    value = L::select(decided, L::real(__builtin_nanf("")), value);
  } else {
    note(decided, flag_zero_spl);
    if (rules.spl_zero == SplZero::success_if_unmoved) value = L::select(decided, sr, value);
  }
  return value;
}

/// Returns what DTW is divided by in nDTW, besides the threshold. @param length PL(R), settled
template <class L>
WARPATH_HD typename L::F ndtw_norm(typename L::I n, typename L::F length, const Rules& rules) {
  const auto nodes = L::to_real(n);
  return rules.ndtw_norm == NdtwNorm::nodes        ? nodes
         : rules.ndtw_norm == NdtwNorm::sqrt_nodes ? L::sqrt(nodes)
                                                   : length;
}

/// Computes the metrics that `Quantities` allows and passes them to Out: `set(metric, value)` for
/// each of them, then `clear(where, metrics)`, which makes these bits of metrics NaN in some lanes,
/// if there are such, and `flags(bits)`; all for all lanes.
/// @tparam Inputs PairInputs, or a class derived from it that reads what is given when asked
template <class L, unsigned Quantities, class Out, class Inputs = PairInputs<L>>
class MetricFormulas {
  using F = typename L::F;
  using M = typename L::M;
  using B = typename L::B;

 public:
  WARPATH_HD MetricFormulas(const SweepResult<L>& swept, const Inputs& inputs, const Rules& rules,
                            Out& out)
      : s_(swept), p_(inputs), rules_(rules), out_(out) {}

  WARPATH_HD void run() {
    flags_ = L::bits(0);
    check_reachable();
    const F one = real(1.0f), zero = real(0.0f);
    F sr = zero;
    if constexpr (goal) {
      sr = L::select(s_.goal < real(rules_.success_below), one, zero);
      set(Metric::SR, sr);
      set(Metric::OSR, L::select(s_.nearest < real(rules_.oracle_below), one, zero));
      set(Metric::NE, settled(s_.goal));
      set(Metric::ONE, settled(s_.nearest));
      set(Metric::SP, settled(s_.first));
      set(Metric::GP, settled(p_.start_to_goal) - settled(s_.goal));
    }
    if constexpr (plr) set(Metric::PLR, settled(p_.reference_length));
    if constexpr (length) set(Metric::PL, path_length());
    if constexpr (length && goal) set(Metric::SPL, spl(sr));
    if constexpr (edits) set(Metric::ED, L::to_real(s_.edits));
    if constexpr (edits && goal) set(Metric::SED, sed(sr));
    if constexpr (coverage) coverage_scores();
    if constexpr (deviation) {
      set(Metric::AD, settled(L::divide_in_range(s_.deviation.high, L::to_real(p_.m))));
      set(Metric::MD, settled(s_.max_deviation));
    }
    if constexpr (dtw) warping_scores(sr);
    out_.clear(unreachable_, written_);
    out_.flags(L::select(unreachable_, L::bits(flag_unreachable), flags_));
  }

 private:
  static constexpr bool dtw = Quantities & quantity_dtw, coverage = Quantities & quantity_coverage,
                        deviation = Quantities & quantity_deviation,
                        goal = Quantities & quantity_goal, length = Quantities & quantity_length,
                        edits = Quantities & quantity_edits, plr = Quantities & quantity_reference;

  WARPATH_HD static F real(float x) { return L::real(x); }
  WARPATH_HD void set(Metric m, F value) {
    out_.set(m, value);
    written_ |= 1u << static_cast<unsigned>(m);
  }
  WARPATH_HD void flag(M where, Flag bit) {
    flags_ = L::select(where, flags_ | L::bits(bit), flags_);
  }
  WARPATH_HD static F settled(F x) { return kernels::settled<L>(x); }
  WARPATH_HD static F absolute(F x) { return L::select(x < real(0.0f), real(0.0f) - x, x); }
  // Inputs that are known to be ordinary have none of the values that are treated apart, and no
  // division of theirs needs a slow path.
  static constexpr bool ordinary = requires { Inputs::are_ordinary; };
  WARPATH_HD static M apart(M where) {
    if constexpr (ordinary) return where != where;
    return where;
  }
  WARPATH_HD static M no_number(F x) { return apart((x == x) == (x < x)); }
  WARPATH_HD static M infinite(F x) { return apart(x == real(__builtin_inff())); }
  WARPATH_HD static M not_finite(F x) { return apart((x < real(__builtin_inff())) == (x < x)); }
  WARPATH_HD bool given_lengths() const { return !ordinary && rules_.given_lengths; }
  WARPATH_HD F path_length() const { return settled(s_.length.high); }

  WARPATH_HD void check_reachable() {
    unreachable_ = infinite(p_.start_to_goal);
    // Depends on what is asked for, not on what this kernel computes, so that all kernels agree.
    if (plr && (rules_.quantities & quantity_reference)) {
      unreachable_ = unreachable_ | not_finite(p_.reference_length);
    }
    if (goal && (rules_.quantities & quantity_goal)) {
      // The nearest viewpoint is not farther than the last.
      const M last = infinite(s_.goal), first = infinite(s_.first);
      unreachable_ = unreachable_ | last | first;
    }
    if (dtw && (rules_.quantities & (quantity_dtw | quantity_coverage | quantity_deviation))) {
      unreachable_ = unreachable_ | infinite(s_.dtw);
    }
    if (length && (rules_.quantities & quantity_length)) {
      unreachable_ = unreachable_ | not_finite(s_.length.high);
    }
  }

  WARPATH_HD F spl(F sr) {
    const F wanted =
        rules_.spl_length == SplLength::shortest ? settled(s_.first) : settled(p_.reference_length);
    return spl_value<L>(sr, wanted, path_length(), rules_,
                        [this](M where, Flag bit) { flag(where, bit); });
  }

  WARPATH_HD F sed(F sr) {
    const int ends = rules_.edit_unit == EditUnit::edges ? 1 : 0;
    const F a = L::to_real(p_.n - ends), b = L::to_real(p_.m - ends);
    const F denominator = rules_.edit_norm == EditNorm::longer ? L::max(a, b) : a * b;
    const F distance = L::to_real(s_.edits);
    const M is_zero = denominator == real(0.0f);
    flag(is_zero, flag_zero_sed);
    const F regular = sr * (real(1.0f) - L::divide_in_range(distance, denominator));
    const F decided = L::select(distance == real(0.0f), sr, real(0.0f));
    return L::select(is_zero, decided, regular);
  }

  WARPATH_HD void coverage_scores() {
    const F pc = coverage_ratio(s_.coverage.high, L::to_real(p_.n));
    const F reference = settled(given_lengths() ? p_.cls_reference_length : p_.reference_length);
    set(Metric::PC, pc);
    set(Metric::EPL, pc * reference);
    if constexpr (length) length_scores(pc, reference);
  }

  WARPATH_HD void length_scores(F pc, F reference) {
    const F zero = real(0.0f), one = real(1.0f), none = real(__builtin_nanf(""));
    F query = path_length();
    if (given_lengths()) query = settled(p_.given_query_length());
    const F expected = pc * reference;
    F score = coverage_ratio(expected, expected + absolute(expected - query));
    // This is EPL / (EPL + |EPL − 0|), also if EPL underflows.
    score = L::select(apart(query == zero), real(0.5f), score);
    const M decided = apart((query == zero) & (reference == zero));
    F cls = pc * score;
    if (rules_.cls_zero == ClsZero::undefined) {
      flag(decided, flag_cls_undefined);
      score = L::select(decided, none, score);
      cls = L::select(decided, none, cls);
    } else {
      flag(decided, flag_zero_ls);
      score = L::select(decided, one, score);
      cls = L::select(decided, rules_.cls_zero == ClsZero::cls_one ? one : pc, cls);
    }
    const M no_query = no_number(query), no_reference = no_number(reference);
    const M undefined = no_query | no_reference;
    if (given_lengths()) flag(undefined, flag_length_undefined);
    set(Metric::LS, L::select(undefined, none, score));
    set(Metric::CLS, L::select(undefined, none, cls));
  }

  WARPATH_HD void warping_scores(F sr) {
    const F zero = real(0.0f), one = real(1.0f);
    const F cost = settled(s_.dtw), reference = settled(p_.reference_length);
    const F norm = norm_of(reference);
    const F power = zero - ratio(cost, norm * real(rules_.ndtw_threshold));
    F ndtw = exp_nonpositive<L>(power);
    // If the reference has length 0, a cost of 0 scores 1 and any other cost 0.
    ndtw = L::select(apart(norm == zero), L::select(cost == zero, one, zero), ndtw);
    set(Metric::nDTW, ndtw);
    if (rules_.given_success) {
      const F success = p_.given_task_success();
      set(Metric::SDTW, success * ndtw);
      flag(no_number(success), flag_no_task_success);
    } else if constexpr (goal) {
      set(Metric::SDTW, sr * ndtw);
    }
    if (ordinary || rules_.dtw_norm == DtwNorm::cost) {
      set(Metric::DTW, cost);
    } else {
      const M undefined = reference == zero;
      flag(undefined, flag_dtw_undefined);
      set(Metric::DTW, L::select(undefined, real(__builtin_nanf("")), cost / reference));
    }
  }

  // Inputs of many prefixes know their reference's norm, and that no division needs a slow path.
  WARPATH_HD F norm_of(F reference) const {
    if constexpr (requires { p_.norm; })
      return p_.norm;
    else
      return ndtw_norm<L>(p_.n, reference, rules_);
  }
  WARPATH_HD static F ratio(F a, F b) {
    if constexpr (requires(Inputs p) { p.norm; })
      return L::divide_in_range(a, b);
    else
      return a / b;
  }

  WARPATH_HD static F coverage_ratio(F a, F b) {
    if constexpr (ordinary)
      return L::divide_in_range(a, b);
    else
      return a / b;
  }

  const SweepResult<L>& s_;
  const Inputs& p_;
  const Rules& rules_;
  Out& out_;
  std::uint32_t written_ = 0;  // bits of the metrics that have been set
  M unreachable_;
  B flags_;
};

}  // namespace warpath::kernels
