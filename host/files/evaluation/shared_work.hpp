#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpath/batch_statistics.hpp"
#include "warpath/scorer.hpp"

namespace warpath::evaluation {

/// Divides the work of this process with others that run the same command on the same files, on one
/// machine or several. An evaluation or random baseline that is given it scores only its own part,
/// then all processes exchange their parts, and each returns the result of the whole: the bits that
/// one process alone returns.
class SharedWork {
 public:
  /// Takes the bytes of this process and returns those of all, in the order of their numbers. All
  /// processes call it equally often. What it throws ends the evaluation.
  using Exchange = std::function<std::vector<std::string>(const std::string& own)>;

  /// @param number of this process, from 0; @param of how many there are
  SharedWork(std::uint64_t number, std::uint64_t of, Exchange exchange)
      : number_(number), of_(of), exchange_(std::move(exchange)) {}
  SharedWork(const SharedWork&) = delete;
  SharedWork& operator=(const SharedWork&) = delete;

  /// Tells whether this process writes the results: it is the first one.
  bool is_writer() const { return number_ == 0; }

  /// Refuses files that differ from those of the other processes.
  /// @param hashes what was read, and the hash of its content, in the same order everywhere
  /// @throws InputError
  void check_same(const std::vector<std::pair<std::string, std::string>>& hashes) const;

  struct Range {
    std::uint64_t first, count;
  };
  /// Returns this process's part of a number of pieces.
  Range part_of(std::uint64_t pieces) const { return part_of(pieces, number_); }

  /// Scores this process's part of the pairs; returns the scores of all.
  Scores score(const Scorer& scorer, const PairBatchView& batch, const Watch& watch) const;
  /// Returns the statistics of all processes' items. @throws as BatchStatistics::merge
  BatchStatistics merge(const BatchStatistics& own) const;

 private:
  Range part_of(std::uint64_t pieces, std::uint64_t number) const;
  std::vector<std::string> exchange(const std::string& own) const;

  std::uint64_t number_, of_;
  Exchange exchange_;
};

/// Refuses standard input, which only one of several processes has. @param shared null: one works
/// @throws UsageError
void refuse_standard_input(const SharedWork* shared, const std::vector<std::string>& files);

}  // namespace warpath::evaluation
