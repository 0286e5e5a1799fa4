#include "host/program/report/reward_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "host/core/base/clean_text.hpp"
#include "host/files/io/wrap.hpp"
#include "host/program/report/report.hpp"

namespace warpath::report {
namespace {

constexpr std::string_view symbols =
    "g_t is the distance to the goal at viewpoint t, g that at the end; Δ is a prefix's value "
    "minus "
    "that of the prefix before the move, all against the whole reference.";

// Returns a number with a minus sign that is one.
std::string with_sign(double number) {
  return fmt::format("{}{}", number < 0.0 ? "−" : "", std::abs(number));
}

// Adds up products of weights and words: "1 − 2 nDTW".
class Sum {
 public:
  void add(double weight, std::string_view word = "") {
    if (weight == 0.0) return;
    const bool is_negative = weight < 0.0;
    if (text_.empty())
      text_ = is_negative ? "−" : "";
    else
      text_ += is_negative ? " − " : " + ";
    const double size = std::abs(weight);
    const bool is_plain = size == 1.0 && !word.empty();
    if (!is_plain) text_ += fmt::format("{}{}", size, word.empty() ? "" : " ");
    text_ += word;
  }
  void add(const std::string& term) { text_ += (text_.empty() ? "" : " + ") + term; }

  std::string text() const { return text_.empty() ? "0" : text_; }
  bool is_empty() const { return text_.empty(); }

