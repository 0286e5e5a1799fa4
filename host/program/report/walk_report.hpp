#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/program/report/report.hpp"
#include "warpath/random_baseline.hpp"

namespace warpath::report {

/// Names one of several runs that share the walks of one: number 1 … of.
struct WalkShard {
  std::uint64_t number = 1, of = 1;

  bool operator==(const WalkShard&) const = default;
};

/// Holds everything that reports state about random walks; the functions below only lay it out.
struct WalkReport : InputDescription {
  Convention convention;
  std::vector<Metric> metrics;  ///< in files; all of them unless the user chose some
  std::vector<Metric> printed;  ///< in the table
  std::uint64_t walks = 0;      ///< of the whole run
  std::uint64_t seed = 0;
  WalkSample sample = WalkSample::cycle;
  std::uint64_t references = 0;
  StepCounts steps;
  std::string steps_description, steps_hash;  ///< see RandomBaseline
  std::optional<WalkShard> shard;             ///< absent: the report is of the whole run
  BatchStatistics statistics;                 ///< of the walks that are done
  RunInfo run_info;

  /// Returns the number of the first walk, and how many there are to be.
  std::uint64_t first() const;
  std::uint64_t count() const;
  std::uint64_t done() const { return statistics.summary.items; }
  bool is_complete() const { return done() == count(); }
};

/// Returns the shard that "k/n" names. @throws UsageError
WalkShard parse_shard(const std::string& text);
/// Returns "k/n".
std::string shard_text(const WalkShard& shard);

/// Returns the signature of the walks that are done.
Signature signature_of(const WalkReport& report);

/// Lays the report out as that of agents is.
Document report_document(const WalkReport& report, const PrintOptions& options);

/// Returns the report as that of agents: the walks are the only run, and each
/// metric also has its range, its histogram and the sums behind its mean, from which the statistics
/// of several files can be merged.
std::string report_json(const WalkReport& report, const JsonOptions& options = {});

/// Returns a row per metric.
std::string report_csv(const WalkReport& report, const CsvOptions& options = {});
/// First bytes of this CSV.
inline constexpr std::string_view walks_csv_beginning = "metric,unit,mean,ci95_low,";

/// Reads a report of walks in JSON. The table has the metrics of the file, or the headline ones of
/// all.
/// @throws InputError if the file is something else, or of another version of the program
WalkReport read_walk_report(const std::string& file);

/// Joins shards into the report of one run.
/// @param files the shards' names, for messages
/// @throws InputError if they are not all shards of one run: names what differs, what is there
///   twice and what is missing; or the file whose sums cannot be added
WalkReport merge_walk_reports(const std::vector<WalkReport>& shards,
                              const std::vector<std::string>& files);

}  // namespace warpath::report
