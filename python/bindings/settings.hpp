#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "warpath/convention.hpp"
#include "warpath/error.hpp"
#include "warpath/metrics.hpp"

namespace warpath::python {

/// Settings by their names as in Python, spl_min_denominator, with their values as text.
using SettingTexts = std::map<std::string, std::string>;

/// Returns a preset's convention with some settings changed.
/// @throws UsageError that lists the names, or the values, that there are
Convention make_convention(const std::string& preset, const SettingTexts& changes);

/// Calls set() and puts the setting's name before what it throws, which says the value only.
template <class Set>
void set_named(const std::string& name, Set&& set) {
  try {
    set();
  } catch (const UsageError& e) {
    throw UsageError(name + ": " + e.what());
  }
}

/// Changes settings of a convention. @throws UsageError as make_convention
void change(Convention& convention, const SettingTexts& changes);

/// Returns the metrics of these names, each once; all of them for nothing.
/// @throws UsageError that lists the names
std::vector<Metric> find_metrics(const std::optional<std::vector<std::string>>& names,
                                 const MetricSet& among = MetricSet::of_paths());

MetricSet set_of(const std::vector<Metric>& metrics);

/// Returns a number of threads. @throws InputError if it is negative
int checked_threads(int threads);

/// Returns the name of a setting in Python, or that in C++ of one in Python.
std::string python_name(std::string_view setting);
std::string setting_name(std::string_view python);

}  // namespace warpath::python
