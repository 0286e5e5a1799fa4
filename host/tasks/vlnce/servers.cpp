#include "host/tasks/vlnce/servers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "host/files/evaluation/matching.hpp"
#include "host/files/evaluation/pack_episodes.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/position_paths.hpp"
#include "host/files/formats/positions.hpp"
#include "host/files/io/whole_number.hpp"

namespace warpath::vlnce {
namespace {

using enum submission::Problem;
using enum submission::Outcome;

constexpr std::string_view to_vlnce = "warpath convert --to vlnce does";
constexpr std::string_view to_rxr = "warpath convert --to rxr-habitat does";
constexpr std::string_view first_position = "put the position of the start first";

// What both servers say of a path and its id. Their scripts are not public.
const submission::ProblemInfo no_positions{
    malformed,
    submission::as(Status::malformed),
    "the path is no list of positions of three finite numbers",
    "has nothing to measure",
    rejected,
    "write three finite numbers for each position, in metres"};
const submission::ProblemInfo no_path{
    empty_path, submission::as(Status::empty_path), "the path is empty", "has nothing to measure",
    rejected,   "write at least the start"};
const submission::ProblemInfo other_start{
    wrong_start,
    submission::as(Status::wrong_start),
    "the path does not begin at the episode's start (more than 0.1 m away)",
    "measures a path that lacks its beginning, or is of another episode",
    misread,
    first_position};
const submission::ProblemInfo unknown{unknown_id,
                                      submission::as(Status::unknown_id),
                                      "the dataset has no such id",
                                      "finds no episode for it",
                                      rejected,
                                      "leave it out; is the file of this split?"};

const std::array<submission::ProblemInfo, 13> vlnce_table{{
    {container, "container", "the file is no object of episodes",
     "wants {episode: [{position, heading, stop}, ...]}", rejected, to_vlnce},
    {points, "points", "the entries of a path are no objects with a position",
     "wants {position, heading, stop} for each", rejected, to_vlnce},
    {heading_key, "heading_key", "an entry has no heading", "its form has one in each entry",
     rejected, "write one, it is not scored; warpath convert --to vlnce writes 0"},
    {stop_key, "stop_key", "an entry does not say whether the agent stops",
     "its form has stop in each entry, and success asks for one", rejected,
     "write stop, true where the agent stopped; warpath convert --to vlnce [--assume-stop] does"},
    no_positions,
    no_path,
    {missing, submission::as(Status::missing), "an episode has no prediction",
     "wants every episode", rejected, "predict it; is the file of this split?"},
    unknown,
    other_start,
    {early_stop, "early_stop", "the path goes on behind a stop",
     "may take the first stop or the last entry for the end", misread,
     "end the path with its stop"},
    {duplicate_id, submission::as(Status::duplicate_id), "an episode is there twice",
     "reads the last copy, as Python does", misread, "keep one"},
    {no_stop, "no_stop", "the path ends without a stop", "counts the episode as a failure",
     harmless, "none needed if the agent ran out of steps"},
    {not_finite, submission::as(Status::not_finite), "NaN or Infinity for a heading",
     "reads it, as Python does; a strict JSON reader rejects the file", harmless, to_vlnce},
}};

const std::array<submission::ProblemInfo, 14> rxr_table{{
    {container, "container", "the file is not JSON Lines",
     "wants one object {instruction_id, path} a line", rejected, to_rxr},
    {id_key, "id_key", "the id has another key than instruction_id", "finds no instruction_id",
     rejected, to_rxr},
    {id_type, "id_type", "an instruction_id is a string", "wants an integer, and it is no number",
     rejected, to_rxr},
    {path_key, "path_key", "the path has another key than path", "finds no path", rejected, to_rxr},
    {objects, "objects", "a position is an object, not [x, y, z]", "wants [x, y, z]", rejected,
     to_rxr},
    no_positions,
    no_path,
    {missing, submission::as(Status::missing), "an instruction has no prediction",
     "accepts only files with all episodes of the split", rejected,
     "predict it; is the file of this split?"},
    {languages, "languages", "no instruction of a language is predicted",
     "accepts only files with all three languages", rejected,
     "join the files of English, Hindi and Telugu, then warpath convert --to rxr-habitat"},
    {duplicate_id, submission::as(Status::duplicate_id), "an instruction is there twice",
     "wants one path for each", rejected, "keep one"},
    unknown,
    other_start,
    {repeats, "repeats", "a position is the one before again",
     "adds its distance to DTW once more, where its exporter leaves it out", misread, to_rxr},
    {order, "order", "the lines are not in the order of instruction_id",
     "is not known to ask for it; its exporter sorts", harmless, to_rxr},
}};

class EpisodeChecker {
 public:
  EpisodeChecker(const submission::Server& server, evaluation::Inputs& inputs, std::size_t agent)
      : inputs_(inputs),
        episodes_(*inputs.dataset.episodes),
        predictions_(inputs.agents[agent]),
        matching_(inputs.dataset, predictions_),
        is_rxr_(&server == &rxr_habitat_server),
        findings_(server.problems) {}

