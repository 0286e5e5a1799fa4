#include "host/files/evaluation/grid_paths.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "host/core/base/progress.hpp"
#include "host/files/evaluation/matching.hpp"
#include "host/files/formats/reference_table.hpp"
#include "host/files/grid/grid_scan.hpp"
#include "host/files/io/counted.hpp"
#include "host/files/io/counted_ids.hpp"
#include "warpath/error.hpp"

namespace warpath::evaluation {
namespace {

constexpr std::string_view far_viewpoint = "(too far from every cell)";
constexpr formats::Token not_named = ~formats::Token{0};

}  // namespace

// Snaps the paths of one file after the other.
class GridPaths::Snapping {
 public:
  Snapping(const GridPaths& all, const formats::Dataset& dataset, formats::StringTable& viewpoints)
      : all_(all),
        items_(dataset.items),
        viewpoints_(viewpoints),
        far_(viewpoints.intern(far_viewpoint)),
        tokens_(all.grids_.size()) {
    for (std::size_t s = 0; s < tokens_.size(); ++s) {
      tokens_[s].resize(all.grids_[s].grid.size(), not_named);
    }
  }

  formats::Token far() const { return far_; }

  // Returns a path of cells for each path of positions; an empty one where it is of no item.
  formats::NamedPaths snap(const Source& source, Snaps& snaps) {
    const PointSet& points = source.points;
    std::vector<Grid::Nearest> nearest(points.elements.size());
    base::Progress progress("snapping", points.size(), "paths");
    tbb::parallel_for(std::size_t{0}, points.size(), [&](std::size_t p) {
      for (std::size_t k = points.offsets[p]; k < points.offsets[p + 1] && source.items[p]; ++k) {
        nearest[k] = grid_of(*source.items[p]).nearest(points.elements[k]);
      }
      progress.add();
    });
    formats::NamedPaths paths;
    for (std::size_t p = 0; p < points.size(); ++p) {
      if (source.items[p]) {
        const std::span found(nearest.data() + points.offsets[p], points.size_of(p));
        add_path(found, *source.items[p], source.what, paths, snaps);
      }
      paths.end_path();
    }
    return paths;
  }

 private:
  const Grid& grid_of(std::uint32_t item) const { return all_.grids_[items_[item].scan].grid; }

  void add_path(std::span<const Grid::Nearest> found, std::uint32_t item, const char* what,
                formats::NamedPaths& paths, Snaps& snaps) {
    ++snaps.paths;
    bool is_far = false;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double metres = found[k].metres;
      if (metres > all_.max_snap_) {
        if (!is_far)
          snaps.far.push_back({items_[item].id, fmt::format("{}[{}]", what, k), metres, item});
        is_far = true;
        ++snaps.far_positions;
        paths.elements.push_back(far_);
        continue;
      }
      ++snaps.positions;
      snaps.max = std::max(snaps.max, metres);
      snaps.sum += metres;
      paths.elements.push_back(token_of(item, found[k].cell));
    }
  }

  // Names a cell when it is first met.
  formats::Token token_of(std::uint32_t item, Node cell) {
    formats::Token& token = tokens_[items_[item].scan][cell];
    if (token == not_named) token = viewpoints_.intern(grid_of(item).viewpoint(cell));
    return token;
  }

  const GridPaths& all_;
  const std::vector<formats::Item>& items_;
  formats::StringTable& viewpoints_;
  const formats::Token far_;
  std::vector<std::vector<formats::Token>> tokens_;  // by scan and cell
};

GridPaths::GridPaths(const EvalFiles& files, const formats::Dataset& dataset,
                     formats::Graphs& graphs, const io::Reading& reading)
    : connect_(files.connect), max_snap_(files.snap) {
  const Connect connect = grid::find_connect(files.connect);
  if (!(std::isfinite(max_snap_) && max_snap_ > 0.0)) {
    throw UsageError(fmt::format("--snap {}: give a length above 0, in metres", max_snap_));
  }
  grids_ = grid::read_grids(files.grid, dataset.scans, reading);
  grid_count_ = grids_.size();
  std::string hashes;
  for (const grid::GridFile& file : grids_) {
    graphs.add(grid::stored_scan(file.scan, file.grid, connect, file.hash));
    hashes += file.hash;
  }
  hash_ = grid_count_ == 1 ? hashes : io::content_hash(hashes);
}

