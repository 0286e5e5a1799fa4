#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "warpath/convention.hpp"
#include "warpath/export.hpp"
#include "warpath/graph_store.hpp"
#include "warpath/histogram.hpp"
#include "warpath/input_texts.hpp"
#include "warpath/statistics.hpp"

namespace warpath {

/// Options of make_r4r: which paths of R2R are joined to paths of R4R.
struct R4rOptions {
  std::string graphs{};      ///< folder of scans, or one file
  std::string dataset;       ///< file of R2R's form; "-" is standard input
  double threshold_m = 3.0;  ///< of d(a_|A|, b_1), metres, >= 0 and finite
  /// Compares d(a_|A|, b_1) with the threshold: at most, as the original script, or less, as the
  /// text of its paper.
  Compare compare = Compare::less_equal;
  /// Largest difference of the heading at b_1 and the direction of the last step of A, radians; the
  /// difference is not wrapped at 2 pi. Absent: any.
  std::optional<double> heading_threshold{};
  std::uint64_t max_input_bytes = 0;  ///< limit of each file, decompressed; 0: a quarter of the
                                      ///< machine's memory
  std::shared_ptr<const GraphStore> graph_store{};  ///< instead of `graphs`; null: none
  InputTexts texts{};                               ///< stand in for files; see EvalFiles
};

/// Describes the paths of R2R or R4R; a path counts once, however many instructions it has.
struct PathSummary {
  std::uint64_t paths = 0;                                  ///< paths
  std::uint64_t samples = 0;                                ///< instructions
  Statistics length{Unit::length}, shortest{Unit::length};  ///< PL(R), d(r_1, r_|R|), metres
  Statistics viewpoints{Unit::count}, shortest_viewpoints{Unit::count};  ///< on R, on the shortest
  Histogram lengths{Unit::length}, shortests{Unit::length};              ///< bins of 1 m
};

/// R4R and a summary of the paths that it was made from.
struct R4r {
  std::string json;                ///< the annotations; see make_r4r
  PathSummary r2r, r4r;            ///< of the paths that were joined, and of the result
  std::uint64_t too_far = 0;       ///< pairs of paths of one scan beyond the threshold, or that no
                                   ///< path of the graph joins
  std::uint64_t too_turned = 0;    ///< pairs within it, but beyond the threshold of headings
  std::vector<std::string> notes;  ///< how files were read, one sentence each
};

/// Joins paths A and B of one scan where B begins near the end of A, with a shortest path between
/// them, as google-research's r4r_generate_data.py does (Jain et al. 2019, "Stay on the Path"). Any
/// two paths of a scan are tried, a path with itself, too. An entry has every combination of an
/// instruction of A and one of B, joined without a separator. Entries are in the order of the
/// scans' first occurrence, then of A, then of B. Among equally long paths the one is chosen that
/// networkx finds.
///
/// The JSON has the keys of the original script, in its order and with its indentation. Distances
/// and headings are written as Python writes floats, 4.0 where the dataset has the integer 4; a
/// shortest_path_distance of one viewpoint is the integer 0, as in the published R4R.
/// @throws InputError if a file cannot be used, a path has fewer than two viewpoints or leaves the
///   graph, no path leads from its start to its goal, headings are compared on a graph without
///   positions, or nothing is joined; UsageError for an option out of range.
WARPATH_EXPORT R4r make_r4r(const R4rOptions& options);

}  // namespace warpath
