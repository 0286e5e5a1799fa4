#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/io/json_writer.hpp"
#include "host/program/report/report.hpp"

// The parts that JSON reports of all commands have in common. Each writes keys of the open object.

namespace warpath::report {

/// Names an input of a report. Without a format, none is written.
struct JsonInput {
  std::string_view key;
  std::string_view path_key, path;
  std::string_view hash;
  std::string_view format_key{}, format{};
};

/// Writes an input.
void write_input(const JsonInput& input, io::JsonWriter& json);

/// Opens the report of agents or of walks, and writes what comes first in both: version, inputs,
/// convention and precision.
void open_report(const InputDescription& inputs, const Convention& convention, bool is_double,
                 io::JsonWriter& json);

/// Writes `run_info`, unless it is not wanted, closes the report and returns it.
std::string close_report(const RunInfo& run_info, const JsonOptions& options, io::JsonWriter& json);

/// Writes `interval`. @param of what is drawn, where it is not said by `ci`; or empty
void write_interval(Interval interval, std::string_view of, io::JsonWriter& json);

/// Writes `preset`, `preset_note` if the preset is of other tasks, and `convention`.
/// @param task of the dataset, as Evaluator::task()
/// @param without settings that are left out
void write_convention(const Convention& convention, std::string_view task, io::JsonWriter& json,
                      std::initializer_list<std::string_view> without = {});

/// Writes the mean of a metric, its interval, the items that it is over, and its unit.
void write_estimate(const Estimate& estimate, const MetricInfo& m, const Convention& convention,
                    io::JsonWriter& json);

/// Writes `distances`: where those of positions come from, and how positions were placed.
void write_distances(const PositionDistances& distances, io::JsonWriter& json);

/// Writes the numbers of items by status, and of those that a 0/0 rule decided.
void write_counts(const ItemStatistics& summary, io::JsonWriter& json);

/// Writes means by the names that loggers use. A mean over fewer items than the others is followed
/// by its own number of items.
void write_flat(const ItemSummary& summary, const std::vector<Metric>& metrics,
                io::JsonWriter& json);
/// Writes a metric of the caller likewise. @param n of the other metrics
void write_flat_own(const Estimate& estimate, const MetricInfo& m, std::uint64_t n,
                    io::JsonWriter& json);

}  // namespace warpath::report
