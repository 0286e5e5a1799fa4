// The readers and rules of programs with files of their own, and EmbodiedScore's log of a replay.

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "host/files/aggregate/rules.hpp"
#include "host/files/formats/replay_log.hpp"
#include "tests/fuzz/checks.hpp"

namespace warpath::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view programs[]{"activevln", "lhvln",  "goat",  "ha-vln",       "evt",
                                      "uavon",     "alfred", "teach", "indooruav-vla"};

// A folder of one episode, whose files are written anew for each input.
class EpisodeFolder {
 public:
  explicit EpisodeFolder(const std::string& name)
      : path_(fs::temp_directory_path() / fmt::format("warpath-fuzz-{}-{}", name, getpid())) {}
  ~EpisodeFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  EpisodeFolder(const EpisodeFolder&) = delete;
  EpisodeFolder& operator=(const EpisodeFolder&) = delete;

  std::string path() const { return path_.string(); }
  void write(const std::string& name, std::string_view text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << text;
  }

 private:
  fs::path path_;
};

// Divides a text at its first empty line.
std::pair<std::string_view, std::string_view> two_texts(std::string_view text) {
  const std::size_t end = text.find("\n\n");
  if (end == text.npos) return {text, ""};
  return {text.substr(0, end + 1), text.substr(end + 2)};
}

// Writes a result, and behind the first empty line its instruction file and its poses.
aggregate::DumpRequest request_of_short_flight(std::string_view text) {
  static const EpisodeFolder flight("indooruav");
  const auto [result, data] = two_texts(text);
  const auto [instruction, posture] = two_texts(data);
  flight.write("trajectories/0.json", result);
  flight.write("vla_ins/g/s/t/v.json", instruction);
  flight.write("without_screenshot/g/s/t/posture.json", posture);
  return {{flight.path()}, {}, max_bytes, flight.path()};
}

std::string path_of(std::string_view program, std::string_view text, const MemoryFile& file) {
  static const EpisodeFolder tracks("evt"), flights("uavon");
  const auto [first, second] = two_texts(text);
  if (program == "evt") {
    tracks.write("results/s/0.json", first);
    tracks.write("track_episode_step/s/0.json", second);
    return tracks.path();
  }
  if (program == "uavon") {
    flights.write("s/success_s.json/task_0/log/trajectory.jsonl", first);
    flights.write("s/success_s.json/task_0/object_description.json", second);
    return flights.path();
  }
  return file.path();
}

void check_means(const formats::ResultDump& dump, const std::vector<aggregate::RuleMean>& means) {
  for (const aggregate::RuleMean& mean : means) {
    require(mean.n + mean.dropped <= dump.episodes.size(), "a mean has more values than episodes");
    require(mean.zeroed <= mean.n, "more values count 0 than there are");
  }
}

void check_program(const aggregate::AggregateRule& rule, const formats::ResultDump& dump) {
  require(dump.program == rule.name, "a reader makes the dump of another program");
  require(!dump.episodes.empty(), "files without episodes are accepted");
  for (const formats::DumpMeasure& measure : dump.measures) {
    require(measure.values.size() == dump.episodes.size(), "an episode has no place for a value");
    require(measure.counts.size() == dump.episodes.size(), "an episode has no place for a count");
  }
  const aggregate::RuleResult result = rule.apply(dump, {});
  require(!result.refusal, "a program's rule refuses in our name");
  require(result.failure.empty() || result.means.empty(), "a rule fails and has means");
  check_means(dump, result.means);
  for (const aggregate::RuleGroup& group : result.groups) check_means(dump, group.means);
  aggregate::OursOptions options;
  options.invalid = Invalid::skip;
  const aggregate::RuleResult ours = aggregate::average_ours(dump, options);
  check_means(dump, ours.means);
  for (const aggregate::RuleMean& mean : ours.means) {
    require(!mean.mean || std::isfinite(*mean.mean), "ours is not finite");
  }
}

}  // namespace

// The first byte chooses the program. EVT-Bench, UAV-ON and HA-VLN read two files, IndoorUAV's
// short flights three, between which there are empty lines.
void fuzz_program_dumps(Bytes input) {
  const std::size_t choice = take_choice(input, std::size(programs) + 1);
  if (choice == std::size(programs)) {
    const std::string lines = formats::replay_log_lines(text_of(input));
    if (lines.empty()) return;
    const MemoryFile log(lines);
    const std::vector<std::string> files{log.path()};
    read_or_refuse([&] { formats::read_result_dumps(files, formats::DumpDuplicates::first); });
    return;
  }
  const std::string_view program = programs[choice];
  const aggregate::AggregateRule& rule = aggregate::find_aggregate_rule(program);
  const auto [first, second] = two_texts(text_of(input));
  const MemoryFile file(program == "ha-vln" ? first : text_of(input)), baseline(second);
  aggregate::DumpRequest request{{path_of(program, text_of(input), file)}, {}, max_bytes};
  if (program == "indooruav-vla") request = request_of_short_flight(text_of(input));
  if (program == "ha-vln") request.collision_baseline = baseline.path();
  read_or_refuse([&] { check_program(rule, rule.read(request)); });
}

}  // namespace warpath::fuzz
