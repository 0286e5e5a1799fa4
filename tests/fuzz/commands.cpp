// Whole commands on any files: they end in a known way, with one line or none, and leave no broken
// or unwanted file.

#include "tests/fuzz/commands.hpp"

#include <simdjson.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "host/core/base/clean_text.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/lines.hpp"
#include "host/files/formats/parse_json.hpp"
#include "host/program/cli/cli.hpp"
#include "tests/fuzz/checks.hpp"
#include "warpath/version.hpp"

namespace warpath::fuzz {
namespace {

namespace fs = std::filesystem;

// Of @1 to @6 each is a file of the input; outputs are named by their format.
constexpr std::string_view command_lines[] = {
    "eval --graphs @1 --dataset @2 @3 --json out.json --csv out.csv --items --by length",
    "eval --graphs @1 --dataset @2 @3 --preset r2r --strict --json - --quiet --also paper",
    "eval --graphs @1 --dataset @2 @3 @4 --merge --preset duet --json out.json --flat-names",
    "eval --graphs @1 --dataset @2 @3 --task-success @4 --markdown --csv out.csv --invalid zero",
    "eval --graphs @1 --dataset @2 @3 --coordinates @4 --latex --json out.json --missing skip",
    "eval --graphs @1 --dataset @2 @3 --objects @4 --json out.json --csv out.csv",
    "eval --graphs @1 --dataset @2 @3 --reference all --json out.json --by scan",
    "eval --graphs @1 --dataset @2 @3 --sub-instructions --json out.json --duplicates last",
    "eval --graphs @1 --pairs @2 --json out.json --csv out.csv --items --backend reference",
    "eval --dataset @1 @2 --ground-truth @3 --distances @4 --json out.json --csv out.csv --items",
    "explain --graphs @1 --dataset @2 @3 --item 1_0",
    "explain --graphs @1 --dataset @2 @3 --item 1_0 --rewards hamt",
    "explain --dataset @1 @2 --item 1",
    "validate --graphs @1 --dataset @2 @3",
    "validate --graphs @1 --dataset @2 @3 --fix out.json",
    "validate --dataset @1 @2",
    "convert @1 --to evalai --out out.json",
    "convert @2 --dataset @1 --to vlnce --assume-stop --out out.json",
    "convert @2 --dataset @1 --to rxr-habitat --out out.jsonl",
    "rewards --graphs @1 --dataset @2 @3 --reward hamt --csv out.csv --jsonl out.jsonl",
    "dataset --graphs @1 @2 --json out.json",
    "baseline shortest --graphs @1 --dataset @2 --out out.json --csv out.csv",
    "baseline oracle-stop --graphs @1 --dataset @2 --predictions @3 --json out.json",
    "baseline random-heading --graphs @1 --dataset @2 --seed 5 --out out.json --quiet",
    "perturb reversal --graphs @1 --dataset @2 --out out.json",
    "r4r --graphs @1 --dataset @2 --out out.json",
    "random --graphs @1 --dataset @2 --walks 12 --json out.json --csv out.csv --save 3 out.jsonl",
    "merge @1 @2 --json out.json --csv out.csv",
    "aggregate @1 @2 --json out.json --csv out.csv",
    "aggregate @1 --invalid skip --duplicates first --json out.json --quiet",
    "aggregate @1 --recompute --dataset @2 --invalid skip --duplicates each --json out.json",
    "rewards --dataset @1 @2 --distances @3 --reward vlnce-waypoint --csv out.csv --jsonl "
    "out.jsonl",
};

std::string read_whole(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A folder in memory for the files of one input after the other, of this process alone.
class Folder {
 public:
  Folder() {
    const fs::path memory = "/dev/shm";
    std::error_code error;
    const fs::path base = fs::is_directory(memory, error) ? memory : fs::temp_directory_path();
    path_ = base / ("warpath_fuzz." + std::to_string(::getpid()));
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

const fs::path& folder() {
  static const Folder only;
  return only.path();
}

// Removes what a run left, also where it threw.
struct CleanFolder {
  CleanFolder() { clear(); }
  ~CleanFolder() { clear(); }
  static void clear() {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder(), ignored)) {
      fs::remove_all(entry.path(), ignored);
    }
  }
};

std::vector<std::string_view> parts_of(std::string_view text) {
  constexpr std::string_view line = "\n%%\n";
  std::vector<std::string_view> parts;
  for (std::size_t end = text.find(line); end != text.npos; end = text.find(line)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + line.size());
  }
  parts.push_back(text);
  return parts;
}

// Tells whether no number in a value is what JSON does not have; the reader takes it.
bool is_finite(json::Value value) {
  json::Array list;
  if (value.get(list)) return std::ranges::all_of(list, is_finite);
  const auto object = formats::object_in(value);
  if (!object) return !formats::is_not_finite(value);
  return std::ranges::all_of(*object, [](const auto& field) { return is_finite(field.value); });
}

// A graph's scan is told from the name of its file.
std::string input_file(char number) {
  return number == '1' ? "s_connectivity.json" : std::string(1, number) + ".json";
}

// Writes this version for "@version" in a file, as some files are read by the version that wrote
// them alone.
std::string with_version(std::string_view content) {
  constexpr std::string_view mark = "@version";
  std::string text(content);
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    text.replace(at, mark.size(), WARPATH_VERSION);
  }
  return text;
}

class Run {
 public:
  explicit Run(Bytes input) {
    const std::string_view line = command_lines[take_choice(input, command_count())];
    const std::vector<std::string_view> parts = parts_of(text_of(input));
    std::istringstream words{std::string(line)};
    for (std::string word; words >> word;) {
      if (word.starts_with('@')) {
        const auto part = static_cast<std::size_t>(word[1] - '1');
        add_input(input_file(word[1]), part < parts.size() ? parts[part] : "");
        word = (folder() / input_file(word[1])).string();
      } else if (word.starts_with("out.")) {
        word = (folder() / word).string();
      }
      run_.arguments.push_back(word);
    }
  }