// Episodes have goals; where one is too far from every cell, nobody can be scored.
void GridPaths::snap_dataset(Snapping& snapping, formats::Dataset& dataset) {
  const formats::EpisodeData& data = *dataset.episodes;
  std::vector<std::optional<std::uint32_t>> items;
  for (std::uint32_t i = 0; i < dataset.items.size(); ++i) items.emplace_back(i);
  of_dataset_.file = dataset.file;
  const formats::NamedPaths references =
      snapping.snap({data.references, "reference", items}, of_dataset_);
  if (data.goals.size() > 0)
    dataset.goals = snapping.snap({data.goals, "goals", items}, of_dataset_);
  formats::ReferenceTable table(dataset.references);
  for (std::uint32_t i = 0; i < dataset.items.size(); ++i) {
    formats::Item& item = dataset.items[i];
    const bool has_goals = data.goals.size() > 0 && data.goals.size_of(i) > 0;
    const bool is_far =
        has_goals && std::ranges::find(dataset.goals[i], snapping.far()) != dataset.goals[i].end();
    std::vector<formats::Token>& elements = dataset.references.elements;
    if (is_far)
      elements.push_back(snapping.far());
    else
      elements.insert(elements.end(), references[i].begin(), references[i].end());
    dataset.references.end_path();
    item.reference = table.share_last(item.scan);
    if (has_goals) item.goals = i;
  }
}

void GridPaths::snap(formats::Dataset& dataset, std::vector<formats::Predictions>& agents,
                     formats::StringTable& viewpoints) {
  Snapping snapping(*this, dataset, viewpoints);
  snap_dataset(snapping, dataset);
  for (formats::Predictions& agent : agents) {
    const Matching matching(dataset, agent);
    std::vector<std::optional<std::uint32_t>> items(agent.positions->points.size());
    std::vector<bool>& predicted = predicted_.emplace_back(dataset.items.size());
    for (std::uint32_t e = 0; e < agent.entries.size(); ++e) {
      const std::uint32_t item = dataset.is_pairs ? e : matching.item_of(e);
      if (item == Matching::no_item) continue;
      items[agent.entries[e].trajectory.path] = item;
      predicted[item] = true;
    }
    Snaps& snaps = of_agents_.emplace_back(Snaps{.file = agent.file});
    agent.paths = snapping.snap({agent.positions->points, agent.path_key.c_str(), items}, snaps);
    if (!snaps.far.empty()) agent.notes.push_back(far_paths(snaps));
  }
  if (!of_dataset_.far.empty()) dataset.notes.push_back(far_paths(of_dataset_));
  dataset.is_snapped = true;
  grids_.clear();  // the graphs have them
}

std::string GridPaths::far_paths(const Snaps& snaps) const {
  io::CountedIds first;
  for (const Far& far : snaps.far) {
    first.add(fmt::format("{} ({}: {:.4g} m)", far.id, far.place, far.metres));
  }
  return fmt::format("{} of {} {} a position that is farther than {} m from every cell: {}",
                     first.count, io::counted(snaps.paths, "path"),
                     first.count == 1 ? "has" : "have", max_snap_, first.examples);
}

void GridPaths::refuse_far(std::size_t agent, const Convention& convention) const {
  if (convention.invalid != Invalid::error) return;
  for (const Snaps* snaps : {&of_dataset_, &of_agents_[agent]}) {
    Snaps scored = *snaps;
    std::erase_if(scored.far, [&](const Far& far) { return !predicted_[agent][far.item]; });
    if (scored.far.empty()) continue;
    throw InputError({scored.file}, far_paths(scored),
                     "name the grids of these scans, allow more by --snap, or say --invalid zero "
                     "(count as failures) or --invalid skip (leave out)");
  }
}

SnapSummary GridPaths::Snaps::summary() const {
  return {.n = positions + far_positions,
          .placed = positions,
          .mean = positions == 0 ? 0.0 : sum / static_cast<double>(positions),
          .max = max};
}

PositionDistances GridPaths::distances(std::size_t agent) const {
  PositionDistances distances{.source = "grid", .of = "all", .files = grid_count_, .hash = hash_};
  distances.connect = connect_;
  distances.max_snap = max_snap_;
  distances.positions = of_agents_[agent].summary();
  distances.goals = of_dataset_.summary();
  return distances;
}

std::string GridPaths::description(std::size_t agent) const {
  const Snaps &mine = of_agents_[agent], &theirs = of_dataset_;
  const std::size_t count = mine.positions + theirs.positions;
  return fmt::format("positions snapped to cells ({}) by up to {:.3g} m, {:.3g} m on average",
                     connect_ == "fmm" ? "fast marching" : connect_ + " neighbours",
                     std::max(mine.max, theirs.max),
                     count == 0 ? 0.0 : (mine.sum + theirs.sum) / static_cast<double>(count));
}

}  // namespace warpath::evaluation
