#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "python/bindings/paths.hpp"
#include "warpath/graph_store.hpp"
#include "warpath/scorer.hpp"

namespace warpath::python {

/// Holds a Scorer with its scans, in the order of their numbers. It does not change.
struct StandingScorer {
  std::vector<const Scan*> scans;
  std::vector<std::string> names;
  std::unordered_map<std::string, std::uint32_t> number;
  std::unique_ptr<Scorer> scorer;
};

/// Keeps memory that paths are copied to, for the calls that follow: fresh memory costs as much as
/// the copy. Several threads may use it.
class PathMemory {
 public:
  PathSet take();
  void give_back(PathSet set);

 private:
  static constexpr std::size_t max_elements = std::size_t{1} << 24;  // 64 MiB

  std::mutex mutex_;
  std::vector<PathSet> free_;
};

/// Keeps a Scorer and gives it further scans when a batch first names them. Threads that still use
/// the scorer before that keep it.
class GrowingScorer {
 public:
  GrowingScorer(std::shared_ptr<const GraphStore> graphs, const std::vector<std::string>& scans,
                const Convention& convention, const ScorerOptions& options);

  std::shared_ptr<const StandingScorer> standing() const;
  /// Returns a scorer that has these scans, too. @pre the calling thread does not have the GIL
  /// @throws InputError if there is no such scan
  std::shared_ptr<const StandingScorer> with(const std::vector<std::string>& scans);
  PathMemory& path_memory() { return path_memory_; }
  int threads() const { return options_.threads; }

 private:
  std::shared_ptr<const StandingScorer> make(std::vector<std::string> names) const;

  std::shared_ptr<const GraphStore> graphs_;
  Convention convention_;
  ScorerOptions options_;
  std::shared_ptr<const StandingScorer> standing_;
  mutable std::mutex mutex_;
  PathMemory path_memory_;
};

/// Reads the names of scans: one for all of `count` items, or a sequence with one for each.
/// @param item what the caller calls an item, e.g. "pair"
/// @param names gets each name once
/// @returns indices into `names`, one for all items or one for each
/// @throws InputError that names the item whose name is none, or counts that differ
std::vector<std::uint32_t> read_names(nb::handle scans, std::size_t count, std::string_view item,
                                      std::vector<std::string>& names);

/// Reads the scans of a batch: None (there is only one), a name for all pairs, a sequence of names,
/// or an array of numbers of scans.
/// @param standing becomes a scorer that has all of them
/// @throws InputError that names the pair whose scan does not exist
ScanOfPair read_scans(nb::handle scans, std::size_t pairs, GrowingScorer& scorer,
                      std::shared_ptr<const StandingScorer>& standing);

}  // namespace warpath::python
