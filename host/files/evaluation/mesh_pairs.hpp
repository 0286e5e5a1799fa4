#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "host/files/evaluation/mesh_distances.hpp"
#include "host/files/evaluation/pack_episodes.hpp"
#include "warpath/graph.hpp"

namespace warpath::evaluation {

/// Holds pairs of positions as pairs of viewpoints. Each pair has a scan of its own, whose
/// viewpoints are its positions.
struct MeshPairs {
  std::vector<Scan> scans;  ///< by pair
  PairBatch batch;          ///< its scans are those of `scans`
};

/// Measures all distances of pairs over their meshes: the steps of both paths, from each position
/// of the query to each of the reference, and from the reference's start to its end. The scans have
/// these as ready distances, in which direction counts; all others are +inf.
/// @param first the first pair of `run`; @param last the one behind the last
/// @throws InputError for a pair of more positions than a table should have
MeshPairs measure_pairs(const MeshDistances& meshes, const formats::Dataset& dataset,
                        const PackedEpisodes& run, std::size_t first, std::size_t last);

/// Measures all pairs of a run, some at a time, and calls `use` with these and the number of their
/// first. @throws InputError as measure_pairs()
void for_each_mesh_part(const MeshDistances& meshes, const formats::Dataset& dataset,
                        const PackedEpisodes& run,
                        const std::function<void(const MeshPairs& part, std::size_t first)>& use);

/// Returns the number of distances that the table of a pair has at most.
inline std::size_t table_size(const PackedEpisodes& run, std::size_t pair) {
  const PointPair& p = run.batch.pairs[pair];
  const std::size_t positions =
      run.batch.references.size_of(p.reference) + run.batch.queries.size_of(p.query);
  return positions * positions;
}

}  // namespace warpath::evaluation