  std::vector<submission::Finding> check() {
    check_container();
    for (std::uint32_t e = 0; e < predictions_.entries.size(); ++e) {
      const formats::Prediction& p = predictions_.entries[e];
      if (is_rxr_) check_line(p);
      check_path(e, p);
    }
    for (const std::uint32_t e : matching_.unknown()) note(unknown_id, predictions_.entries[e].id);
    check_items();
    if (is_rxr_) check_languages();
    return findings_.take();
  }

 private:
  void note(submission::Problem problem, std::string_view id, std::string_view detail = "") {
    findings_.note(problem, id, detail);
  }

  void check_container() {
    const json::Value root = predictions_.document->root();
    const bool are_lines = predictions_.format == formats::PredictionFormat::position_lines;
    // A single line is an object of its own.
    const bool is_right = is_rxr_ ? predictions_.is_lines || (are_lines && root.is_object())
                                  : !are_lines && !predictions_.is_lines;
    if (!is_right) note(container, predictions_.file, formats::title(predictions_.format));
  }

  // Checks what RxR-Habitat's lines have beside the positions.
  void check_line(const formats::Prediction& p) {
    const auto line = formats::object_in(*p.entry);
    if (!line || predictions_.format != formats::PredictionFormat::position_lines) return;
    const formats::KeyValue id = formats::find_key(*line, "instruction_id");
    if (id.count == 0) {
      note(id_key, p.id, formats::found_keys(*line));
    } else if (id.value.is_string()) {
      note(id_type, p.id, "it is a string");
    }
    if (!formats::has_key(*line, "path")) note(path_key, p.id, formats::found_keys(*line));
    const auto number = io::parse_whole_number(p.id);
    if (number && last_id_ && *number < *last_id_) {
      note(order, p.id, fmt::format("behind {}", *last_id_));
    }
    if (number) last_id_ = number;
  }

  void check_path(std::uint32_t entry, const formats::Prediction& p) {
    const std::uint32_t path = p.trajectory.path;
    const formats::PositionPath& form = predictions_.positions->paths[path];
    if (!form.fault.empty()) {
      return note(malformed, p.id, fmt::format("{} {}", form.fault_at, form.fault));
    }
    const auto positions = predictions_.positions->points[path];
    if (positions.empty()) return note(empty_path, p.id);
    check_entries(p, form);
    if (is_rxr_) check_repeats(p, positions);
    const std::uint32_t item = matching_.item_of(entry);
    if (item == evaluation::Matching::no_item ||
        evaluation::is_at_start(episodes_, item, positions.front()))
      return;
    const formats::Point& start = episodes_.starts[item].front();
    note(wrong_start, p.id,
         fmt::format("[{}] instead of [{}]", fmt::join(positions.front(), ", "),
                     fmt::join(start, ", ")));
  }

