#include "python/bindings/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/core/base/suggest.hpp"
#include "warpath/error.hpp"

namespace warpath::python {
namespace {

const Setting& find_setting(const std::string& python) {
  const std::string name = setting_name(python);
  const auto all = settings();
  const auto found = std::ranges::find(all, name, &Setting::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const Setting& setting : all) names.push_back(python_name(setting.name));
  const std::vector<std::string_view> views(names.begin(), names.end());
  throw UsageError(base::no_such("setting", python, views));
}

}  // namespace

int checked_threads(int threads) {
  if (threads >= 0) return threads;
  throw InputError({"threads"}, "is " + std::to_string(threads),
                   "give a number, or 0 for all cores");
}

std::string python_name(std::string_view setting) {
  std::string name(setting);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string setting_name(std::string_view python) {
  std::string name(python);
  std::ranges::replace(name, '_', '-');
  return name;
}

void change(Convention& convention, const SettingTexts& changes) {
  for (const auto& [name, value] : changes) {
    const Setting& setting = find_setting(name);
    set_named(name, [&] { setting.set(convention, value); });
  }
}

Convention make_convention(const std::string& preset, const SettingTexts& changes) {
  Convention convention = find_preset(preset).convention;
  change(convention, changes);
  return convention;
}

std::vector<Metric> find_metrics(const std::optional<std::vector<std::string>>& names,
                                 const MetricSet& among) {
  std::vector<Metric> metrics;
  if (!names) {
    for (const Metric m : among) metrics.push_back(m);
    return metrics;
  }
  for (const std::string& name : *names) {
    const auto metric = find_metric(name);
    if (!metric) {
      std::vector<std::string_view> known;
      for (const Metric m : among) known.push_back(info(m).name);
      throw UsageError(base::no_such("metric", name, known));
    }
    if (!among.contains(*metric)) {
      throw UsageError(fmt::format("{} is a metric of tasks, which warpath.evaluate computes",
                                   info(*metric).name));
    }
    if (std::ranges::find(metrics, *metric) == metrics.end()) metrics.push_back(*metric);
  }
  if (metrics.empty()) throw UsageError("metrics names no metric; leave it out for all of them");
  return metrics;
}

MetricSet set_of(const std::vector<Metric>& metrics) {
  MetricSet set;
  for (const Metric m : metrics) set.insert(m);
  return set;
}

}  // namespace warpath::python
