#include "host/tasks/reverie/objects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "host/core/base/progress.hpp"
#include "host/files/formats/json_file.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"
#include "host/files/io/input_file.hpp"

namespace warpath::reverie {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view object_forms =
    "expected REVERIE's BBox files, or one file of {\"<scan>_<viewpoint>\": {object: "
    "{\"visible_pos\": [...]}}}";

// Hashes of version 1 over the scans of val_seen, val_unseen and train: data/BBox of the repository
// YuankaiQi/REVERIE at 0fe0955. Version 2 is in no repository.
constexpr std::array<std::string_view, 3> version_1{"54c05296f9a98f12cc6b6505b05c7c1c",
                                                    "193ca44a79327a4eb16aed53f849bd3a",
                                                    "0207fc4abec9bfe99f7ba84fa5dde760"};

// Returns a file's name without folder and endings, or nothing if its endings are of no JSON file.
std::optional<std::string> json_stem(const std::string& path) {
  std::string name = fs::path(path).filename().string();
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  if (!name.ends_with(".json")) return std::nullopt;
  return name.substr(0, name.size() - 5);
}

class ObjectReader {
 public:
  ObjectReader(formats::Dataset& dataset, formats::StringTable& viewpoints,
               formats::ObjectsFile& out)
      : dataset_(dataset), viewpoints_(viewpoints), out_(out), targets_(dataset.scans.size()) {
    for (std::uint32_t s = 0; s < dataset.scans.size(); ++s) scans_.emplace(dataset.scans[s], s);
    for (const formats::Item& item : dataset.items) add_target(item);
  }

  void read_file(const std::string& path, const io::Reading& reading) {
    const formats::JsonFile document(path, reading);
    out_.path = document.path();
    read(document, json_stem(path).value_or(""));
  }

  void read_folder(const std::string& path, const io::Reading& reading) {
    out_.path = path;
    std::vector<std::pair<std::string, std::string>> files;  // name without endings, path
    std::error_code error;
    for (const auto& file : fs::directory_iterator(path, error)) {
      const auto stem = json_stem(file.path().string());
      if (stem && place_in(*stem)) files.emplace_back(*stem, file.path().string());
    }
    if (error) throw InputError({path}, error.message(), "check the folder's permissions");
    std::ranges::sort(files);
    base::Progress progress("reading", files.size(), "files of boxes");
    for (const auto& [stem, file] : files) {
      read(formats::JsonFile(file, reading), stem);
      progress.add();
    }
  }

  void finish() {
    refuse_other_scans();
    out_.scans = seen_scans_.size();
    std::ranges::sort(sightings_);
    out_.hash = io::content_hash(fmt::format("{}", fmt::join(sightings_, "\n")));
    out_.is_version_1 = std::ranges::find(version_1, out_.hash) != version_1.end();
    for (const std::vector<formats::Token>& goals : goals_) {
      dataset_.goals.elements.insert(dataset_.goals.elements.end(), goals.begin(), goals.end());
      dataset_.goals.end_path();
    }
    io::CountedIds unseen, elsewhere;
    for (formats::Item& item : dataset_.items) {
      const std::uint32_t target = targets_[item.scan].at(item.object);
      item.goals = target;
      const std::vector<formats::Token>& goals = goals_[target];
      const auto reference = dataset_.references[item.reference];
      if (goals.empty()) {
        unseen.add(item.id);
      } else if (!reference.empty() && std::ranges::find(goals, reference.back()) == goals.end()) {
        elsewhere.add(item.id);
      }
    }
    add_notes(unseen, elsewhere);
    keys_.note_repeated(out_.notes);
  }

 private:
  struct Place {
    std::uint32_t scan;
    std::string_view viewpoint;
  };

  void add_target(const formats::Item& item) {
    if (item.object.empty()) {
      throw InputError({dataset_.file, item.id, "objId"}, "has no target, which --objects is for",
                       "score a split whose items have objId, or leave --objects away");
    }
    auto& of_scan = targets_[item.scan];
    const auto next = static_cast<std::uint32_t>(goals_.size());
    if (of_scan.emplace(item.object, next).second) goals_.emplace_back();
  }

  // Finds the scan of the dataset, and the viewpoint, that "<scan>_<viewpoint>" names.
  std::optional<Place> place_in(std::string_view name) const {
    for (auto at = name.find('_'); at != name.npos; at = name.find('_', at + 1)) {
      const auto scan = scans_.find(name.substr(0, at));
      if (scan != scans_.end()) return Place{scan->second, name.substr(at + 1)};
    }
    return std::nullopt;
  }

  void read(const formats::JsonFile& document, std::string_view stem) {
    const std::string& file = document.path();
    const json::Object root = formats::as_object(document.root(), {file});
    const auto of_file = place_in(stem);
    for (const auto field : root) {
      if (first_key_.empty()) first_key_ = field.key;
      auto place = place_in(field.key);
      if (!place && of_file) place = Place{of_file->scan, field.key};
      const auto objects = formats::object_in(field.value);
      if (!objects) {
        refuse({file, std::string(field.key), {}}, "",
               "is " + std::string(formats::type_name(field.value)));
      }
      if (place) read_viewpoint(*place, *objects, {file, std::string(field.key), {}});
    }
  }

