#include "host/files/formats/dump_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <unordered_map>
#include <unordered_set>

#include "host/files/formats/dump_gaps.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"

namespace warpath::formats {
namespace {

// Returns the ids that episodes of several scenes have.
io::CountedIds ids_in_several_scenes(const ResultDump& dump) {
  std::unordered_map<std::string_view, std::string_view> scene_of;
  std::unordered_set<std::string_view> told;
  io::CountedIds ids;
  for (const DumpEpisode& episode : dump.episodes) {
    if (episode.id.empty()) continue;
    const auto [found, is_new] = scene_of.try_emplace(episode.id, episode.scene);
    if (!is_new && found->second != episode.scene && told.insert(episode.id).second) {
      ids.add(episode.id);
    }
  }
  return ids;
}

bool is_named_ovon(const DumpFile& file) {
  std::string name = std::filesystem::path(file.name).filename().string();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.find("ovon") != name.npos;
}

}  // namespace

std::string collision_note(std::size_t count, const std::string& ids) {
  return fmt::format(
      "{} in several files with other values ({}): the ids of ranks collide, and results may be "
      "lost, or runs are mixed; a scene_id in each entry tells equal ids apart",
      count == 1 ? "1 entry is" : fmt::format("{} entries are", count), ids);
}

std::vector<std::string> run_notes(const ResultDump& dump, bool is_ovon) {
  std::vector<std::string> notes, names;
  if (const io::CountedIds ids = ids_in_several_scenes(dump); ids.count > 0) {
    notes.push_back(fmt::format("{} in several scenes ({}): an episode is its scene_id and its id",
                                io::counted(ids.count, "id") + (ids.count == 1 ? " is" : " are"),
                                ids.examples));
  }
  for (const DumpFile& file : dump.files) names.push_back(file.name);
  if (std::string mixed = mixed_runs(names); !mixed.empty()) notes.push_back(std::move(mixed));
  if (is_ovon || std::ranges::any_of(dump.files, is_named_ovon)) {
    notes.emplace_back(
        "OVON: copies of its evaluator exist that take the smaller one of the geodesic distance "
        "and "
        "the Euclidean distance to the object (AstraNav-World, infer_ovon, nav.py 400-407), which "
        "raises SR and SPL; say which one made these results");
  }
  return notes;
}

}  // namespace warpath::formats
