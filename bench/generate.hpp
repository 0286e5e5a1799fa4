#pragma once

#include <cstdint>
#include <string>

#include "host/synthetic/random.hpp"
#include "warpath/evaluate.hpp"
#include "warpath/graph.hpp"

/// Made-up data in the shape of the public sets; a seed gives the same data everywhere.
namespace warpath::bench {

/// A connected random geometric graph of about 4 neighbours per viewpoint and 2.2 m per edge, with
/// viewpoint ids of 32 hexadecimal digits, as Matterport's.
Scan make_scan(std::string id, std::size_t viewpoints, synthetic::Random& random);

/// How much of everything. Path lengths vary evenly by a quarter to both sides of their mean.
struct Shape {
  std::size_t scans, viewpoints;             ///< viewpoints of each scan
  std::size_t paths, instructions;           ///< instructions of each path
  std::size_t reference_nodes, query_nodes;  ///< means
};
inline constexpr Shape r2r{11, 85, 783, 3, 6, 6};      ///< R2R val unseen
inline constexpr Shape r4r{11, 150, 5000, 9, 12, 14};  ///< R4R val unseen, 45,000 items

/// An agent's evaluation on disk.
struct Files {
  std::string graphs;          ///< folder of connectivity files
  std::string dataset;         ///< R4R, with instructions of R4R's length
  std::string predictions;     ///< EvalAI submission, numbers as Python writes them
  std::string predictions_gz;  ///< the same, gzipped at zlib's default level
  std::string pairs;           ///< the same pairs once more, as a pairs file
  std::size_t items = 0;

  EvalFiles to_evaluate() const;  ///< the dataset with the predictions
};

/// Writes all files into the folder, which is made where it is missing.
Files write_files(const Shape& shape, const std::string& folder, std::uint64_t seed);

/// The files of the shape above: written when first asked for, removed when the program ends.
const Files& r2r_files();
const Files& r4r_files();

}  // namespace warpath::bench