  CommandRun run() {
    std::ostringstream out, err;
    run_.code = cli::run_cli(run_.arguments, out, err);
    run_.out = out.str();
    run_.err = err.str();
    check_end();
    check_inputs();
    check_outputs();
    return run_;
  }

 private:
  void add_input(const std::string& name, std::string_view content) {
    const std::string& text = inputs_.insert_or_assign(name, with_version(content)).first->second;
    std::ofstream(folder() / name, std::ios::binary) << text;
  }

  void promise(bool is_kept, const std::string& what) const {
    if (is_kept) return;
    std::string text = what + ", by";
    for (const std::string& word : run_.arguments) text += " " + word;
    require(false, text + ", exit code " + std::to_string(run_.code) + ": " +
                       base::shortened(run_.err, 1000));
  }

  // Tells whether the exit code is the verdict of a server, and the file was written all the same.
  bool judges() const { return run_.arguments[0] == "validate" || run_.arguments[0] == "convert"; }

  // A command that was refused says why in one line. Where a submission is faulty, or a run under
  // --strict, the exit code says so besides the report.
  void check_end() const {
    promise(run_.code >= 0 && run_.code <= 2, "an exit code that means something else");
    std::istringstream lines(run_.err);
    std::size_t failures = 0, count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      promise(base::clean_text(line) == line, "a line that cannot be printed");
      if (line.starts_with("warpath: ")) ++failures;
      // At the end only: before it stand words of the input.
      promise(!line.ends_with("please report it"), "a failure without a remedy");
    }
    const bool is_verdict = judges() && run_.code == 1 && count == 0;
    promise(failures == (run_.code == 0 || is_verdict ? 0u : 1u), "not one line for a failure");
    promise(run_.code == 0 || count == failures, "more than the line of the failure");
  }

  void check_inputs() const {
    for (const auto& [name, content] : inputs_) {
      promise(read_whole(folder() / name) == content, "input " + name + " changed");
    }
  }

  void check_outputs() const {
    for (const auto& entry : fs::directory_iterator(folder())) {
      const std::string name = entry.path().filename().string();
      if (inputs_.contains(name)) continue;
      promise(name.starts_with("out.") && name.find('.', 4) == name.npos, "the file " + name);
      promise(run_.code == 0 || (judges() && run_.err.empty()), "a file of a failure, " + name);
      check_output(name, read_whole(entry.path()));
    }
    const auto json = std::ranges::find(run_.arguments, "--json");
    const bool is_on_stdout = json != run_.arguments.end() && *(json + 1) == "-";
    if (is_on_stdout && run_.code == 0) check_output("standard output.json", run_.out);
  }

  void check_output(const std::string& name, std::string text) const {
    promise(!text.empty(), "an empty " + name);
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    if (name.ends_with(".json")) check_json(name, text, 0, text.size());
    if (!name.ends_with(".jsonl")) return;
    for (formats::Lines lines(text); lines.next();) check_json(name, text, lines.begin, lines.end);
  }

  void check_json(const std::string& name, std::string& text, std::size_t begin,
                  std::size_t end) const {
    json::Parser parser;
    try {
      promise(is_finite(formats::parse_json(parser, text.data() + begin, end - begin, {name})),
              name + " has NaN or an infinity");
    } catch (const InputError& error) {
      promise(false, error.what());
    }
  }

  CommandRun run_;
  std::map<std::string, std::string> inputs_;
};

}  // namespace

CommandRun run_command_on(Bytes input) {
  const CleanFolder clean;
  return Run(input).run();
}

std::size_t command_count() {
  return std::size(command_lines);
}

void fuzz_commands(Bytes input) {
  run_command_on(input);
}

}  // namespace warpath::fuzz
