// LH-VLN: utils/metrics.py, fed by train.py with what simulation.py's return_results() gives. A
// task has several subtasks; those behind the limit of steps count in ISR, not in NE and TAR.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "host/files/aggregate/program_dump.hpp"
#include "host/files/aggregate/programs.hpp"
#include "host/files/formats/json_file.hpp"

namespace warpath::aggregate {
namespace {

using Numbers = std::vector<double>;

constexpr std::string_view task_remedy =
    "name JSON Lines or a list of what return_results() gives: {\"successes\": [...], "
    "\"oracle_successes\", \"navigation_steps\", \"navigation_errors\", \"gt_step\", \"gt_path\"}";

struct SubtaskLists {
  Numbers successes, gt_steps, steps, oracle_successes, errors, gt_lengths;
};

// The stages in which the program meets what ends it.
enum Stage { adding = 0, cgt = 1, tar = 2 };

double total(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Python's all(): NaN is true.
bool are_all_true(const Numbers& values) {
  return std::ranges::all_of(values, [](double x) { return x != 0.0; });
}

// Reads the lists in the order in which the program asks for them; false if that ends it.
bool read_lists(json::Object entry, ProgramDump& dump, SubtaskLists& lists) {
  const std::array<std::pair<std::string_view, Numbers*>, 6> keys{
      std::pair{"successes", &lists.successes}, {"gt_step", &lists.gt_steps},
      {"navigation_steps", &lists.steps},       {"oracle_successes", &lists.oracle_successes},
      {"navigation_errors", &lists.errors},     {"gt_path", &lists.gt_lengths}};
  for (const auto& [key, list] : keys) {
    if (!formats::has_key(entry, key)) {
      dump.fail("KeyError", fmt::format("has no {}", key), adding);
      return false;
    }
    auto numbers = number_list(entry, key);
    if (!numbers) {
      dump.fail("TypeError", fmt::format("has no list of numbers for {}", key), adding);
      return false;
    }
    *list = std::move(*numbers);
  }
  return true;
}

// Returns s_1 N w_1 + the sum of s_i (1 + (N - 1) s_{i-1}) w_i over later subtasks.
double conditional_sum(const Numbers& successes, const Numbers& weights) {
  const double n = static_cast<double>(successes.size());
  double sum = successes[0] * n * weights[0];
  for (std::size_t i = 1; i < std::min(successes.size(), weights.size()); ++i) {
    sum += successes[i] * (1.0 + (n - 1.0) * successes[i - 1]) * weights[i];
  }
  return sum;
}

double conditional_success(const Numbers& successes) {
  if (successes.empty()) return 0.0;
  const double n = static_cast<double>(successes.size());
  const double sum = conditional_sum(successes, Numbers(successes.size(), 1.0));
  return n == 1.0 ? sum : sum / (n * n);
}

// Returns CGT of a task; nothing if the program ends there.
std::optional<double> conditional_by_length(const SubtaskLists& lists, ProgramDump& dump) {
  if (lists.successes.empty()) return 0.0;
  if (lists.gt_steps.empty()) {
    dump.fail("IndexError", "has an empty gt_step", cgt);
    return std::nullopt;
  }
  const double sum = total(lists.gt_steps);
  if (sum == 0.0) {
    dump.fail("ZeroDivisionError", "has a gt_step whose sum is 0", cgt);
    return std::nullopt;
  }
  Numbers weights;
  for (const double steps : lists.gt_steps) weights.push_back(steps / sum);
  const double n = static_cast<double>(lists.successes.size());
  const double weighted = conditional_sum(lists.successes, weights);
  return n == 1.0 ? weighted : weighted / n;
}

double approach(double error, double gt) {
  if (error == 0.0 && gt == 0.0) return 1.0;
  if (gt == 0.0) return 0.0;
  const double denominator = python_max(error, gt);
  return denominator > 0.0 ? 1.0 - python_max(error - 1.0, 0.0) / denominator : 1.0;
}

void set_approach(const SubtaskLists& lists, ProgramDump& dump) {
  if (lists.errors.size() < lists.gt_lengths.size()) {
    dump.fail("IndexError",
              fmt::format("has {} navigation_errors for {} entries of gt_path", lists.errors.size(),
                          lists.gt_lengths.size()),
              tar);
    return;
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < lists.gt_lengths.size(); ++i) {
    sum += approach(lists.errors[i], lists.gt_lengths[i]);
  }
  if (lists.gt_lengths.empty()) return dump.leave_out("TAR");
  dump.set("TAR", sum, static_cast<double>(lists.gt_lengths.size()));
}

void set_task(const SubtaskLists& lists, ProgramDump& dump) {
  const double success = are_all_true(lists.successes) ? 1.0 : 0.0;
  const double gt = total(lists.gt_steps), steps = total(lists.steps);
  dump.set("SR", success);
  dump.set("OSR", are_all_true(lists.oracle_successes) ? 1.0 : 0.0);
  dump.set("SPL", steps > 0.0 ? success * (gt / python_max(gt, steps)) : 0.0);
  dump.set("NE", lists.errors.empty()
                     ? 0.0
                     : total(lists.errors) / static_cast<double>(lists.errors.size()));
  dump.set("ISR", total(lists.successes), static_cast<double>(lists.successes.size()));
  dump.set("CSR", conditional_success(lists.successes));
  if (const auto value = conditional_by_length(lists, dump)) dump.set("CGT", *value);
  set_approach(lists, dump);
}

}  // namespace

bool recognizes_lhvln(const DumpRequest& request) {
  return begins_with_words(request, {"navigation_errors", "gt_step", "gt_path"});
}

formats::ResultDump read_lhvln(const DumpRequest& request) {
  ProgramDump dump("lhvln");
  for (const char* name : {"SR", "OSR", "SPL", "NE", "ISR", "CSR", "CGT", "TAR"}) {
    dump.declare(name);
  }
  dump.declare("contest", true);  // of means, so no task has one
  for_each_entry(dump, request, task_remedy,
                 [&](json::Object entry, const std::string& id, std::size_t number) {
                   dump.add_episode(id, {}, number);
                   dump.leave_out("contest");
                   SubtaskLists lists;
                   if (read_lists(entry, dump, lists)) set_task(lists, dump);
                 });
  return dump.finish(request.words.front(), task_remedy);
}

RuleResult apply_lhvln(const formats::ResultDump& dump, const OursOptions&) {
  if (const auto failed = fail_early(dump, "lhvln")) return *failed;
  RuleResult result;
  for (const char* name : {"SR", "OSR", "SPL", "NE", "ISR", "CSR", "CGT", "TAR"}) {
    RuleMean mean = sum_over_sum(dump, name);
    if (mean.n == 0 || mean.divisor == 0.0) mean.mean = 0.0;  // of no subtask
    result.means.push_back(std::move(mean));
  }
  const auto value = [&](std::string_view name) { return *result.find(name)->mean; };
  RuleMean contest{"contest", {}, dump.episodes.size(), 0, 0, {}};
  contest.mean = 0.4 * value("TAR") + 0.2 * (value("ISR") + value("CSR") + value("CGT"));
  result.means.push_back(std::move(contest));
  return result;
}

}  // namespace warpath::aggregate
