#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "warpath/backend.hpp"
#include "warpath/batch_statistics.hpp"
#include "warpath/convention.hpp"
#include "warpath/export.hpp"
#include "warpath/paths.hpp"
#include "warpath/scorer.hpp"

namespace warpath {

/// How often each number of steps occurs: the distribution that the steps of random walks are drawn
/// from. The steps of a reference are its edges.
using StepCounts = std::map<std::uint32_t, std::uint64_t>;

inline constexpr std::uint32_t max_walk_steps = 65'534;

/// Chooses the reference of walk k: number k modulo the number of references, or a random one,
/// which the host draws; this bounds the rate of a GPU.
enum class WalkSample { cycle, uniform };

/// Returns the sample's name as the command line spells it: cycle or uniform.
WARPATH_EXPORT std::string_view name(WalkSample sample);
/// Finds a sample by its name. @throws UsageError that lists the names.
WARPATH_EXPORT WalkSample find_walk_sample(std::string_view name);

/// Defines random walks, the agents of Jain et al. 2019 (Stay on the Path, footnote 5) and Ilharco
/// et al. 2019 (General Evaluation for Instruction Conditioned Navigation, 4.2): a walk begins
/// where its reference begins, draws its number of steps from the given counts, and takes each step
/// to any neighbour with the same probability.
///
/// Walk k depends only on the seed, k, the graphs (with the order of neighbours) and the counts: it
/// is the same on every machine, whatever else is computed. kernels/walks/walk.hpp says which
/// random words it takes.
///
/// Edges join different viewpoints (see Scan), so a walk has no immediate repeats: it has the same
/// scores whether a convention collapses these or not.
///
/// An object does not change after its construction; any number of threads may use it.
class WARPATH_EXPORT RandomWalks {
 public:
  /// @param scans must outlive the object
  /// @param references at least one, each of at least one viewpoint
  /// @param scan_of number of each reference's scan
  /// @param steps at least one number, all at most max_walk_steps; their counts sum to less than
  ///   2^31
  /// @throws InputError if one of these does not hold, if a viewpoint is not in its scan, or if a
  ///   walk takes more than 0 steps and a reference begins at a viewpoint without neighbours, or is
  ///   of a directed scan with edges to a viewpoint that none leaves
  RandomWalks(std::span<const Scan* const> scans, const PathView<Node>& references,
              std::span<const std::uint32_t> scan_of, const StepCounts& steps, std::uint64_t seed,
              WalkSample sample = WalkSample::cycle);
  RandomWalks(RandomWalks&&) noexcept;
  RandomWalks& operator=(RandomWalks&&) noexcept;
  ~RandomWalks();

  std::span<const Scan* const> scans() const;
  const PathSet& references() const;
  std::span<const std::uint32_t> scan_of() const;
  const StepCounts& steps() const;
  std::uint64_t seed() const;
  WalkSample sample() const;

  /// Returns the number of a walk's reference.
  std::uint32_t reference(std::uint64_t walk) const;
  /// Appends the viewpoints of a walk to `nodes`.
  void append(std::uint64_t walk, std::vector<Node>& nodes) const;
  /// Returns walks first … first + count − 1 as queries against their references.
  PairBatch batch(std::uint64_t first, std::size_t count) const;

  struct State;  ///< for the implementation only
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// Scores random walks without storing them: they are made while they are swept, and only
/// statistics leave the sweep. Their bits are those of Scorer::statistics for the same walks, from
/// every back end in single precision, with any number of threads and in any parts.
///
/// Walks are stored for a moment, some thousands at a time, where the sweep cannot make them: by
/// the reference back end, on scans without a table of distances or whose table is not symmetric,
/// on graphs with a viewpoint of very many neighbours, for more than 64 different numbers of steps,
/// and where CLS takes the lengths of edges (`cls-step`) in metres, or in hops for references with
/// a step that is no edge; by cuda also for references of more than 20 viewpoints, and on scans of
/// more than about a thousand viewpoints (500 where one has more than 16 neighbours).
///
/// Several threads may call one scorer at the same time.
class WARPATH_EXPORT WalkScorer {
 public:
  /// @param walks must outlive the scorer
  /// @param options `automatic` takes cuda if there is a device, else cpu. Where cuda makes some
  ///   walks in the sweep and stores others, each kind has tables and references of its own on the
  ///   device, and `memory_limit` holds for each kind by itself.
  /// @throws InputError as Scorer
  WalkScorer(const RandomWalks& walks, const Convention& convention,
             const ScorerOptions& options = {});
  WalkScorer(WalkScorer&&) noexcept;
  WalkScorer& operator=(WalkScorer&&) noexcept;
  ~WalkScorer();

  /// Scores walks first … first + count − 1, at most walk 2^64 − 2. Statistics of parts can be
  /// merged. A part should have some hundred walks for each reference, because each call makes a
  /// table for each of them.
  /// @param watch is called as walks are done, and may end the call by an exception (watch.hpp)
  /// @throws InputError, CudaError, std::overflow_error as Scorer::statistics
  BatchStatistics statistics(std::uint64_t first, std::uint64_t count,
                             const Watch& watch = {}) const;

  /// Returns the back end that scores, and why.
  ResolvedBackend backend() const;

  struct State;  ///< for the implementation only

 private:
  std::unique_ptr<State> state_;
};

}  // namespace warpath
