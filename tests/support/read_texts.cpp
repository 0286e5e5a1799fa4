#include "tests/support/read_texts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/tasks/task.hpp"

namespace warpath::testing {
namespace {

std::string text_of(const formats::NamedPaths& paths, const formats::StringTable& viewpoints) {
  std::string text;
  for (std::size_t p = 0; p < paths.size(); ++p) {
    for (const formats::Token token : paths[p]) text += viewpoints[token] + ' ';
    text += '\n';
  }
  return text;
}

std::string text_of(const formats::Trajectory& t) {
  return fmt::format("{} {} {}{}{}{}{}{}", t.path, t.candidates, t.malformed, t.not_finite,
                     t.has_headings, t.nested, t.plain, t.has_objects);
}

std::string text_of(const PointSet& paths) {
  return fmt::format("{}\n{}\n", paths.elements, paths.offsets);
}

std::string text_of(const formats::EpisodeData& e) {
  return text_of(e.references) + text_of(e.starts) + text_of(e.goals) + text_of(e.ends) +
         fmt::format("{}\n{}\n{}\n", e.geodesic_distance, e.instruction_ids, e.ground_truth);
}

}  // namespace

std::string text_of(const formats::Predictions& p, const formats::StringTable& viewpoints) {
  std::string text = fmt::format("{} {} {} {} {} '{}' {} {}\n", p.file, p.hash, name(p.format),
                                 p.id_key, p.path_key, p.object_key, p.object_notes, p.notes);
  text += fmt::format("{} {}\n", p.is_lines, p.trajectories.size());
  for (const formats::Prediction& entry : p.entries) {
    text += fmt::format("'{}' {} {} '{}' {}\n", entry.id, text_of(entry.trajectory), entry.part,
                        entry.object.value_or("none"), entry.direction.has_value());
  }
  if (p.positions) {
    for (const formats::PositionPath& path : p.positions->paths) {
      text += fmt::format("{}{} {} {} {}\n", path.has_stops, path.is_stopped, path.collisions,
                          path.fault_at, path.fault);
    }
    text += fmt::format("{}\n{}\n{}\n", p.positions->points.elements, p.positions->points.offsets,
                        p.positions->distances.elements);
    text += fmt::format("{}\n", p.positions->distances.offsets);
  }
  for (const auto& metrics : p.published) text += fmt::format("{}\n", metrics);
  return text + text_of(p.paths, viewpoints);
}

std::string text_of(const formats::Dataset& d, const formats::StringTable& viewpoints) {
  std::string text =
      fmt::format("{} {} {} {}{}{} {} {} {}\n", d.file, d.hash, d.task->form, d.is_pairs,
                  d.is_lines, d.has_integer_ids, d.scans, d.notes, d.short_lists.examples);
  for (const formats::Item& item : d.items) {
    text += fmt::format("'{}' {} {} {} '{}' {} {} {} '{}'\n", item.id, item.scan, item.reference,
                        item.instruction, item.language, item.heading,
                        item.goals ? static_cast<int>(*item.goals) : -1,
                        item.planner_goal ? viewpoints[*item.planner_goal] : "none", item.object);
  }
  for (const auto& all : d.all_references) {
    text += fmt::format("{} {} {}\n", all.path, all.planner, all.trusted);
  }
  text += fmt::format("{}\n", d.instructions);
  for (const auto& boxes : d.boxes) text += fmt::format("{} boxes\n", boxes.size());
  if (d.episodes) text += text_of(*d.episodes);
  return text + text_of(d.references, viewpoints) + "goals\n" + text_of(d.goals, viewpoints);
}

std::string text_of(const formats::PairsFile& pairs, const formats::StringTable& viewpoints) {
  return text_of(pairs.dataset, viewpoints) + text_of(pairs.predictions, viewpoints);
}

std::string text_of(const formats::ResultDump& dump, const formats::StringTable&) {
  std::string text = fmt::format("{} {} {}\n", dump.is_vlnpe, dump.notes, dump.missing_files);
  for (const formats::DumpFile& file : dump.files) {
    text += fmt::format("{} {} {} {}\n", file.name, file.hash, file.form, file.episodes);
  }
  for (std::size_t e = 0; e < dump.episodes.size(); ++e) {
    const formats::DumpEpisode& episode = dump.episodes[e];
    text += fmt::format("'{}' '{}' {} {}\n", episode.id, episode.scene, episode.file,
                        dump.where(e).item);
  }
  for (const formats::DumpMeasure& measure : dump.measures) {
    text += fmt::format("{} {}", measure.name, measure.is_known);
    for (const formats::DumpValue& value : measure.values) {
      text += fmt::format(" {} {}", static_cast<int>(value.kind), value.number);
    }
    text += '\n';
  }
  return text;
}

}  // namespace warpath::testing
