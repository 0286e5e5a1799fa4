#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "host/files/aggregate/rules.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"

namespace warpath::aggregate {
namespace {

constexpr double max_sum = 1e15;  // of an episode, so that those of a run stay finite

bool is_usable_count(double count) {
  return count >= 0.0 && count <= max_sum;  // NaN is none
}

// Largest values that a measure can have; rounding may take a fraction beyond 1.
double max_of(const formats::DumpMeasure& measure) {
  switch (measure.unit) {
    case Unit::fraction:
      return 1.0 + 1e-9;
    case Unit::length:
      return 1e7;  // metres, as elsewhere
    default:
      return 1e15;
  }
}

// Returns what is wrong with a value, or nothing.
std::string fault_of(const formats::DumpMeasure& measure, std::size_t episode) {
  const formats::DumpValue& value = measure.values[episode];
  switch (value.kind) {
    case formats::DumpValue::Kind::absent:
      return "is not there";
    case formats::DumpValue::Kind::null:
      return "is null";
    case formats::DumpValue::Kind::other:
      return "is no number";
    default:
      break;
  }
  const double count = measure.count_of(episode);
  const bool is_sum = std::abs(value.number) > max_sum || !is_usable_count(count);
  if (!measure.counts.empty() && std::isfinite(value.number) && is_sum) {
    return fmt::format("is {} of {}, which {} cannot be", value.number, count, measure.name);
  }
  const double x = count == 0.0 ? value.number : value.number / count;
  if (std::isnan(x)) return "is NaN";
  if (std::isinf(x)) return x > 0 ? "is infinite" : "is minus infinite";
  const bool is_in_range = std::abs(x) <= max_of(measure) && (x >= 0.0 || !measure.is_known);
  return is_in_range ? "" : fmt::format("is {}, which {} cannot be", x, measure.name);
}

struct FaultyEpisode {
  std::size_t episode;
  std::string measure, text;
};

// Tells whether 0 is the value of a failure.
bool can_fail(const formats::DumpMeasure& measure) {
  return measure.unit == Unit::fraction && measure.is_known && measure.better == Better::higher;
}

// Tells whether absent episodes count 0 in a measure. None counts in what no episode has.
bool counts_absent(const formats::DumpMeasure& measure, const OursOptions& options,
                   std::uint64_t absent) {
  if (options.missing != Missing::zero || absent == 0 || !can_fail(measure)) return false;
  for (std::size_t e = 0; e < measure.values.size(); ++e) {
    if (measure.has_part(e)) return true;
  }
  return false;
}

// Adds up one measure, and keeps the first fault.
RuleMean average(const formats::DumpMeasure& measure, const OursOptions& options,
                 std::uint64_t absent, std::optional<FaultyEpisode>& first) {
  RuleMean mean{measure.name, {}, 0, 0, 0, {}};
  double sum = 0.0, counted = 0.0;
  for (std::size_t e = 0; e < measure.values.size(); ++e) {
    if (!measure.has_part(e)) continue;
    std::string fault = fault_of(measure, e);
    const bool is_zeroed = !fault.empty() && options.invalid == Invalid::zero &&
                           can_fail(measure) && is_usable_count(measure.count_of(e));
    if (fault.empty()) sum += measure.values[e].number;
    if (fault.empty() || is_zeroed) counted += measure.count_of(e);
    if (fault.empty()) {
      ++mean.n;
      continue;
    }
    if (!first || e < first->episode) first = FaultyEpisode{e, measure.name, std::move(fault)};
    ++(is_zeroed ? mean.zeroed : mean.dropped);
  }
  if (counts_absent(measure, options, absent)) {
    mean.zeroed += absent;
    counted += static_cast<double>(absent);
  }
  mean.n += mean.zeroed;
  if (counted > 0.0) mean.mean = sum / counted;
  if (counted != static_cast<double>(mean.n)) mean.divisor = counted;
  return mean;
}

std::optional<InputError> refuse_missing(const formats::ResultDump& dump,
                                         const OursOptions& options, std::uint64_t absent) {
  if (options.missing != Missing::error) return std::nullopt;
  if (absent > 0) {
    return InputError(
        {dump.files.front().name},
        fmt::format("{} of {} are not there", absent, io::counted(options.episodes, "episode")),
        "name all files of the run, or say --missing zero (count as failures) or "
        "--missing skip (leave out)");
  }
  if (dump.missing_files.empty() || options.episodes > 0) return std::nullopt;
  return InputError(
      {dump.missing_files.front()},
      fmt::format("is not among the files of the run, by whose names {} missing: {}",
                  dump.missing_files.size() == 1 ? "one is"
                                                 : fmt::format("{} are", dump.missing_files.size()),
                  io::first_ids(dump.missing_files)),
      "name it, or say --missing skip, or --episodes how many there are");
}

// Refuses to count absent episodes in a measure that weighs episodes apart.
std::optional<InputError> refuse_weights(const formats::ResultDump& dump,
                                         const formats::DumpMeasure& measure,
                                         const OursOptions& options, std::uint64_t absent) {
  const bool are_equal = std::ranges::all_of(measure.counts, [](double c) { return c == 1.0; });
  if (are_equal || !counts_absent(measure, options, absent)) return std::nullopt;
  return InputError({dump.files.front().name, {}, measure.name},
                    fmt::format("is a sum over a sum, and the weights of {} are not known",
                                io::counted(absent, "absent episode")),
                    "say --missing skip (leave them out), or choose --metrics");
}

InputError refusal(const formats::ResultDump& dump, const FaultyEpisode& fault,
                   const std::vector<RuleMean>& means) {
  std::vector<std::string> counts;
  for (const RuleMean& mean : means) {
    if (const auto n = mean.dropped + mean.zeroed; n > 0) {
      counts.push_back(fmt::format("{} in {}", mean.measure, io::counted(n, "episode")));
    }
  }
  return InputError(dump.where(fault.episode, fault.measure),
                    fmt::format("{}; no usable value: {}", fault.text, fmt::join(counts, ", ")),
                    "mend them, say --invalid zero (count as failures) or --invalid skip (leave "
                    "out), or choose --metrics");
}

bool is_chosen(const formats::DumpMeasure& measure, const OursOptions& options) {
  return options.measures.empty() ||
         std::ranges::find(options.measures, measure.name) != options.measures.end();
}

}  // namespace

RuleResult average_ours(const formats::ResultDump& dump, const OursOptions& options) {
  const std::uint64_t there = dump.episodes.size();
  const std::uint64_t absent = options.episodes > there ? options.episodes - there : 0;
  RuleResult result;
  std::optional<FaultyEpisode> first;
  for (const formats::DumpMeasure& measure : dump.measures) {
    if (!is_chosen(measure, options)) continue;
    RuleMean mean = average(measure, options, absent, first);
    if (mean.n + mean.dropped > 0) result.means.push_back(std::move(mean));
    if (!result.refusal) result.refusal = refuse_weights(dump, measure, options, absent);
  }
  if (!result.refusal) result.refusal = refuse_missing(dump, options, absent);
  if (!result.refusal && options.invalid == Invalid::error && first) {
    result.refusal = refusal(dump, *first, result.means);
  }
  return result;
}

}  // namespace warpath::aggregate