 private:
  std::string text_;
};

std::string_view text_of_tie(Tie tie) {
  switch (tie) {
    case Tie::minus_one:
      return " (−1 where it is 0)";
    case Tie::undefined:
      return " (no value where it is 0)";
    case Tie::zero:
      break;
  }
  return "";
}

void add_goal(const RewardSettings& s, Sum& sum) {
  switch (s.goal_gain) {
    case GoalGain::none:
      return;
    case GoalGain::metres:
      return sum.add(s.goal_weight, "(g_t − g_t+1)");
    case GoalGain::clipped:
      return sum.add(s.goal_weight, fmt::format("clip(g_t − g_t+1, ±{})", s.max_goal_gain));
    case GoalGain::sign:
      return sum.add(s.goal_weight, fmt::format("sign(g_t − g_t+1){}", text_of_tie(s.tie)));
  }
}

std::string move_text(const RewardSettings& s) {
  Sum sum;
  add_goal(s, sum);
  sum.add(s.ndtw_weight, "ΔnDTW");
  sum.add(s.cls_weight, "ΔCLS");
  sum.add(-s.dtw_weight, "ΔDTW");
  if (s.slack_per_metre == 0.0)
    sum.add(s.slack);
  else
    sum.add(
        fmt::format("min({}, {} d(q_t, q_t+1))", with_sign(s.slack), with_sign(s.slack_per_metre)));
  if (s.goal_gain != GoalGain::none) {
    sum.add(-s.miss_penalty,
            fmt::format("(1 − g_t) where g_t ≤ {} and g_t+1 > g_t", s.miss_radius));
  }
  return sum.text();
}

std::string end_text(const RewardSettings& s) {
  Sum success, failure, both;
  success.add(s.success);
  success.add(s.success_closeness, fmt::format("(1 − g / {})", s.success_radius));
  success.add(s.success_ndtw, "nDTW");
  success.add(s.final_spl, "SPL");
  failure.add(s.failure);
  both.add(s.final_ndtw, "nDTW");
  both.add(s.final_cls, "CLS");
  both.add(s.final_distance, fmt::format("(1 − g / {})", s.distance_scale));
  if (success.is_empty() && failure.is_empty()) return both.text();
  const std::string radius =
      s.success_radius == 0.0 && s.success_at == Compare::less_equal
          ? "g = 0"
          : fmt::format("g {} {}", s.success_at == Compare::less ? "<" : "≤", s.success_radius);
  const std::string either =
      fmt::format("{} if {}{}, else {}", success.text(), radius,
                  s.success_stop == Stop::required ? " and a stop" : "", failure.text());
  return both.is_empty() ? either : fmt::format("{}; + {} in both cases", either, both.text());
}

std::string_view timeout_text(TimeOut timeout) {
  switch (timeout) {
    case TimeOut::as_stop:
      return "as a stop";
    case TimeOut::nothing:
      return "nothing";
    case TimeOut::replaces_move:
      return "the end's, in place of the last move's";
  }
  return "";
}

std::string source_of(const RewardPreset& p) {
  return fmt::format("{}{}{}", p.source, p.note.empty() ? "" : "; ", p.note);
}

// Returns what a formula leaves open: other tables than the defaults'.
std::string tables_of(const RewardSettings& s) {
  std::vector<std::string> words = settings_that_differ(s.convention, Convention{});
  if (s.stop_path == StopPath::repeats_last) words.push_back("stop-path=repeats-last");
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

RewardFormula reward_formula(const RewardSettings& settings) {
  return {.move = move_text(settings),
          .end = end_text(settings) +
                 (settings.end_column == EndColumn::last_move ? "; added to the last move's" : ""),
          .timeout = std::string(timeout_text(settings.timeout))};
}

std::vector<std::string> settings_that_differ(const RewardSettings& settings,
                                              const RewardSettings& from) {
  std::vector<std::string> words;
  for (const RewardSetting& setting : reward_settings()) {
    const std::string value = setting.get(settings);
    if (value != setting.get(from)) words.push_back(fmt::format("{}={}", setting.name, value));
  }
  for (std::string& word : settings_that_differ(settings.convention, from.convention)) {
    words.push_back(std::move(word));
  }
  return words;
}

std::string position_text(const std::array<double, 3>& position) {
  return fmt::format("{}", fmt::join(position, ","));
}

std::string reward_note(const RewardSettings& settings) {
  const auto words = settings_that_differ(settings, find_reward_preset(settings.preset).settings);
  if (words.empty()) return "reward " + settings.preset;
  return fmt::format("reward {} with {}", settings.preset, fmt::join(words, ", "));
}

std::string reward_presets_text(int width) {
  const std::string indent(4, ' '), deeper(14, ' ');
  std::string text = io::wrap(symbols, width) + "\nRewards, each a value of --reward\n";
  for (const RewardPreset& p : reward_presets()) {
    const RewardFormula formula = reward_formula(p.settings);
    text += fmt::format("  {}\n", p.settings.preset) +
            io::wrap(source_of(p), width, indent, indent) +
            io::wrap(formula.move, width, "    move      ", deeper) +
            io::wrap(formula.end, width, "    end       ", deeper) +
            io::wrap(formula.timeout, width, "    time-out  ", deeper);
    const std::string tables = tables_of(p.settings);
    if (!tables.empty()) text += io::wrap(tables, width, "    with      ", deeper);
  }
  text += "\nSettings, each an option of warpath rewards\n";
  for (const RewardSetting& setting : reward_settings()) {
    text += io::wrap(fmt::format("{} ({})", setting.help, setting.values), width,
                     fmt::format("  --{:<18} ", setting.name), std::string(23, ' '));
  }
  return text;
}

std::string reward_presets_markdown() {
  Table table{{"reward", "move", "end", "time-out", "with", "source"}, {}, "llllll"};
  for (const RewardPreset& p : reward_presets()) {
    const RewardFormula formula = reward_formula(p.settings);
    table.rows.push_back({p.settings.preset, formula.move, formula.end, formula.timeout,
                          tables_of(p.settings), source_of(p)});
  }
  std::string text = fmt::format("{}\n\n", base::clean_text(symbols, base::Markup::markdown)) +
                     table.render(Table::Style::markdown) +
                     "\n## Settings, each an option of `warpath rewards`\n\n";
  for (const RewardSetting& setting : reward_settings()) {
    text += fmt::format("- `--{}`: {} ({})\n", setting.name,
                        base::clean_text(setting.help, base::Markup::markdown),
                        base::clean_text(setting.values, base::Markup::markdown));
  }
  return text;
}

}  // namespace warpath::report
