#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/files/formats/predictions.hpp"
#include "host/files/io/input_file.hpp"
#include "warpath/error.hpp"
#include "warpath/metrics.hpp"

namespace warpath::formats {

/// Holds what a dump has for one measure of one episode.
struct DumpValue {
  enum class Kind : std::uint8_t { absent, null, number, other };

  double number = std::numeric_limits<double>::quiet_NaN();  ///< may be NaN or infinite
  Kind kind = Kind::absent;  ///< true and false are the numbers 1 and 0

  bool is_number() const { return kind == Kind::number; }
  /// Tells whether the values have equal bits; NaN equals NaN.
  bool same_as(const DumpValue& other) const;
};

/// Describes a measure that an evaluator writes for each episode.
struct DumpMeasure {
  std::string name;       ///< ours ("SPL") where we know the measure, else the file's key
  bool is_known = false;  ///< unit and direction are known
  Unit unit = Unit::count;
  Better better = Better::neither;
  std::vector<DumpValue> values{};  ///< by episode
  /// By episode, what a value counts in a mean, which is sum(values) / sum(counts); empty: 1 each.
  /// An episode whose value is absent and counts 0 is no part of the measure.
  std::vector<double> counts{};

  double count_of(std::size_t episode) const { return counts.empty() ? 1.0 : counts[episode]; }
  bool has_part(std::size_t episode) const {
    return values[episode].kind != DumpValue::Kind::absent || count_of(episode) != 0.0;
  }
};

struct DumpEpisode {
  std::string id;          ///< empty: the file gives none
  std::string scene;       ///< empty: the file gives none
  std::size_t number = 0;  ///< of its entry in a list, from 0, or of its line, from 1
  std::uint32_t file = 0;
  std::string group{};  ///< a part of the run that has means of its own; empty: none
};

struct DumpFile {
  std::string name;  ///< for messages
  std::string hash;
  std::string form;  ///< "JSON Lines" or another title
  std::uint64_t episodes = 0;
};

/// Says what becomes of several entries of one episode. Entries with equal values, and equal paths
/// where these are read, are joined, except under `each`.
enum class DumpDuplicates { error, first, last, each };

/// Says what is read of each entry: its measures, or also its path of positions.
enum class DumpContent { measures, with_paths };

/// Holds the results of one run, episode by episode, from all its files.
struct ResultDump {
  std::vector<DumpFile> files;
  std::vector<DumpEpisode> episodes;
  std::vector<DumpMeasure> measures;  ///< known ones first, then others as they come
  /// The dumps are VLN-PE's: values nested in `info`, with a `fail_reason`. The measures FR and StR
  /// are then 1 where the episode ended by a fall, or stuck.
  bool is_vlnpe = false;
  /// The rule whose program alone writes such files ("lhvln"); empty: several programs do.
  std::string program{};
  /// The exception that ends this program at what it reads, with its place; or empty.
  std::string failure{};
  std::vector<std::string> notes;  ///< what was skipped or joined, and gaps, one sentence each
  /// Names of files that are missing among those of a run's ranks or chunks, by their numbers.
  std::vector<std::string> missing_files;
  /// The path of each episode; nothing: paths were not asked for.
  std::optional<Predictions> positions{};
  /// Names of files beside `files` that belong to them, whose hashes are in theirs.
  std::vector<std::string> files_beside{};

  /// Tells whether the files are neither VLN-PE's nor of a program that reads files of its own.
  bool is_plain() const { return !is_vlnpe && program.empty(); }
  const DumpMeasure* find(std::string_view name) const;
  /// Returns the place of an episode for messages.
  InputError::Where where(std::size_t episode, std::string_view measure = {}) const;
};

/// Reads per-episode results of one run from the files of its ranks and chunks: {id: {measure:
/// value}}, a list or lines of such objects with an id in them, or one object in a file, as NaVid
/// writes them. NaN, Infinity and null are values. Files may be gzipped.
/// @param files "-" is standard input
/// @param reading see read_input
/// @throws InputError if a file cannot be read or has none of these forms, or no file has an
/// episode, or a measure where paths are not read; under DumpDuplicates::error, if two entries of
/// one episode differ
ResultDump read_result_dumps(std::span<const std::string> files, DumpDuplicates duplicates,
                             const io::Reading& reading = {},
                             DumpContent content = DumpContent::measures);

/// Returns the name of a measure whose own name or key is this, or the name itself.
std::string measure_name(std::string_view name);

}  // namespace warpath::formats