  // Checks the form of a path's entries; notes the first place of each problem.
  void check_entries(const formats::Prediction& p, const formats::PositionPath& form) {
    std::optional<std::size_t> object, point, heading, number, stop, stopped;
    std::size_t k = 0;
    const auto mark = [&](bool is_wrong, std::optional<std::size_t>& first) {
      if (is_wrong && !first) first = k;
    };
    for (const json::Value element :
         formats::as_array(formats::positions_in(*p.entry), {predictions_.file, p.id})) {
      const formats::PositionEntry entry = formats::read_position_entry(element);
      mark(entry.is_object, object);
      mark(!entry.is_object, point);
      mark(entry.is_object && !entry.heading, heading);
      mark(entry.heading && !std::isfinite(*entry.heading), number);
      mark(entry.is_object && !entry.stop, stop);
      mark(entry.stop == true, stopped);
      ++k;
    }
    const auto tell = [&](submission::Problem problem, const std::optional<std::size_t>& first) {
      if (first) note(problem, p.id, fmt::format("[{}]", *first));
    };
    if (is_rxr_) return tell(objects, object);
    tell(points, point);
    tell(heading_key, heading);
    tell(not_finite, number);
    tell(stop_key, stop);
    if (stopped && *stopped + 1 < k) {
      note(early_stop, p.id, fmt::format("[{}] of {} entries", *stopped, k));
    } else if (form.has_stops && !form.is_stopped) {
      note(no_stop, p.id);
    }
  }

  void check_repeats(const formats::Prediction& p, std::span<const formats::Point> positions) {
    std::size_t count = 0, first = 0;
    for (std::size_t k = 1; k < positions.size(); ++k) {
      if (positions[k] == positions[k - 1] && count++ == 0) first = k;
    }
    if (count > 0) {
      note(repeats, p.id,
           fmt::format("[{}]{}", first, count > 1 ? fmt::format(", and {} more", count - 1) : ""));
    }
  }

  void check_items() {
    for (std::size_t i = 0; i < inputs_.dataset.items.size(); ++i) {
      const formats::Item& item = inputs_.dataset.items[i];
      const std::string& id =
          is_rxr_ && !episodes_.instruction_ids[i].empty() ? episodes_.instruction_ids[i] : item.id;
      const std::size_t count = matching_.entries_of(i).size();
      if (count == 0) note(missing, id, item.language);
      if (count > 1) note(duplicate_id, id);
    }
  }

  void check_languages() {
    std::map<std::string, std::size_t, std::less<>> items, predicted;  // by "en", "hi", "te"
    for (std::size_t i = 0; i < inputs_.dataset.items.size(); ++i) {
      const std::string language = inputs_.dataset.items[i].language.substr(0, 2);
      if (language.empty()) continue;
      ++items[language];
      predicted[language] += !matching_.entries_of(i).empty();
    }
    if (items.empty()) return;  // the dataset names none
    for (const std::string_view language : {"en", "hi", "te"}) {
      const auto there = items.find(language);
      if (there == items.end()) {
        note(languages, language, "the dataset has none either: name that of all three");
      } else if (predicted.find(language)->second == 0) {
        note(languages, language, fmt::format("{} in the dataset", there->second));
      }
    }
  }

  evaluation::Inputs& inputs_;
  const formats::EpisodeData& episodes_;
  const formats::Predictions& predictions_;
  const evaluation::Matching matching_;
  const bool is_rxr_;
  submission::FindingList findings_;
  std::optional<std::uint64_t> last_id_{};
};

std::vector<submission::Finding> check_episodes(const submission::Server& server,
                                                evaluation::Inputs& inputs, std::size_t agent) {
  return EpisodeChecker(server, inputs, agent).check();
}

constexpr std::string_view to_convert =
    "--fix repairs submissions of R2R and REVERIE; of positions, warpath convert writes the form "
    "that a server takes";

}  // namespace

const submission::Server vlnce_server{
    .problems = vlnce_table,
    .note =
        "what VLN-CE's exporter writes for EvalAI (format r2r), since the server's script is "
        "not public",
    .takes_positions = true,
    .check = check_episodes,
    .cannot_fix = to_convert,
    .form = "vlnce",
    .help = "positions, headings and stops of each episode",
    .title = "submission to VLN-CE's server",
    .says_stops = true,
    .convert = convert_positions};

const submission::Server rxr_habitat_server{
    .problems = rxr_table,
    .note =
        "what VLN-CE's exporter writes for RxR-Habitat (format rxr) and its README says, "
        "since the server's script is not public",
    .takes_positions = true,
    .check = check_episodes,
    .cannot_fix = to_convert,
    .form = "rxr-habitat",
    .help = "lines of instruction_id and path",
    .title = "submission to RxR-Habitat's server",
    .convert = convert_positions};

}  // namespace warpath::vlnce
