#include <fmt/format.h>

#include <algorithm>

#include "host/files/formats/append_paths.hpp"
#include "host/files/formats/predictions.hpp"
#include "warpath/error.hpp"

namespace warpath::formats {
namespace {

// Tells whether the format is a plain list. Lists are told apart by the form of their first paths,
// which an agent may mix.
bool is_plain_list(PredictionFormat format) {
  return format == PredictionFormat::evalai || format == PredictionFormat::viewpoints ||
         format == PredictionFormat::nested;
}

// Adds the notes that are not there yet.
void add_notes(const std::vector<std::string>& more, std::vector<std::string>& notes) {
  for (const std::string& note : more) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
}

bool may_be_shards(const Predictions& a, const Predictions& b) {
  const bool are_lists = is_plain_list(a.format) && is_plain_list(b.format);
  if (is_of_positions(a.format)) return is_of_positions(b.format) && a.id_key == b.id_key;
  return a.id_key == b.id_key && (a.format == b.format || (are_lists && a.path_key == b.path_key));
}

}  // namespace

void Predictions::append(const Predictions& shard) {
  if (entries.empty()) {
    positions = shard.positions ? std::optional(PositionData()) : std::nullopt;
    format = shard.format;
    id_key = shard.id_key;
    path_key = shard.path_key;
  } else if (!shard.entries.empty() && !may_be_shards(*this, shard)) {
    throw InputError({shard.file},
                     fmt::format("{} with {}, but {} is {} with {}", title(shard.format),
                                 shard.id_key, file, title(format), id_key),
                     "merge shards of one format only");
  }
  const auto paths_before =
      static_cast<std::uint32_t>(positions ? positions->paths.size() : paths.size());
  for (const Prediction& p : shard.entries) {
    entries.push_back(p);
    entries.back().trajectory.path += paths_before;
    entries.back().entry = nullptr;
  }
  append_published(published, entries.size() - shard.entries.size(), shard.published,
                   shard.entries.size());
  append_paths(paths, shard.paths);
  if (positions) append_to(*positions, *shard.positions);
  add_notes(shard.notes, notes);
  add_notes(shard.object_notes, object_notes);
  if (object_key.empty()) object_key = shard.object_key;
  hash += "+" + shard.hash;
}

}  // namespace warpath::formats
