#include <algorithm>
#include <cmath>
#include <limits>

#include "host/core/definitions/path_convention.hpp"
#include "host/core/reference/reference.hpp"

namespace warpath::reference {
namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

// Writes one row of the result.
struct Row {
  Scores& scores;
  std::size_t row;

  void set(Metric m, double value) { scores.at(m, row) = value; }
  void note(Status status) { scores.status[row] = more_severe(scores.status[row], status); }
  void count(ZeroByZero where) { scores.zero_rules[row] |= bit_of(where); }
};

double spl(double sr, double ideal_length, double query_length, const Convention& c, Row& out) {
  const double length = definitions::spl_ideal(c, ideal_length);
  const double denominator = definitions::spl_denominator(c, length, query_length);
  const bool is_zero = c.spl_zero == SplZero::zero_if_unmoved && query_length == 0.0;
  if (denominator > 0.0) return sr * (is_zero ? 0.0 : length) / denominator;
  // Without success there is nothing to divide.
  if (sr == 0.0) return 0.0;
  if (c.spl_zero == SplZero::undefined) {
    out.note(Status::spl_undefined);
    return no_value;
  }
  out.count(ZeroByZero::SPL);
  // A denominator of 0 means that the agent did not move.
  return c.spl_zero == SplZero::success_if_unmoved ? sr : 0.0;
}

double sed(double sr, double edits, const definitions::PathSizes& sizes, const Convention& c,
           Row& out) {
  const std::size_t ends = c.edit_unit == EditUnit::edges ? 1 : 0;
  const auto a = static_cast<double>(sizes.reference - ends);
  const auto b = static_cast<double>(sizes.query - ends);
  const double denominator = c.edit_norm == EditNorm::longer ? std::max(a, b) : a * b;
  if (denominator > 0.0) return sr * (1.0 - edits / denominator);
  out.count(ZeroByZero::SED);
  return edits == 0.0 ? sr : 0.0;
}

void length_scores(const Measures& m, const Convention& c, Row& out) {
  const double expected = m.coverage * m.cls_reference_length, length = m.cls_query_length;
  out.set(Metric::PC, m.coverage);
  out.set(Metric::EPL, expected);
  if (expected == 0.0 && length == 0.0) {
    if (c.cls_zero == ClsZero::undefined) return out.note(Status::cls_undefined);
    out.count(ZeroByZero::LS);
    out.set(Metric::LS, 1.0);
    out.set(Metric::CLS, c.cls_zero == ClsZero::cls_one ? 1.0 : m.coverage);
    return;
  }
  const double score = expected / (expected + std::abs(expected - length));
  out.set(Metric::LS, score);
  out.set(Metric::CLS, m.coverage * score);
}

void warping_scores(const Measures& m, const definitions::PathSizes& sizes, double success,
                    const Convention& c, Row& out) {
  const double norm = ndtw_norm(c, sizes, m.reference_length);
  // If the reference has length 0, a cost of 0 scores 1 and any other cost 0.
  const double ndtw = norm > 0.0
                          ? std::exp(-m.warping_cost / (norm * definitions::ndtw_threshold(c)))
                      : m.warping_cost == 0 ? 1.0
                                            : 0.0;
  out.set(Metric::nDTW, ndtw);
  out.set(Metric::SDTW, success * ndtw);
  if (c.dtw_norm == DtwNorm::cost) return out.set(Metric::DTW, m.warping_cost);
  if (m.reference_length == 0.0) return out.note(Status::dtw_undefined);
  out.set(Metric::DTW, m.warping_cost / m.reference_length);
}

bool all_reachable(const Measures& m) {
  const double needed[] = {m.query_length, m.reference_length, m.shortest,    m.start_to_goal,
                           m.error,        m.oracle_error,     m.warping_cost};
  return std::ranges::none_of(needed, [](double d) { return std::isinf(d); });
}

}  // namespace

