#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "host/files/formats/dataset_folder.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/formats/position_predictions.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"
#include "host/tasks/drones/flights.hpp"
#include "host/tasks/list.hpp"

namespace warpath::drones {
namespace {

namespace fs = std::filesystem;

constexpr const char* path_key = "trajectory_raw_detailed";

// A flight is known by the folders of its file: MAP/FLIGHT.
struct ReadOpenUav {
  void operator()(const json::Value& root, const InputError::Where& place, Flights& flights,
                  const formats::Dataset&) const {
    const std::string folder = place.file.substr(0, place.file.rfind('/'));
    Flight flight;
    flight.id = formats::last_names(folder, 2);
    flight.scan = std::string_view(flight.id).substr(0, flight.id.find('/'));
    const InputError::Where where{place.file, flight.id};
    flight.path = formats::require(formats::as_object(root, where), path_key, where);
    flight.path_key = path_key;
    flights.add(flight, place.file);
  }
  void finish(const formats::Dataset&) const {}
};

// Returns the first number in the name of a log; those without one come first.
long number_of(const fs::path& log) {
  const std::string name = log.filename().string();
  const std::size_t first = std::min(name.find_first_of("0123456789"), name.size());
  long number = -1;
  std::from_chars(name.data() + first, name.data() + name.size(), number);
  return number;
}

std::vector<fs::path> logs_in(const fs::path& folder, const std::string& id) {
  std::vector<fs::path> logs;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".json") logs.push_back(at->path());
  }
  if (error) throw InputError({folder.string(), id}, "cannot be listed", error.message());
  if (logs.empty()) throw InputError({folder.string(), id}, "has no log", "fly it again");
  std::ranges::sort(logs);
  std::ranges::stable_sort(logs, {}, number_of);
  return logs;
}

// Reads a folder with a folder for each flight, whose name says how it ended.
class Results {
 public:
  Results(formats::Predictions& out, const io::Reading& reading)
      : out_(out), data_(out.positions.emplace()), reading_(reading) {}

  void read(const std::string& folder) {
    std::vector<fs::path> flights;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      if (is_flight(at->path())) flights.push_back(at->path());
    }
    if (error) throw InputError({folder}, "cannot be listed", error.message());
    if (flights.empty()) {
      throw InputError({folder}, "has no folder of a flight, with ori_info.json",
                       "name the folder of an agent's results");
    }
    std::ranges::sort(flights);
    for (const fs::path& flight : flights) add(flight);
    out_.hash = io::content_hash(hashes_);
    out_.id_key = "ori_traj_dir";
    out_.path_key = "log";
    out_.format = formats::PredictionFormat::points;
    if (passed_over_.count > 0) {
      out_.notes.push_back(
          fmt::format("passed over, as its evaluator does: {} of record and dino, {}",
                      io::counted(passed_over_.count, "folder"), passed_over_.examples));
    }
  }

 private:
  static bool is_passed_over(const std::string& name) {
    return name.find("record") != std::string::npos || name.find("dino") != std::string::npos;
  }

  // Refuses a flight without a description, which would leave the means.
  static bool is_flight(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder / "ori_info.json", error)) return true;
    if (fs::exists(folder / "log", error) && !is_passed_over(folder.filename().string())) {
      throw InputError({folder.string()}, "has a log, but no ori_info.json",
                       "copy the flight's whole folder, or move this one away");
    }
    return false;
  }

  void add(const fs::path& folder) {
    const std::string name = folder.filename().string();
    const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
    if (is_passed_over(name)) return passed_over_.add(name);
    const formats::JsonFile info((folder / "ori_info.json").string(), reading_);
    const InputError::Where where{info.path()};
    const std::string_view origin = formats::as_string(
        formats::require(formats::as_object(info.root(), where), "ori_traj_dir", where),
        {info.path(), {}, "ori_traj_dir"});
    const std::string id = formats::last_names(origin, 2);
    for (const fs::path& log : logs_in(folder / "log", id)) add_position(log.string(), id);
    formats::PositionPath path;
    path.success = has("success");
    path.oracle_success = has("success") || has("oracle");
    formats::Trajectory trajectory;
    trajectory.path = data_.points.end_path();
    data_.distances.end_path();
    data_.paths.push_back(std::move(path));
    out_.entries.push_back({id, trajectory});
    hashes_ += fmt::format("{} {}\n", name, info.hash());
  }

  void add_position(const std::string& log, const std::string& id) {
    const formats::JsonFile document(log, reading_);
    InputError::Where where{log, id};
    json::Value value = document.root();
    for (const char* key : {"sensors", "state", "position"}) {
      value = formats::require(formats::as_object(value, where), key, where);
      where.field += (where.field.empty() ? "" : ".") + std::string(key);
    }
    data_.points.elements.push_back(formats::as_point(value, where));
    hashes_ += document.hash();
  }

  formats::Predictions& out_;
  formats::PositionData& data_;
  const io::Reading& reading_;
  std::string hashes_;
  io::CountedIds passed_over_;
};

void read_openuav(const std::string& folder, formats::Predictions& out,
                  const io::Reading& reading) {
  Results(out, reading).read(folder);
}

}  // namespace

const tasks::Task openuav_task{.form = "openuav",
                               .title = "OpenUAV flights",
                               .name = "OpenUAV",
                               .make_reader = FlightReader<ReadOpenUav>::make,
                               .item_file = "merged_data.json",
                               .read_results = read_openuav};

}  // namespace warpath::drones
