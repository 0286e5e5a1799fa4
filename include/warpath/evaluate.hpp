#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpath/convention.hpp"
#include "warpath/score.hpp"
#include "warpath/scores.hpp"
#include "warpath/summary.hpp"

namespace warpath {

struct Inputs;

/// The files of an evaluation: either `dataset` with `predictions`, or `pairs`.
struct EvalFiles {
  std::string graphs;                     ///< folder of scans, or one plain graph
  std::string dataset;
  std::vector<std::string> predictions;   ///< one agent each, or shards of one where `merge`
  std::string pairs;
  bool merge = false;
  std::vector<std::string> task_success;  ///< none, one for all agents, or one per agent
  std::string dataset_format;             ///< r2r, r4r, reverie, ndh; empty: told from the content
  std::string prediction_format;          ///< evalai, viewpoints, nested, speaker-follower, inst-idx
  std::string ndh_reference = "path";     ///< path, planner or trusted
};

/// One line of the results: an item of the dataset, or a prediction that no item asks for.
struct ItemRow {
  std::string instr_id;
  std::string scan;                   ///< empty where the id is unknown
  std::uint32_t n_reference = 0;      ///< viewpoints of the reference
  Status status = Status::ok;
  bool in_dataset = true;
  std::optional<std::uint32_t> pair{};  ///< row of the scores; nothing: no value
};

/// One agent's results.
struct Run {
  std::string name;       ///< the file's name without its endings
  std::string file;
  std::string hash;       ///< of the file's content
  std::string format;     ///< how the file is written: evalai, nested, …
  std::string detection;  ///< the same in words, with the number of entries
  std::string task_success_hash;  ///< of the file that SDTW took success from, or empty
  std::vector<ItemRow> rows;
  Scores scores;
  Summary summary;
};

/// How items are grouped for a summary each.
enum class GroupBy { none, scan, length };

struct Group {
  std::string name;  ///< the scan, or the number of viewpoints of the reference
  Summary summary;
};

/// Summaries of the run's items by scan (in the order of names) or by length (ascending).
std::vector<Group> group(const Run& run, GroupBy by, const Convention& convention);

/// Reads files once and scores them under any number of conventions.
class Evaluator {
 public:
  /// @throws InputError, UsageError
  explicit Evaluator(EvalFiles files);
  ~Evaluator();

  /// Of the agent that has most.
  std::size_t most_predictions() const;

  /// Scores every agent, in the order of the files.
  /// @throws InputError where the convention wants a prediction for each item and one has none.
  std::vector<Run> evaluate(const Convention& convention, Backend backend = Backend::automatic);

  const EvalFiles& files() const;
  std::string dataset_detection() const;  ///< "R2R, 1021 items in 56 scans"
  std::string dataset_hash() const;
  std::string graph_hash() const;         ///< of the scans read so far
  /// Worth knowing but no trouble: scans so large that the reference back end scores them, isolated
  /// viewpoints, a split whose goals are not public.
  std::vector<std::string> notices() const;

 private:
  std::unique_ptr<Inputs> inputs_;
};

}  // namespace warpath