double ndtw_norm(const Convention& convention, const definitions::PathSizes& sizes,
                 double reference_length) {
  const auto nodes = static_cast<double>(sizes.reference);
  switch (convention.ndtw_norm) {
    case NdtwNorm::nodes:
      return nodes;
    case NdtwNorm::sqrt_nodes:
      return std::sqrt(nodes);
    case NdtwNorm::reference_length:
      return reference_length;
  }
  return nodes;
}

void finish(const Measures& m, const definitions::PathSizes& sizes,
            std::optional<double> task_success, const Convention& c, Scores& scores,
            std::size_t row) {
  Row out{scores, row};
  if (!all_reachable(m)) return out.note(Status::unreachable);

  const double sr = within(m.error, c.success, c.threshold);
  out.set(Metric::PL, m.query_length);
  out.set(Metric::NE, m.error);
  out.set(Metric::ONE, m.oracle_error);
  out.set(Metric::SR, sr);
  out.set(Metric::OSR, within(m.oracle_error, c.oracle, c.threshold));
  out.set(Metric::AD, m.mean_deviation);
  out.set(Metric::MD, m.max_deviation);
  const bool is_by_reference = c.spl_length == SplLength::reference;
  out.set(Metric::SPL,
          spl(sr, is_by_reference ? m.reference_length : m.shortest, m.query_length, c, out));
  const auto edits = static_cast<double>(m.edits);
  out.set(Metric::ED, edits);
  out.set(Metric::SED, sed(sr, edits, sizes, c, out));
  length_scores(m, c, out);
  warping_scores(m, sizes, task_success.value_or(sr), c, out);
  out.set(Metric::GP, m.start_to_goal - m.error);
  out.set(Metric::SP, m.shortest);
  out.set(Metric::PLR, m.reference_length);
  for (const Metric metric : MetricSet::of_paths()) {
    const auto count = definitions::traits(metric).count;
    if (count != nullptr) out.set(metric, static_cast<double>(sizes.*count));
  }
  if (std::isnan(m.cls_query_length) || std::isnan(m.cls_reference_length)) {
    out.note(Status::length_undefined);
  }
  if (task_success && std::isnan(*task_success)) out.note(Status::no_task_success);
}

void finish_success(bool is_success, double spl_length, const definitions::PathSizes& sizes,
                    const Convention& c, Scores& scores, std::size_t row) {
  Row out{scores, row};
  const double sr = is_success;
  scores.zero_rules[row] &= static_cast<std::uint8_t>(~(bit_of(ZeroByZero::SPL)));
  if (scores.status[row] == Status::spl_undefined) {
    scores.status[row] = Status::ok;
    if (std::isnan(scores.at(Metric::CLS, row))) out.note(Status::cls_undefined);
    if (std::isnan(scores.at(Metric::DTW, row))) out.note(Status::dtw_undefined);
    if (std::isnan(scores.at(Metric::SDTW, row))) out.note(Status::no_task_success);
  }
  out.set(Metric::SR, sr);
  out.set(Metric::SPL, spl(sr, spl_length, scores.at(Metric::PL, row), c, out));
  out.set(Metric::SED, sed(sr, scores.at(Metric::ED, row), sizes, c, out));
}

double weighted_by_length(double success, double ideal_length, const Convention& c, Scores& scores,
                          std::size_t row) {
  Row out{scores, row};
  return spl(success, ideal_length, scores.at(Metric::PL, row), c, out);
}

void finish_edits(std::uint64_t edits, const definitions::PathSizes& sizes, const Convention& c,
                  Scores& scores, std::size_t row) {
  Row out{scores, row};
  const auto distance = static_cast<double>(edits);
  out.set(Metric::ED, distance);
  out.set(Metric::SED, sed(scores.at(Metric::SR, row), distance, sizes, c, out));
}

void finish_warping(double cost, double success, const definitions::PathSizes& sizes,
                    const Convention& c, Scores& scores, std::size_t row) {
  Measures measures;
  measures.warping_cost = cost;
  measures.reference_length = scores.at(Metric::PLR, row);
  Row out{scores, row};
  warping_scores(measures, sizes, success, c, out);
  if (std::isnan(success)) out.note(Status::no_task_success);
}

}  // namespace warpath::reference
