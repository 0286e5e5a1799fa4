#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/files/aggregate/rules.hpp"
#include "host/files/formats/result_dump.hpp"
#include "host/files/json/json_fwd.hpp"

// What the readers and rules of programs with files of their own share.

namespace warpath::formats {
class JsonFile;
}

namespace warpath::aggregate {

/// Collects the columns of a program's own files, episode by episode.
class ProgramDump {
 public:
  /// @param rule whose program writes the files
  explicit ProgramDump(std::string_view rule) { dump_.program = rule; }

  /// Makes the column of a measure, if it is new. Columns without any value are dropped, unless
  /// they are kept.
  formats::DumpMeasure& declare(std::string_view measure, bool is_kept = false);
  bool has(std::string_view measure) const { return position_.contains(std::string(measure)); }
  /// @param form "a list", "JSON Lines", "by id": how messages name an episode; else by its file
  void add_file(const std::string& name, const std::string& hash, std::string_view form);
  void add_file(const formats::JsonFile& file);
  /// Adds a file that belongs to the last one, whose hash is then that of both.
  /// @param hash empty: its content is not used
  void add_beside(const std::string& name, std::string_view hash = {});
  /// Begins an episode of the last file. All its measures are absent and count 1.
  void add_episode(std::string id, std::string scene = {}, std::size_t number = 0);
  formats::DumpEpisode& episode() { return dump_.episodes.back(); }
  /// Sets a measure of the last episode, and makes its column if it is new.
  void set(std::string_view measure, formats::DumpValue value, double count = 1.0);
  void set(std::string_view measure, double value, double count = 1.0);
  /// Says that the last episode is no part of a measure.
  void leave_out(std::string_view measure);
  /// Notes the exception that ends the program at the last episode, if none did before.
  /// @param stage the program's exceptions of a lower stage come first, at whatever episode
  void fail(std::string_view exception, std::string_view text, int stage = 0);
  void add_note(std::string note) { dump_.notes.push_back(std::move(note)); }
  bool is_empty() const { return dump_.episodes.empty(); }

  /// @throws InputError if there is no episode
  /// @param remedy names the files that it takes
  formats::ResultDump finish(std::string_view name, std::string_view remedy);

 private:
  formats::ResultDump dump_;
  std::unordered_map<std::string, std::size_t> position_;
  std::vector<bool> is_kept_;
  int stage_ = 0;
};

/// Returns sum(values) / sum(counts), as they are. Episodes whose value is absent are left out.
/// @param group of episodes; nothing: all
RuleMean sum_over_sum(const formats::ResultDump& dump, std::string_view measure,
                      std::optional<std::string_view> group = std::nullopt);

/// Returns the first exception of a value that is null, or neither number nor absent; or nothing.
std::string find_no_number(const formats::ResultDump& dump, std::string_view measure);

/// Returns "TypeError: line 2 has null for success".
std::string exception_at(const formats::ResultDump& dump, std::string_view exception,
                         std::size_t episode, std::string_view text);

/// Returns the result of a rule for files of another form, or for those at which reading ended the
/// program; nothing where it can be applied.
std::optional<RuleResult> fail_early(const formats::ResultDump& dump, std::string_view rule);

/// Returns the names of the groups of a dump, in their order of appearance.
std::vector<std::string> groups_of(const formats::ResultDump& dump);

/// Python's max and min: the first one, unless the second is beyond it. NaN is beyond nothing.
inline double python_max(double a, double b) {
  return b > a ? b : a;
}
inline double python_min(double a, double b) {
  return b < a ? b : a;
}

/// Returns an entry's values under a key, if they are a list of numbers.
std::optional<std::vector<double>> number_list(json::Object entry, std::string_view key);

/// Parses a text as one document; null if it is none. A lone line is one here.
std::unique_ptr<formats::JsonFile> parse_document(const std::string& name, std::string text);

/// Returns the one object that a file has; nothing if it has another value.
std::optional<json::Object> lone_object(const formats::JsonFile& file);

/// Calls take(entry, id, number) for each entry of the list, lines or lone object of each file.
/// @throws InputError if a file has another form
void for_each_entry(
    ProgramDump& dump, const DumpRequest& request, std::string_view remedy,
    const std::function<void(json::Object entry, const std::string& id, std::size_t number)>& take);

/// Tells whether the beginning of the first file has all these texts, with their quotes.
bool begins_with_words(const DumpRequest& request, std::initializer_list<std::string_view> words);

}  // namespace warpath::aggregate
