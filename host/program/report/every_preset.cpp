#include "host/program/report/every_preset.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "host/core/definitions/presets.hpp"
#include "host/program/report/print_parts.hpp"
#include "warpath/error.hpp"

namespace warpath::report {
namespace {

// Evaluates under a convention; where that cannot be done, says why in one line.
std::optional<AlsoResult> try_evaluate(Evaluator& evaluator, const Convention& convention,
                                       const EvalOptions& options, std::string& why) {
  try {
    return AlsoResult{convention, evaluator.evaluate(convention, options)};
  } catch (const InputError& error) {
    why = error.what();
  } catch (const UsageError& error) {
    why = error.what();
  }
  return std::nullopt;
}

// Tries settings alone beside a report's own convention; each of them once.
class SettingTrials {
 public:
  SettingTrials(Evaluator& evaluator, const EvalOptions& options, const EvalReport& report)
      : evaluator_(evaluator), options_(options), report_(report) {
    options_.own = {};  // a caller's functions may take long, and there are many trials
  }

  // Returns what in a convention makes means differ from the report's.
  std::vector<Cause> causes_of(const Convention& other) {
    std::vector<Cause> causes;
    for (const Setting& setting : settings()) {
      const std::string value = setting.get(other);
      if (value == setting.get(report_.convention)) continue;
      std::string name = fmt::format("{}={}", setting.name, value);
      const std::vector<Metric>& metrics = changed_by(setting, value, name);
      if (!metrics.empty()) causes.push_back({std::move(name), metrics});
    }
    return causes;
  }

 private:
  const std::vector<Metric>& changed_by(const Setting& setting, const std::string& value,
                                        const std::string& name) {
    const auto [found, is_new] = changed_.try_emplace(name);
    if (!is_new) return found->second;
    Convention changed = report_.convention;
    setting.set(changed, value);
    std::string why;  // it cannot be used alone
    if (const auto result = try_evaluate(evaluator_, changed, options_, why))
      found->second = differing(report_, *result, report_.metrics);
    return found->second;
  }

  Evaluator& evaluator_;
  EvalOptions options_;
  const EvalReport& report_;
  std::map<std::string, std::vector<Metric>> changed_;
};

}  // namespace

void add_every_preset(Evaluator& evaluator,
                      const std::function<Convention(std::string_view preset)>& make,
                      const EvalOptions& options, EvalReport& report) {
  report.has_every_preset = true;
  SettingTrials trials(evaluator, options, report);
  const std::string_view own = definitions::find_preset_use(report.convention.preset).preset;
  for (const definitions::PresetUse& use : definitions::preset_uses()) {
    if (use.preset == own) continue;
    if (use.is_of_tours && report.tours_file.empty()) continue;
    const Convention convention = make(use.preset);
    if (!other_task_note(convention, report.task).empty()) continue;
    std::string why;
    if (std::optional<AlsoResult> result = try_evaluate(evaluator, convention, options, why)) {
      result->causes = trials.causes_of(convention);
      report.also.push_back(std::move(*result));
    } else {
      report.refusing.push_back({use.preset, std::move(why)});
    }
  }
}

}  // namespace warpath::report
