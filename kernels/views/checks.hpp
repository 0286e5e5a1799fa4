#pragma once

#include <cstdint>

#include "kernels/views/pairs.hpp"
#include "kernels/views/paths.hpp"
#include "kernels/views/rewards.hpp"

// Defines what the kernels read that check what others would have to take on trust, and what they
// find.

namespace warpath::kernels {

/// Names what is wrong with a pair.
enum class PairFault : std::uint32_t {
  none,
  reference,     ///< there is no such reference
  no_reference,  ///< the reference has no viewpoint, or could not be stored
  length,        ///< the query has none, or less
  too_long,      ///< the query is longer than max_length
  viewpoint      ///< the scan has no such viewpoint
};

/// Says what is wrong with a pair.
struct PairProblem {
  PairFault fault;
  std::uint32_t pair;
  std::int64_t value;   ///< what is wrong: a number of a reference, a length, a viewpoint
  std::uint32_t limit;  ///< values must be below it; for too_long at most it
  std::uint32_t at;     ///< position in the query
};

/// Views pairs to check, and where to write the first that has a fault. Of continuous paths there
/// are lengths only.
struct CheckView {
  PairsView pairs;
  std::uint32_t references;
  RowsOfReference group{};   ///< if no references are numbered
  std::uint32_t* first_bad;  ///< one number, the first pair with a fault; 2^32 − 1: none
  PairProblem* problem;      ///< one entry: what is wrong with it

  WARPATH_HD std::int64_t reference(std::uint32_t i) const {
    return pairs.reference_of.exist() ? pairs.reference_of.exact(i) : group.reference(i);
  }
};

/// Coordinates of points are at most that far from 0, metres.
inline constexpr float max_coordinate = 1e12f;

/// Names what is wrong with an entry of a call.
enum class EpisodeFault : std::uint32_t {
  none,
  episode,      ///< there is no such episode
  twice,        ///< another entry names the same
  never_reset,  ///< the memory does not hold an episode
  reference,    ///< there is no such reference
  size,         ///< a reference of points is empty or too long
  length,       ///< a continuation has less than no element, or more than max_length
  viewpoint,    ///< the scan has no such viewpoint
  coordinate    ///< is no number, infinite, or beyond max_coordinate
};

/// Says what is wrong with an entry.
struct EpisodeProblem {
  EpisodeFault fault;
  std::uint32_t at;      ///< position in the path
  std::int64_t episode;  ///< that the entry names
  std::int64_t value;    ///< what is wrong; of a coordinate its bits
  std::int64_t limit;    ///< values must be below it; lengths and sizes at most it
};

/// Views the entries of a call, and where to write the first that has a fault. Entry k names an
/// episode and has `paths_of_entry` paths, of viewpoints or of points. Paths whose layout has
/// neither offsets nor lengths have one element each. Finished rollouts of points are looked at as
/// episodes that begin, one by each entry, with a path.
struct CheckEpisodesView {
  EpisodesView episodes;
  std::uint32_t references;  ///< that there are
  std::uint32_t count;
  IntegerArray episode;        ///< none: entry k names episode k
  const std::uint8_t* active;  ///< 0: the entry is left out; null: none is
  bool begins;                 ///< entries begin episodes anew; else those with a path have begun
  IntegerArray reference;  ///< of entries that begin episodes; none: of entry k group.reference(k)
  PathArray new_references;  ///< of entries that begin episodes of points
  PathArray paths;           ///< neither viewpoints nor points: there are none
  std::uint32_t paths_of_entry;
  RowsOfReference group{};
  std::uint32_t* owner;      ///< [episode], the first entry that names it; null: any may
  std::uint32_t* first_bad;  ///< one number, the first entry with a fault; 2^32 − 1: none
  EpisodeProblem* problem;   ///< one entry: what is wrong with it
};

}  // namespace warpath::kernels
