#pragma once

#include <cstdint>
#include <string>

#include "host/checks/random.hpp"
#include "warpath/evaluate.hpp"
#include "warpath/graph.hpp"

/// Makes synthetic data in the shape of the public sets; a seed gives the same data on every
/// machine.
namespace warpath::bench {

/// Holds the size of a data set. Path lengths are uniform within a quarter of their mean.
struct Shape {
  std::size_t scans, viewpoints;             ///< viewpoints of each scan
  std::size_t paths, instructions;           ///< instructions of each path
  std::size_t reference_nodes, query_nodes;  ///< mean lengths
};
inline constexpr Shape r2r{11, 85, 783, 3, 6, 6};       ///< R2R val unseen
inline constexpr Shape r4r{11, 150, 5000, 9, 12, 14};   ///< R4R val unseen, 45,000 items
inline constexpr Shape rxr{40, 150, 15000, 3, 12, 12};  ///< a large split of RxR, 45,000 items

/// Names the files of an agent's evaluation.
struct Files {
  std::string graphs;          ///< folder of connectivity files
  std::string dataset;         ///< R4R, with instructions of R4R's length
  std::string predictions;     ///< EvalAI submission, numbers as Python writes them
  std::string predictions_gz;  ///< the same, gzipped at zlib's default level
  std::string pairs;           ///< the same pairs as a pairs file
  std::size_t items = 0;

  EvalFiles to_evaluate() const;  ///< dataset and predictions
};

/// Writes all files into the folder, which is created if it is missing.
Files write_files(const Shape& shape, const std::string& folder, std::uint64_t seed);

/// Returns the files of the shape above. They are written on first use and removed when the program
/// ends.
const Files& r2r_files();
const Files& r4r_files();

/// Names the files of an evaluation of another task, which are kept as those above.
struct TaskFiles {
  EvalFiles files;
  std::string preset;
  std::size_t items = 0;
};
/// Returns a guide of RxR's shape, 45,000 items in three languages, and predictions for it.
const TaskFiles& rxr_files();
/// Returns 10,000 episodes of VLN-CE, references of 38 positions, and predictions of 100 positions.
const TaskFiles& episode_files();

}  // namespace warpath::bench