  void read_viewpoint(const Place& place, json::Object objects, const InputError::Where& where) {
    const std::string key = fmt::format("{} {}", place.scan, place.viewpoint);
    if (!seen_viewpoints_.insert(key).second) {
      throw InputError(where, "the viewpoint is there twice",
                       "keep one entry for each viewpoint of a scan");
    }
    seen_scans_.insert(place.scan);
    ++out_.viewpoints;
    std::unordered_map<std::string_view, bool> is_visible;  // of a repeated key the last counts
    for (const auto field : objects) {
      const bool visible = has_views(field.value, where, field.key);
      if (!is_visible.insert_or_assign(field.key, visible).second) ++keys_.repeated;
    }
    for (const auto& [object, visible] : is_visible) {
      ++(visible ? out_.visible : out_.hidden);
      if (!visible) continue;
      sightings_.push_back(
          fmt::format("{} {} {}", dataset_.scans[place.scan], place.viewpoint, object));
      add_goal(place, object);
    }
  }

  bool has_views(json::Value object, const InputError::Where& where, std::string_view id) {
    const auto entry = formats::object_in(object);
    if (!entry) refuse(where, id, "is " + std::string(formats::type_name(object)));
    const auto [views, count] = formats::find_key(*entry, "visible_pos");
    if (count == 0) refuse(where, id, "has no visible_pos; " + formats::found_keys(*entry));
    if (count > 1) ++keys_.repeated;
    json::Array list;
    if (!views.get(list)) {
      refuse(where, id, "its visible_pos is " + std::string(formats::type_name(views)));
    }
    return list.size() > 0;
  }

  void add_goal(const Place& place, std::string_view object) {
    const auto target = targets_[place.scan].find(object);
    if (target == targets_[place.scan].end()) return;
    goals_[target->second].push_back(viewpoints_.intern(place.viewpoint));
  }

  // @param object empty: the problem is the viewpoint's
  [[noreturn]] static void refuse(InputError::Where where, std::string_view object,
                                  const std::string& problem) {
    if (!object.empty()) where.field = fmt::format("object {}", object);
    throw InputError(where, problem, std::string(object_forms));
  }

  void refuse_other_scans() const {
    if (out_.viewpoints == 0) {
      const std::string found =
          first_key_.empty() ? "" : fmt::format(" (the first key is '{}')", first_key_);
      throw InputError(
          {out_.path},
          fmt::format("has no viewpoint of the dataset's {}, of which the first is "
                      "{}{}",
                      io::counted(dataset_.scans.size(), "scan"), dataset_.scans.front(), found),
          std::string(object_forms));
    }
    if (std::ranges::any_of(goals_, [](const auto& goals) { return !goals.empty(); })) return;
    throw InputError({out_.path},
                     fmt::format("shows none of the dataset's {} from any viewpoint",
                                 io::counted(goals_.size(), "target")),
                     "name the boxes that the annotations were made with");
  }

  void add_notes(const io::CountedIds& unseen, const io::CountedIds& elsewhere) {
    const std::string items = " of " + io::counted(dataset_.items.size(), "item");
    if (unseen.count > 0) {
      out_.notes.push_back(fmt::format(
          "the target of {}{} is visible from no viewpoint, so nobody can succeed there: {}",
          unseen.count, items, unseen.examples));
    }
    if (elsewhere.count > 0) {
      out_.notes.push_back(
          fmt::format("the target of {}{} is not visible from the last viewpoint of its reference, "
                      "so annotations and boxes may be of two versions: {}",
                      elsewhere.count, items, elsewhere.examples));
    }
  }

  formats::Dataset& dataset_;
  formats::StringTable& viewpoints_;
  formats::ObjectsFile& out_;
  std::unordered_map<std::string_view, std::uint32_t> scans_;
  // By scan: the number of an object that is a target.
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> targets_;
  std::vector<std::vector<formats::Token>> goals_;  // by target
  std::unordered_set<std::string> seen_viewpoints_;
  std::set<std::uint32_t> seen_scans_;
  std::vector<std::string> sightings_;  // scan, viewpoint and object that is visible from it
  std::string first_key_;
  formats::KeyReader keys_;
};

}  // namespace

formats::ObjectsFile read_objects(const std::string& path, formats::Dataset& dataset,
                                  formats::StringTable& viewpoints, const io::Reading& reading) {
  formats::ObjectsFile objects;
  ObjectReader reader(dataset, viewpoints, objects);
  const bool is_text = reading.texts != nullptr && reading.texts->contains(path);
  if (std::error_code error; !is_text && fs::is_directory(path, error)) {
    reader.read_folder(path, reading);
  } else {
    reader.read_file(path, reading);
  }
  reader.finish();
  return objects;
}

}  // namespace warpath::reverie
